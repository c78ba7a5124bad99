extension Environment {
    /// Rewrites the data file, so that it holds nothing but the entries that are there now: no free pages, and nothing of
    /// former entries between the present ones. The commit log becomes empty.
    ///
    /// The entries are copied one after another into a new file, which is compared with the old one, flushed, and then put
    /// in its place in one step (an atomic replace). A crash leaves the old file or the new one; both are complete. Writers
    /// of all processes wait meanwhile. Readers do not: read transactions that are open continue in the old file, which
    /// goes away with the last of them.
    ///
    /// - Parameter check: called with every entry. An error that it throws ends the compaction, and nothing is changed.
    /// - Returns: the length of the data file before and after, in bytes.
    /// - Throws: `damaged` when the tables are not sound; `commitUnknown` when the new file's name could not be flushed.
    @discardableResult
    package func compact(
        checking check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void = { _, _, _ in }
    ) throws -> (bytesBefore: Int, bytesAfter: Int) {
        guard !configuration.isReadOnly else { throw KeyValueError.readOnly }
        guard !MapGate.isNested else { throw KeyValueError.nestedWrite }
        while true {
            let names = try read { try $0.tableNames() }
            let tables = try handle.openPresentTables(names)
            let needed = DataFileReplacement.transactionLimit(for: statistics)
            while statistics.lastTransaction < needed { try raiseTransaction(in: tables) }
            if hasStoppedWriting { throw KeyValueError.writingStopped }
            // Holds LMDB's lock for writers, but writes nothing.
            let state = try handle.beginWrite()
            let result: (bytesBefore: Int, bytesAfter: Int)?
            do {
                defer { handle.abort(state) }
                // Before the exchange: then nothing has happened when it fails.
                try handle.commitLog?.empty()
                let isComplete =
                    try RawReadTransaction(viewing: state, lease: state.lease).tableNames() == names
                    && statistics.lastTransaction >= DataFileReplacement.transactionLimit(for: statistics)
                result = isComplete ? try Compaction(of: self, tables, in: state).run(check) : nil
            } catch KeyValueError.commitUnknown(let code) {
                writer.markBroken()
                throw KeyValueError.commitUnknown(code: code)
            }
            guard let result else { continue }
            // A process without another transaction would keep the old file, which has no name any more.
            handle.followCompactionIfIdle()
            return result
        }
    }

    /// Commits a transaction that changes nothing.
    func raiseTransaction(in tables: [Table]) throws {
        let spare: [UInt8] = [0]
        try write { transaction in
            for table in tables {
                let entry = try transaction.reads.withCursor(over: table) { cursor -> (key: [UInt8], value: [UInt8])? in
                    guard try cursor.moveToFirst() else { return nil }
                    return try cursor.withEntry { key, value in (key.copied, value.copied) }
                }
                guard let entry else { continue }
                return try unsafe transaction.put(entry.key.span.bytes, entry.value.span.bytes, in: table)
            }
            guard let table = tables.first else { throw KeyValueError.damaged(path: path, detail: "it has no table") }
            try unsafe transaction.put(spare.span.bytes, spare.span.bytes, in: table)
            try unsafe transaction.delete(spare.span.bytes, in: table)
        }
    }
}

/// One compaction, while the lock for writers is held.
struct Compaction {
    private let environment: Environment
    private let state: TransactionState
    private let tables: [Table]

    init(of environment: Environment, _ tables: [Table], in state: TransactionState) {
        self.environment = environment
        self.tables = tables
        self.state = state
    }

    func run(
        _ check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws -> (bytesBefore: Int, bytesAfter: Int) {
        let folder = StoreFolder(path: environment.path)
        let bytesBefore = folder.fileLength(StoreFolder.dataFile) ?? 0
        let replacement = try DataFileReplacement(
            of: environment, in: StoreFolder.compactionFolder, tableCount: tables.count)
        do {
            let targets = try replacement.draft.openTables(tables.map(\.name))
            try replacement.copy(tables, to: targets, in: state, check)
            try compare(with: targets, of: replacement)
            guard try replacement.draft.pageProblems().all.isEmpty else {
                throw replacement.damage("the new file was not written correctly")
            }
            try replacement.draft.finish()
            try replacement.number()
            try replacement.exchange()
        } catch {
            replacement.abandon()
            throw replacement.located(error)
        }
        return (bytesBefore, folder.fileLength(StoreFolder.dataFile) ?? 0)
    }

    /// Reads all entries of both files again.
    private func compare(with targets: [Table], of replacement: DataFileReplacement) throws {
        try replacement.draft.read { transaction in
            for (source, target) in zip(tables, targets) {
                var old = try Cursor(over: source, state: state, lease: state.lease)
                var isOnEntry = try old.moveToFirst()
                let isEqual = try transaction.withCursor(over: target) { new in
                    var isOnCopy = try new.moveToFirst()
                    while isOnEntry, isOnCopy {
                        let isSame = try new.withEntry { newKey, newValue in
                            try old.withEntry { key, value in key.isEqual(to: newKey) && value.isEqual(to: newValue) }
                        }
                        guard isSame else { return false }
                        isOnEntry = try old.moveToNext()
                        isOnCopy = try new.moveToNext()
                    }
                    return isOnEntry == isOnCopy
                }
                guard isEqual else { throw replacement.damage("\(source.name): its copy differs") }
            }
        }
    }
}
