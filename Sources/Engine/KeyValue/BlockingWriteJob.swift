import Threading

/// A job whose caller blocks its thread until it is answered: for code that must not use Swift's concurrency.
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

    /// The first answer counts, as it does for every job.
    private func settle(_ result: Result<Void, any Error>) {
        monitor.withLock {
            if answer == nil { answer = result }
            monitor.wakeAll()
        }
    }
}
