import Threading

/// How long a store waits for another process that writes to it or opens it, and who is notified.
///
/// Without a limit, a process that was stopped in its transaction (Ctrl-Z, a paused container) lets others wait until it is
/// continued or ends.
public struct LockWait: Sendable {
    /// The longest wait; nil for as long as it takes. Zero does not wait for a writer at all, and reports a process that opens the
    /// store after a tenth of a second, since opening takes less.
    ///
    /// It counts the pauses between tries, so that it does not depend on a clock; the wait takes a little longer.
    public var limit: Duration?
    /// Called once for each wait of more than a second, on the thread that waits. Do not use the store in it.
    public var onWait: (@Sendable (_ holder: LockHolder) -> Void)?

    /// A wait with a limit and a closure to call.
    public init(limit: Duration? = nil, onWait: (@Sendable (_ holder: LockHolder) -> Void)? = nil) {
        self.limit = limit
        self.onWait = onWait
    }

    /// Waits as long as it takes, and notifies nobody.
    public static let unlimited = LockWait()

    /// For the opening gate, where nobody has said how long to wait: far longer than any opening takes, so that only a process that
    /// was stopped in it is reported.
    static let ofOpening = LockWait(limit: .seconds(30))

    /// The wait for the opening gate, which a process holds for long only if it is stopped.
    var ofGate: LockWait { LockWait(limit: limit.map { max($0, .milliseconds(100)) }, onWait: onWait) }

    /// The wait without its limit.
    var withoutLimit: LockWait { LockWait(onWait: onWait) }
}

/// One wait: the pauses between its tries, which grow from 50 microseconds to 5 milliseconds.
struct PendingWait {
    private let wait: LockWait
    private let limit: Int64
    /// The sum of all pauses, in microseconds.
    private(set) var waited: Int64 = 0
    private var nextPause = firstPause
    private var hasReported = false
    private let path: String

    private static let (firstPause, longestPause): (Int64, Int64) = (50, 5_000)
    private static let reportedAfter: Int64 = 1_000_000

    /// - Parameter path: the store's folder, which errors name.
    init(_ wait: LockWait, path: String) {
        self.wait = wait
        self.path = path
        limit = wait.limit.map(Self.microseconds) ?? .max
    }

    /// Waits before the next try.
    ///
    /// - Parameters:
    ///   - pause: how to wait; returns whether it was as long as it should be.
    ///   - holder: looks up whom it waits for. Expensive.
    /// - Throws: `lockHeld` when the time is over.
    mutating func pause(
        by pause: (_ microseconds: Int64) -> Bool = pauseThread, for holder: () -> LockHolder
    ) throws(KeyValueError) {
        guard waited < limit else { throw .lockHeld(path: path, by: holder()) }
        let length = min(nextPause, limit - waited)
        if pause(length) {
            waited += length
            nextPause = min(nextPause * 2, Self.longestPause)
        }
        if waited >= Self.reportedAfter, !hasReported {
            hasReported = true
            if let onWait = wait.onWait { onWait(holder()) }
        }
    }

    /// Begins with short pauses again, since it waits for something else now.
    mutating func shortenPauses() { nextPause = Self.firstPause }

    private static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if overflows { return seconds < 0 ? 0 : .max }
        return max(0, product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue)
    }
}
