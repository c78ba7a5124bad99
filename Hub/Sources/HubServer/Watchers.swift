import Daybook
import FoundationEssentials
import HubCore
import HubMessages
import ServiceLifecycle
import Synchronization

/// The devices that wait for changes, by space.
///
/// Each has a stream of heads; the same head again is a sign of life. Only the newest head is kept for a device that is slow.
final class Watchers: Sendable {
    struct Watcher: Sendable {
        let number: UInt64
        let space: UUID
        let heads: AsyncStream<Int64>
        let end: @Sendable () -> Void
    }

    fileprivate struct Waiting {
        let session: Session
        let continuation: AsyncStream<Int64>.Continuation
    }

    fileprivate struct Space {
        var head: Int64
        var waiting: [UInt64: Waiting] = [:]
    }

    fileprivate struct State {
        var spaces: [UUID: Space] = [:]
        var last: UInt64 = 0
        var count = 0
    }

    private let state = Mutex(State())

    /// How many devices wait.
    var count: Int { state.withLock { $0.count } }

    /// The spaces that someone waits for.
    var spaces: [UUID] { state.withLock { Array($0.spaces.keys) } }

    /// Lets a device wait. Read the head afterwards, and pass it to `raise`, so that none is missed.
    func begin(_ session: Session) -> Watcher {
        let (heads, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.last += 1
            state.count += 1
            state.spaces[session.space, default: Space(head: -1)].waiting[state.last] =
                Waiting(session: session, continuation: continuation)
            return state.last
        }
        return Watcher(number: number, space: session.space, heads: heads) { continuation.finish() }
    }

    /// Ends a wait.
    func end(_ watcher: Watcher) {
        watcher.end()
        state.withLock { $0.remove(watcher.number, of: watcher.space) }
    }

    /// Reports a head that was committed. An earlier one, which was read before, changes nothing.
    func raise(_ space: UUID, to head: Int64) {
        state.withLock { state in
            guard let known = state.spaces[space]?.head, head > known else { return }
            state.set(head, of: space)
        }
    }

    /// Reports heads that were just read from a storage that others change. A lower one means that it was restored; if it was
    /// only read before a push of this process, the next look corrects it.
    func update(_ heads: [UUID: Int64]) {
        state.withLock { state in
            for (space, head) in heads where state.spaces[space].map({ $0.head != head }) == true {
                state.set(head, of: space)
            }
        }
    }

    /// Sends everyone a sign of life, and ends the waits whose sessions have expired.
    func beat(seconds: Int64) {
        finish { $0.session.expires <= seconds }
        state.withLock { state in
            for space in state.spaces.values {
                for waiting in space.waiting.values { waiting.continuation.yield(space.head) }
            }
        }
    }

    /// Ends the waits of a device that was revoked.
    func end(device: UInt64, of space: UUID) {
        finish { $0.session.space == space && $0.session.device == device }
    }

    private func finish(_ isOver: (Waiting) -> Bool) {
        let over = state.withLock { state in
            var over: [AsyncStream<Int64>.Continuation] = []
            for (space, entry) in state.spaces {
                for (number, waiting) in entry.waiting where isOver(waiting) {
                    over.append(waiting.continuation)
                    state.remove(number, of: space)
                }
            }
            return over
        }
        for continuation in over { continuation.finish() }
    }
}

extension Watchers.State {
    fileprivate mutating func remove(_ number: UInt64, of space: UUID) {
        guard spaces[space]?.waiting.removeValue(forKey: number) != nil else { return }
        count -= 1
        if spaces[space]?.waiting.isEmpty == true { spaces[space] = nil }
    }

    fileprivate mutating func set(_ head: Int64, of space: UUID) {
        spaces[space]?.head = head
        for waiting in spaces[space]?.waiting.values.map({ $0 }) ?? [] { waiting.continuation.yield(head) }
    }
}

/// Looks at the heads of watched spaces where other hubs may push, and sends signs of life.
struct WatchService: Service {
    let hub: Hub
    let watchers: Watchers
    let clock: any TimeSource
    let pollSeconds: Double

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask {
                    await repeating(every: Double(HubLimits.heartbeatSeconds)) { _ in
                        watchers.beat(seconds: clock.wall.microsecondsSince1970 / 1_000_000)
                    }
                }
                guard hub.storage.isShared else { return }
                group.addTask {
                    for await head in hub.storage.announcements() { watchers.raise(head.space, to: head.number) }
                }
                group.addTask {
                    await repeating(every: pollSeconds) { look in
                        // While others announce their heads, a look is for what was lost on the way.
                        if !hub.storage.isListening || look.isMultiple(of: Self.looksWhileListening) { await poll() }
                    }
                }
            }
        }
    }

    /// Of so many looks at the heads one is taken while other hubs announce theirs.
    private static let looksWhileListening = 10

    private func repeating(every seconds: Double, _ body: @Sendable (Int) async -> Void) async {
        for number in 1... {
            let next = clock.monotonic.advanced(byMicroseconds: Int64(seconds * 1_000_000))
            guard (try? await clock.sleep(until: next)) != nil, !Task.isCancelled else { return }
            await body(number)
        }
    }

    private func poll() async {
        let spaces = watchers.spaces
        for start in stride(from: 0, to: spaces.count, by: 1024) {
            // A storage that does not answer now is asked again at the next look.
            guard let heads = try? await hub.heads(of: Array(spaces[start..<min(start + 1024, spaces.count)])) else {
                return
            }
            watchers.update(heads)
        }
    }
}
