import CommandSupport
import Daybook
import Foundation
import Synchronization
import TestSupport
import Testing

/// A clock whose waits are over at once: it moves there.
private final class SkippingClock: BlockingTimeSource {
    private let clock = SettableClock(Instant(secondsSince1970: 1_770_800_400))

    var wall: Instant { clock.wall }
    var monotonic: MonotonicTime { clock.monotonic }

    func sleep(while range: Range<Instant>) async throws {}
    func sleep(until time: MonotonicTime) async throws { block(until: time) }
    func block(until time: MonotonicTime) { clock.advance(byMicroseconds: time.microseconds(since: monotonic)) }

    /// What a try takes itself.
    func run(_ microseconds: Int64) { clock.advance(byMicroseconds: microseconds) }
}

@Suite struct RetryTests {
    private let folder: TemporaryFolder
    private let clock = SkippingClock()
    private let busy = KeyValueError.busy(operation: "commit", code: 11)

    init() throws {
        folder = TemporaryFolder()
    }

    /// A session at a fixed `--now`, whose clock stands still.
    private var session: Session {
        var context = Context.system
        context.clock = SettableClock(Instant(secondsSince1970: 1_770_800_400))
        return Session(path: folder.path + "/store", context: context, retries: .blocking(by: clock))
    }

    /// Adds a task; the first tries fail.
    private func add(_ text: String, failing count: Int, with error: any Error, taking time: Int64 = 0) throws -> Int {
        let tries = Mutex(0)
        let clock = clock
        do {
            try session.write(creating: true) { daybook in
                try daybook.write { transaction in
                    try transaction.tasks.create(text)
                    clock.run(time)
                    let number = tries.withLock { tries in
                        tries += 1
                        return tries
                    }
                    if number <= count { throw error }
                }
            }
        } catch RecordsError.engine(.busy) {}
        return tries.withLock { $0 }
    }

    private func texts() throws -> [String]? { try session.read { try $0.tasks.inbox().map(\.text) } }

    @Test("A command tries again when the store was busy, and the task is there once [X-27, S-41]")
    func passing() async throws {
        #expect(try add("a", failing: 6, with: busy) == 7)
        #expect(try texts() == ["a"])
        let tries = Mutex(0)
        let busy = busy
        try await session.write { daybook in
            try await daybook.tasks.write { tasks in
                try tasks.create("b")
                let number = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                if number <= 3 { throw busy }
            }
        }
        #expect(try texts() == ["a", "b"])
    }

    @Test("A command gives up within three seconds, with the error, and nothing was changed [X-27]")
    func lasting() throws {
        let before = clock.monotonic
        #expect(try add("a", failing: .max, with: busy) == 7)
        #expect(clock.monotonic.microseconds(since: before) <= 3_000_000)
        #expect(try texts() == [])
        // Tries that take long are fewer.
        let start = clock.monotonic
        #expect(try add("a", failing: .max, with: busy, taking: 900_000) == 3)
        #expect(clock.monotonic.microseconds(since: start) <= 3_000_000 + 900_000)
        #expect(try texts() == [])
    }

    @Test("Other errors are reported at once")
    func others() throws {
        struct Own: Error {}
        let before = clock.monotonic
        #expect(throws: Own.self) { _ = try add("a", failing: .max, with: Own()) }
        #expect(clock.monotonic == before)
    }
}
