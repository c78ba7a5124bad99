import CivilTime
import Daybook
import Sync

/// Syncs whenever something has changed, here or at the hub.
package struct Watcher {
    private let synced: SyncedStore

    package init(_ synced: SyncedStore) { self.synced = synced }

    /// Runs until the task is cancelled, or something must be decided first.
    package func run() async throws {
        // What comes while a run is under way is one more run, however much it is.
        let (news, continuation) = AsyncThrowingStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for follow in [followStore, followHub] {
                group.addTask {
                    // Whoever stops following ends the run: otherwise it would go on, and miss all changes of one side.
                    do { try await follow { continuation.yield() } } catch { continuation.finish(throwing: error) }
                }
            }
            for try await _ in news { try await syncUntilReached() }
            group.cancelAll()
        }
    }

    private func syncUntilReached() async throws {
        while true {
            switch try await SyncLoop(synced.replica, over: synced.session).run() {
            case .settled:
                guard try await synced.publish() else { return try await synced.finishRevocations() }
            case .held: try await synced.handleHold()
            case .failed(let refusal):
                let failures = try synced.replica.status().failures
                try await wait(
                    SyncBackoff.delay(after: refusal, failures: failures, random: synced.store.context.random))
            }
        }
    }

    @Sendable private func followStore(_ report: @Sendable () -> Void) async throws {
        for try await change in synced.store.changes(after: try synced.store.read({ try $0.lastSequence() })) {
            // What came from others needs no answer.
            if change.label.origin != .sync { report() }
        }
    }

    @Sendable private func followHub(_ report: @Sendable () -> Void) async throws {
        var head: Int64 = -1
        while !Task.isCancelled {
            do {
                let next = try await synced.session.watch(after: head)
                if next != head { report() }
                head = next
            } catch {
                try await wait(5_000_000)
                report()
            }
        }
    }

    private func wait(_ microseconds: Int64) async throws {
        let clock = synced.store.context.clock
        try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: microseconds))
    }
}
