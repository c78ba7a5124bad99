import CivilTime
import Injection
import KeyValue

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Opens for reading only: nothing is ever written, and a missing store is not created.
    public var isReadOnly: Bool
    /// Whether a missing store is created.
    public var createIfMissing: Bool
    /// The size that the store may never grow beyond, in bytes.
    public var sizeCeiling: Int
    /// How much of the change log is kept.
    public var retention: ChangeLogRetention
    /// When a write that failed for a passing reason is tried again. Only asynchronous writes are: the synchronous one has
    /// nothing to wait with but its caller's thread.
    public var retries: RetryPolicy
    /// How long to wait for other processes that write to the store or open it. Where this process has the store open already, that
    /// of the first opening holds.
    public var lockWait: LockWait
    /// The address space that a new store begins with, in bytes; the crash lab makes it small to see it grow.
    package var initialMapSize = 1 << 30
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()

    /// How many rows a pending list has before their keys are put into the index; the labs make it small.
    package var pendingListLimit = PendingListRow.limit

    /// When this process commits through the commit log.
    package var commitLog = CommitLogUse.standard

    /// Reading and writing, created when missing, up to 1 TiB.
    public init(
        isReadOnly: Bool = false, createIfMissing: Bool = true, sizeCeiling: Int = 1 << 40,
        retention: ChangeLogRetention = ChangeLogRetention(), retries: RetryPolicy = .standard,
        lockWait: LockWait = .unlimited
    ) {
        self.isReadOnly = isReadOnly
        self.createIfMissing = createIfMissing
        self.sizeCeiling = sizeCeiling
        self.retention = retention
        self.retries = retries
        self.lockWait = lockWait
    }

    /// Every commit is a direct one: where each call is counted or made to fail, and where nothing may depend on real time, after which
    /// a process leaves logged mode.
    package static var direct: StoreOptions {
        var options = StoreOptions()
        options.commitLog = .never
        return options
    }

    func configuration(in context: Context) -> EnvironmentConfiguration {
        var configuration = EnvironmentConfiguration(
            initialMapSize: initialMapSize, mapSizeCeiling: sizeCeiling, isReadOnly: isReadOnly)
        configuration.lockWait = lockWait
        configuration.injectionPoint = injectionPoint
        configuration.commitLog = commitLog
        configuration.olderProgramGuard = StoreManifest.olderProgramGuard
        configuration.commitLog.now = { context.clock.monotonic.microseconds }
        let random = context.random.branch()
        configuration.commitLog.draw = { random.next() }
        return configuration
    }
}

/// When a write that failed for a passing reason is tried again (requirement S-41).
///
/// A retry runs the entire transaction again, including its closure. It follows errors of the kind transient and a full
/// disk, where space may become free; never a failed flush, damage, or an error that the closure threw.
public struct RetryPolicy: Sendable, Equatable {
    /// The wait before each new try, in microseconds of the monotonic clock. As many tries follow the first one.
    public var delaysInMicroseconds: [Int64]
    /// A clock that blocks the thread, for programs that run one command: then synchronous writes are retried, too. Nil to
    /// wait by the store's clock without blocking.
    package var clock: (any BlockingTimeSource)?
    /// With a clock that blocks: the time after the first try in which the last one begins, in microseconds.
    package static let limit: Int64 = 3_000_000

    /// A policy of these waits.
    public init(delaysInMicroseconds: [Int64]) {
        self.delaysInMicroseconds = delaysInMicroseconds
    }

    /// Three new tries, after half a second, one second and one and a half.
    public static let standard = RetryPolicy(delaysInMicroseconds: [500_000, 1_000_000, 1_500_000])

    /// Reports the first failure at once.
    public static let none = RetryPolicy(delaysInMicroseconds: [])

    /// For a program that runs one command: six new tries within three seconds.
    package static func blocking(by clock: any BlockingTimeSource) -> RetryPolicy {
        var policy = RetryPolicy(delaysInMicroseconds: [50_000, 100_000, 200_000, 400_000, 800_000, 1_200_000])
        policy.clock = clock
        return policy
    }

    /// Whether two policies wait the same times, in the same way.
    public static func == (left: Self, right: Self) -> Bool {
        left.delaysInMicroseconds == right.delaysInMicroseconds && (left.clock == nil) == (right.clock == nil)
    }

    /// Runs a piece of work like the asynchronous version if there is a clock that blocks, and once otherwise.
    ///
    /// - Throws: the last failure.
    package func runBlocking<Result>(_ work: () throws -> Result) throws -> Result {
        guard let clock else { return try work() }
        let end = clock.monotonic.advanced(byMicroseconds: Self.limit)
        for delay in delaysInMicroseconds {
            do {
                return try work()
            } catch {
                let next = clock.monotonic.advanced(byMicroseconds: delay)
                guard Self.mayPass(error), next <= end else { throw error }
                clock.block(until: next)
            }
        }
        return try work()
    }

    /// Runs a piece of work until it succeeds, fails for a reason that will not pass, or has failed for the last time.
    /// Others may write during the waits.
    ///
    /// - Throws: the last failure; `CancellationError` when the task is cancelled while it waits.
    func run<Result>(
        on clock: any TimeSource, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async throws -> Result {
        // A blocking clock is there because the store's may stand still.
        let clock: any TimeSource = self.clock ?? clock
        let end = self.clock?.monotonic.advanced(byMicroseconds: Self.limit)
        for delay in delaysInMicroseconds {
            do {
                return try await work()
            } catch {
                let next = clock.monotonic.advanced(byMicroseconds: delay)
                guard Self.mayPass(error), end.map({ next <= $0 }) ?? true else { throw error }
                try await clock.sleep(until: next)
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
