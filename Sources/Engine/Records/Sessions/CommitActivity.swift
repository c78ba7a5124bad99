import CivilTime

/// When others have written to a store last, seen by the numbers of its transactions: those of this process and of others.
struct CommitActivity: Sendable {
    /// The last transaction that was seen; nil before the first look.
    private(set) var seen: UInt64?
    /// When the last transaction of another writer was seen first. What they did before the first look is not known.
    private(set) var changedAt = MonotonicTime(microseconds: .min)

    /// Notes the number of the last transaction.
    mutating func note(_ transaction: UInt64, now: MonotonicTime) {
        if let seen, transaction != seen { changedAt = now }
        seen = transaction
    }

    /// Notes the number of the last transaction after one of this work itself.
    mutating func noteOwn(_ transaction: UInt64, now: MonotonicTime) {
        // More than its own one: others have written meanwhile.
        if let seen, transaction > seen + 1 { changedAt = now }
        seen = transaction
    }

    /// Whether nobody else has written for so many microseconds.
    func isQuiet(for duration: Int64, at now: MonotonicTime) -> Bool {
        now.microseconds(since: changedAt) >= duration
    }
}
