import DiskRecording
import Glibc
import Threading

/// Runs asynchronous work on the calling thread alone: a forked child does not have Swift's own threads.
final class CallingThread: TaskExecutor {
    private let jobs = ForkSafeMutex<[UnownedJob]>([])
    /// A byte for each job, so that this thread can sleep until there is one.
    private let (sleeper, waker): (Int32, Int32)

    private init() throws(CrashLabError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(operation: "make a pipe", code: errno) }
        (sleeper, waker) = (ends[0], ends[1])
    }

    deinit {
        close(sleeper)
        close(waker)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        while write(waker, [1] as [UInt8], 1) < 0, errno == EINTR {}
    }

    /// Runs asynchronous work and returns its result.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
        let thread = try CallingThread()
        let outcome = Outcome<Result>()
        Task(executorPreference: thread) {
            do {
                let result = try await work()
                outcome.value.withLock { $0 = .success(result) }
            } catch {
                outcome.value.withLock { $0 = .failure(error) }
            }
        }
        while true {
            if let result = outcome.value.withLock({ $0 }) { return try result.get() }
            thread.nextJob()?.runSynchronously(on: thread.asUnownedTaskExecutor())
        }
    }

    private func nextJob() -> UnownedJob? {
        var byte: UInt8 = 0
        guard read(sleeper, &byte, 1) == 1 else { return nil }
        return jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = ForkSafeMutex<Result<Value, any Error>?>(nil)
    }
}
