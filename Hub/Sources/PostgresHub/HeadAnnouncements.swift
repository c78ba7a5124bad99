import FoundationEssentials
import HubCore
import Postgres
import Synchronization

/// The heads of spaces that the hubs of a database announce to each other.
final class HeadAnnouncements: Sendable {
    private struct State {
        var listener: PostgresListener?
        var continuations: [AsyncStream<SpaceHead>.Continuation] = []
    }

    private let pool: PostgresPool
    private let state = Mutex(State())

    init(_ pool: PostgresPool) { self.pool = pool }

    var isListening: Bool { state.withLock { $0.listener }?.isListening ?? false }

    func announce(_ head: SpaceHead) {
        state.withLock { $0.listener }?.notify("\(head.space.uuidString) \(head.number)")
    }

    /// The first call begins to listen.
    func announcements() -> AsyncStream<SpaceHead> {
        let (heads, continuation) = AsyncStream.makeStream(of: SpaceHead.self)
        state.withLock { state in
            state.continuations.append(continuation)
            guard state.listener == nil else { return }
            state.listener = pool.listen(to: "daybook_heads") { [weak self] in self?.receive($0) }
        }
        return heads
    }

    private func receive(_ text: String) {
        // Anyone who may use the database may send anything.
        let words = text.split(separator: " ")
        guard words.count == 2, let space = UUID(uuidString: String(words[0])), let number = Int64(words[1]) else {
            return
        }
        let head = SpaceHead(space, number)
        state.withLock { state in
            state.continuations.removeAll { if case .terminated = $0.yield(head) { true } else { false } }
        }
    }
}
