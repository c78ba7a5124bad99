extension Environment {
    /// Runs closures on the writer thread, in order and in one commit, and returns when all are answered: for the crash
    /// lab, which forks and so must not use Swift's concurrency. Each has its own answer; one that throws leaves its
    /// neighbours alone.
    ///
    /// More than 1,024 closures take several commits; so do closures that do not fit into the map together. Others that
    /// wait for the writer may share the commit.
    package func writeTogether(
        _ bodies: [@Sendable (consuming RawWriteTransaction) throws -> Void]
    ) -> [Result<Void, any Error>] {
        func refusal(_ error: KeyValueError) -> [Result<Void, any Error>] { bodies.map { _ in .failure(error) } }
        guard !configuration.isReadOnly else { return refusal(.readOnly) }
        guard !MapGate.isNested else { return refusal(.nestedWrite) }
        let jobs = bodies.map(BlockingWriteJob.init)
        do {
            try writer.enqueue(jobs)
        } catch {
            return refusal(error)
        }
        return jobs.map { $0.wait() }
    }
}
