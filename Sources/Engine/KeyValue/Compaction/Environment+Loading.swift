extension Environment {
    /// Begins a new data file with all tables of the store, and with the entries that these have now: for filling it while
    /// others use the store, and putting it into the store's place at the end.
    ///
    /// - Parameter accepts: called with the number of entries of each table; false ends it.
    /// - Returns: nil when a table was not accepted, when another bulk load of this store is going on, and when no file can be
    ///   created in its folder.
    package func beginReplacement(
        accepting accepts: (_ table: Table, _ entryCount: Int) -> Bool
    ) throws -> DataFileReplacement? {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        if hasStoppedWriting { throw KeyValueError.writingStopped }
        let names = try read { try $0.tableNames() }
        let tables = try handle.openPresentTables(names)
        let replacement: DataFileReplacement
        do {
            replacement = try DataFileReplacement(of: self, in: StoreFolder.loadingFolder, tableCount: names.count)
        } catch KeyValueError.notAStore, KeyValueError.permissionDenied, KeyValueError.readOnlyFileSystem {
            // In a folder in which nothing can be created, the data file may be writable all the same.
            return nil
        }
        let targets = try replacement.draft.openTables(names)
        let state = try handle.beginRead()
        defer { handle.endRead(state) }
        let reads = RawReadTransaction(viewing: state, lease: state.lease)
        // Otherwise someone has written in between.
        guard try reads.number == replacement.transaction else { return nil }
        for table in tables {
            guard try accepts(table, reads.entryCount(of: table)) else { return nil }
        }
        do {
            try replacement.copy(tables, to: targets, in: state) { _, _, _ in }
        } catch {
            throw replacement.located(error)
        }
        return replacement
    }

    /// Puts a finished data file in the place of the store's own one, if nobody has written to the store since the new one
    /// was begun. It is durable then, and every read transaction that begins later sees it; those of this process that
    /// are open have to end first.
    ///
    /// - Returns: false when somebody has.
    package func exchange(for replacement: DataFileReplacement) throws -> Bool {
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        defer { replacement.abandon() }
        do {
            try replacement.draft.finish()
        } catch {
            throw replacement.located(error)
        }
        let names = try read { try $0.tableNames() }
        let tables = try handle.openPresentTables(names)
        // The new file gets the number of the old one's last transaction.
        var expected = replacement.transaction
        let needed = try replacement.lastTransaction
        while expected < needed, statistics.lastTransaction == expected {
            try raiseTransaction(in: tables)
            expected += 1
        }
        if hasStoppedWriting { throw KeyValueError.writingStopped }
        // Holds LMDB's lock for writers, but writes nothing.
        let state = try handle.beginWrite()
        do {
            defer { handle.abort(state) }
            guard statistics.lastTransaction == expected else { return false }
            try replacement.number()
            try replacement.exchange()
        } catch KeyValueError.commitUnknown(let code) {
            writer.markBroken()
            throw KeyValueError.commitUnknown(code: code)
        } catch {
            throw replacement.located(error)
        }
        handle.followCompactionIfIdle()
        // A read transaction that begins now must not see the old file. Of this process: a write waits until that is closed.
        // Of others, and for observers: they notice commits by their numbers. The next commit makes up for a failure.
        try? raiseTransaction(in: tables)
        return true
    }

    /// Whether anybody has written since a new data file was begun, so that it cannot take the old one's place any more.
    package func isOutdated(_ replacement: DataFileReplacement) -> Bool {
        statistics.lastTransaction != replacement.transaction
    }
}
