import CivilTime
import KeyValue

/// When a write that failed for a passing reason is tried again (requirement S-41).
///
/// Tried again is the whole transaction, closure and all. It is after an error that calls itself transient, and on a
/// full disk, where space may come free; never after a failed flush, on damage, or for what the closure threw of its own.
public struct RetryPolicy: Sendable, Equatable {
    /// The wait before each new try, in microseconds of the monotonic clock. As many tries follow the first one.
    public var delaysInMicroseconds: [Int64]

    /// A policy of these waits.
    public init(delaysInMicroseconds: [Int64]) {
        self.delaysInMicroseconds = delaysInMicroseconds
    }

    /// Three new tries, after half a second, one second and one and a half.
    public static let standard = RetryPolicy(delaysInMicroseconds: [500_000, 1_000_000, 1_500_000])

    /// The first failure is told at once.
    public static let none = RetryPolicy(delaysInMicroseconds: [])

    /// Runs a piece of work until it succeeds, fails for a reason that will not pass, or has failed for the last time.
    /// Others may write during the waits.
    ///
    /// - Throws: the last failure; `CancellationError` when the task is cancelled while it waits.
    func run<Result>(
        on clock: any TimeSource, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async throws -> Result {
        for delay in delaysInMicroseconds {
            do {
                return try await work()
            } catch {
                guard Self.mayPass(error) else { throw error }
                try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: delay))
            }
        }
        return try await work()
    }

    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as KeyValueError: error.isWorthRetrying
        case RecordsError.engine(let error): error.isWorthRetrying
        default: false
        }
    }
}
