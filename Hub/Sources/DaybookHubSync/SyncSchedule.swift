import CivilTime

/// When the next exchange is due: after writes that have ended, after an interval, after a back-off, or at once.
struct SyncSchedule: Sendable {
    /// What an exchange leaves to do.
    enum Ending: Sendable, Equatable {
        /// Store and hub agree.
        case settled
        /// Try again after so many microseconds, or as soon as a hub that was out of reach answers.
        case retry(after: Int64, isUnreachable: Bool)
        /// A person must do something first.
        case blocked
    }

    private let options: StoreSync.Options
    /// The first and the last write since the last exchange began.
    private var writes: (first: MonotonicTime, last: MonotonicTime)?
    private var isWanted = true
    private var ending = Ending.settled
    private var ended: MonotonicTime?

    /// A schedule whose first exchange is due at once.
    init(_ options: StoreSync.Options) { self.options = options }

    /// When the next exchange is due; nil while it waits for a person.
    func deadline(now: MonotonicTime) -> MonotonicTime? {
        guard !isWanted, let ended else { return now }
        switch ending {
        case .blocked: return nil
        // A back-off is not shortened by writes.
        case .retry(let delay, _): return ended.advanced(byMicroseconds: delay)
        case .settled:
            let regular = ended.advanced(byMicroseconds: options.interval.microseconds)
            guard let writes else { return regular }
            return min(
                regular, writes.last.advanced(byMicroseconds: options.quietTime.microseconds),
                writes.first.advanced(byMicroseconds: options.longestDelay.microseconds))
        }
    }

    /// Notes that something was written in the store.
    mutating func noteWrite(at time: MonotonicTime) { writes = (writes?.first ?? time, time) }

    /// Notes that the hub has answered, and whether it has changes that are not here.
    mutating func noteAnswer(hasChanges: Bool) {
        switch ending {
        case .settled: isWanted = isWanted || hasChanges
        case .retry(_, let isUnreachable): isWanted = isWanted || isUnreachable
        case .blocked: break
        }
    }

    /// Makes an exchange due at once, whatever happened before.
    mutating func want() { isWanted = true }

    /// Notes that an exchange begins, with everything that was written before.
    mutating func begin() {
        isWanted = false
        writes = nil
    }

    /// Notes what the exchange has left to do.
    mutating func end(_ ending: Ending, at time: MonotonicTime) {
        self.ending = ending
        ended = time
    }
}

extension Duration {
    /// The whole microseconds, of at most 30,000 years.
    var microseconds: Int64 {
        min(max(components.seconds, 0), 1_000_000_000_000) * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
