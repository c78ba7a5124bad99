import KeyValue

extension Store {
    /// Derives every index, roll-up and count again from the records, in one transaction.
    ///
    /// Records that are damaged are set aside, so that everything else works again; the damaged part of the change log is
    /// removed, with all before it. The report names what a backup has to bring back.
    public func rebuild() async throws -> RebuildReport {
        try await write(reclaims: true) { [self] transaction in
            try Rebuild(schema: schema).repairAll(of: self, in: transaction)
        }
    }

    /// A transaction outside the writer's thread, for the work of opening.
    func maintenanceTransaction(_ engine: consuming KeyValue.WriteTransaction) -> WriteTransaction {
        WriteTransaction(
            schema: schema, context: context, identifiers: identifiers, label: ChangeLabel(), retention: retention,
            oldestNeeded: 0, continuing: nil, engine: engine)
    }
}
