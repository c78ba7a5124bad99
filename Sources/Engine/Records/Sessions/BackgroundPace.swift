import CivilTime
import KeyValue
import Threading

/// Lets the writes of others go first while work in the background computes: a snapshot, a scrub, the copy of a compaction.
///
/// It takes no lock that a writer needs, but processors: a thread that wakes waits for the next tick of the scheduler while other
/// threads are running on all of them. So while somebody writes, such work uses one thread, where it can use two, and pauses
/// after each millisecond for half of that. Then it takes at most three times as long: twice by the first, and half as long
/// again by the second. (``BackgroundTurns`` is for work that writes.)
///
/// Used by one thread at a time.
package final class BackgroundPace {
    private let lastTransaction: () -> UInt64
    private let now: () -> MonotonicTime
    private let sleep: (_ microseconds: Int64) -> Void
    private var policy = PacePolicy()
    private var steps = 0

    /// How many steps follow each other without a look at the clock.
    private static let stepsBetweenLooks = 32

    /// The pace of one piece of work in a store, by the store's clock. A clock that stands still makes no pauses.
    package convenience init(in store: RecordStore) {
        let (environment, clock) = (store.environment, store.context.clock)
        self.init(
            lastTransaction: { environment.statistics.lastTransaction }, now: { clock.monotonic },
            sleep: { pauseThread(microseconds: $0) })
    }

    /// The pace for numbers of transactions, a clock and a way to sleep that tests choose.
    package init(
        lastTransaction: @escaping () -> UInt64, now: @escaping () -> MonotonicTime,
        sleep: @escaping (_ microseconds: Int64) -> Void
    ) {
        self.lastTransaction = lastTransaction
        self.now = now
        self.sleep = sleep
    }

    /// Whether others write now, so that one thread is enough.
    package var isShared: Bool { policy.isShared }

    /// Called between small pieces of work, each of which takes some microseconds; pauses when it is time.
    package func step() {
        steps += 1
        guard steps % Self.stepsBetweenLooks == 0 else { return }
        guard let length = policy.pause(lastTransaction(), now: now()) else { return }
        sleep(length)
        policy.resume(now: now())
    }
}

/// When work in the background pauses, and for how long.
struct PacePolicy {
    /// Others count as writing until they have not written for so long, in microseconds: who writes by hand does so every few
    /// seconds.
    static let quiet: Int64 = 2_000_000
    /// How long it works without a pause, in microseconds.
    static let slice: Int64 = 1_000
    /// The longest pause, in microseconds: after a piece of work that cannot be interrupted.
    static let longest: Int64 = 5_000

    /// Whether others write now.
    private(set) var isShared = false
    private var activity = CommitActivity()
    /// When the last pause ended.
    private var began: MonotonicTime?

    /// How many microseconds to pause now; nil for none.
    mutating func pause(_ transaction: UInt64, now: MonotonicTime) -> Int64? {
        activity.note(transaction, now: now)
        isShared = !activity.isQuiet(for: Self.quiet, at: now)
        guard let began else {
            self.began = now
            return nil
        }
        let worked = now.microseconds(since: began)
        guard worked >= Self.slice else { return nil }
        guard isShared else {
            self.began = now
            return nil
        }
        return min(worked / 2, Self.longest)
    }

    /// Notes the end of a pause.
    mutating func resume(now: MonotonicTime) {
        began = now
    }
}
