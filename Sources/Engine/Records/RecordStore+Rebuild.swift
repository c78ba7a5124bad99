import KeyValue

extension RecordStore {
    /// Derives every index, roll-up and count again from the records, in one transaction.
    ///
    /// Records that are damaged are set aside, so that everything else works again; the damaged part of the change log is
    /// removed, with all before it. The report names what a backup has to bring back.
    ///
    /// - Throws: `damaged` when the result is not sound, as it can be when LMDB's own pages are damaged in a bad place.
    ///   Nothing was changed then.
    public func rebuild() async throws -> RebuildReport {
        try await write(reclaims: true) { try self.rebuild(in: $0) }
    }

    /// The same for programs that do not use concurrency: on the calling thread, without `await`.
    @discardableResult
    public func rebuild() throws -> RebuildReport {
        try write(reclaims: true) { try rebuild(in: $0) }
    }

    private func rebuild(in transaction: WriteTransaction) throws -> RebuildReport {
        // Emptying a table gives its pages away, and those of a wrong page number are another's.
        if let problem = try pageProblems().ofOwnership.first { throw unrepairable(problem) }
        let before = try environment.beginRead()
        let report = try Rebuild(schema: schema).repairAll(of: self, as: before, in: transaction)
        // Pages that LMDB takes for free may be those of another table. A repair that makes things worse is none.
        var audit = Audit(asksRecords: false)
        try transaction.withEngine { try verifyRecords(into: &audit, in: $0) }
        if let problem = audit.report.problems.first {
            throw unrepairable(problem)
        }
        return report
    }

    private func unrepairable(_ problem: String) -> RecordsError {
        .engine(.damaged(path: path, detail: "rebuild cannot repair it: \(problem); export into a new store"))
    }

    /// A transaction outside the writer's thread, for the work of opening.
    func maintenanceTransaction(_ engine: consuming RawWriteTransaction) -> WriteTransaction {
        WriteTransaction(
            schema: schema, context: context, identifiers: identifiers, label: ChangeLabel(), retention: retention,
            oldestNeeded: 0, continuing: nil, engine: engine)
    }
}
