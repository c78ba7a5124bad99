import Threading

/// One queued write closure and the caller that waits for it.
class WriteJob: @unchecked Sendable {  // touched by the writer thread alone once it has been taken from the queue
    /// Runs alone, with the reserve beyond the ceiling: for closures that free space.
    let reclaims: Bool

    init(reclaims: Bool) {
        self.reclaims = reclaims
    }

    /// Runs the closure and keeps its result; rethrows its error.
    func run(_ transaction: consuming RawWriteTransaction) throws {}

    /// Resumes the caller with the closure's result.
    func succeed() {}

    /// Resumes the caller with an error.
    func fail(_ error: any Error) {}
}

/// A job whose result has a type.
final class TypedWriteJob<Result: Sendable>: WriteJob, @unchecked Sendable {
    private let body: @Sendable (consuming RawWriteTransaction) throws -> Result
    private var result: Result?
    /// Set before the job is queued. The thread that takes it out of the guarded queue resumes the caller.
    private var caller: CheckedContinuation<Result, any Error>?

    init(reclaims: Bool, _ body: @escaping @Sendable (consuming RawWriteTransaction) throws -> Result) {
        self.body = body
        super.init(reclaims: reclaims)
    }

    func wait(with continuation: CheckedContinuation<Result, any Error>) {
        caller = continuation
    }

    override func run(_ transaction: consuming RawWriteTransaction) throws {
        result = try body(transaction)
    }

    override func succeed() {
        guard let result else {
            return fail(KeyValueError.system(operation: "complete a write", code: 0))
        }
        takeCaller()?.resume(returning: result)
    }

    override func fail(_ error: any Error) {
        takeCaller()?.resume(throwing: error)
    }

    private func takeCaller() -> CheckedContinuation<Result, any Error>? {
        defer { caller = nil }
        return caller
    }
}

/// A job whose caller blocks its thread until the job is done: for code that must not use Swift's concurrency.
final class BlockingWriteJob: WriteJob, @unchecked Sendable {  // the answer is guarded by the monitor
    private let body: @Sendable (consuming RawWriteTransaction) throws -> Void
    private let monitor = Monitor()
    private var answer: Result<Void, any Error>?

    init(_ body: @escaping @Sendable (consuming RawWriteTransaction) throws -> Void) {
        self.body = body
        super.init(reclaims: false)
    }

    /// Waits until the closure is durable or refused.
    func wait() -> Result<Void, any Error> {
        monitor.withLock {
            while true {
                if let answer { return answer }
                monitor.wait()
            }
        }
    }

    override func run(_ transaction: consuming RawWriteTransaction) throws {
        try body(transaction)
    }

    override func succeed() { settle(.success(())) }

    override func fail(_ error: any Error) { settle(.failure(error)) }

    /// The first result counts, as for every job.
    private func settle(_ result: Result<Void, any Error>) {
        monitor.withLock {
            if answer == nil { answer = result }
            monitor.wakeAll()
        }
    }
}
