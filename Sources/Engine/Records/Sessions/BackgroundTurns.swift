import CivilTime
import Threading

/// Lets the writes of others go first: for work in the background that writes in many transactions, as sync does.
///
/// A write waits for the transaction that is under way, however it came there. So work that can wait takes a transaction while
/// nobody else writes; where others write without a break, one for every 200 of theirs, so that less than 1 % of them meet it; and
/// one a second in any case, so that it ends, which more than 1 % meet where there are fewer than 100 a second. Others are all
/// other writers of the store, of this process or not: they are seen by the numbers of LMDB's transactions.
public final class BackgroundTurns: Sendable {
    private let store: RecordStore
    private let policy = ForkSafeMutex(TurnPolicy())

    /// The turns of one piece of work in a store.
    public init(in store: RecordStore) {
        self.store = store
    }

    /// Runs a transaction when it is its turn. Calls follow one another.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, and what the work throws.
    public func take<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        let clock = store.context.clock
        let asked = clock.monotonic
        while let time = policy.withLock({ $0.wait(lastTransaction, now: clock.monotonic, asked: asked) }) {
            try await clock.sleep(until: time)
        }
        defer { policy.withLock { $0.end(lastTransaction, now: clock.monotonic) } }
        return try await work()
    }

    private var lastTransaction: UInt64 { store.environment.statistics.lastTransaction }
}

/// When work in the background takes its next transaction.
struct TurnPolicy: Sendable {
    /// How long nobody else has written, in microseconds. Longer than the time between two calls of a program in a shell.
    static let quiet: Int64 = 50_000
    /// How many transactions of others are enough otherwise.
    static let share: UInt64 = 200
    /// The longest wait, in microseconds.
    static let limit: Int64 = 1_000_000

    private var activity = CommitActivity()
    private var own: UInt64 = 0

    /// The time to look again; nil when it is the work's turn.
    mutating func wait(_ transaction: UInt64, now: MonotonicTime, asked: MonotonicTime) -> MonotonicTime? {
        // The first to ask need not wait.
        if activity.seen == nil { own = transaction }
        activity.note(transaction, now: now)
        if activity.isQuiet(for: Self.quiet, at: now) { return nil }
        if now.microseconds(since: asked) >= Self.limit { return nil }
        if transaction &- own >= Self.share { return nil }
        return min(
            activity.changedAt.advanced(byMicroseconds: Self.quiet), asked.advanced(byMicroseconds: Self.limit))
    }

    /// Takes into account that the work has had its turn.
    mutating func end(_ transaction: UInt64, now: MonotonicTime) {
        activity.noteOwn(transaction, now: now)
        own = transaction
    }
}
