import Injection

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Environment {
    /// Rewrites the data file, so that it holds nothing but the entries that are there now: no free pages, and nothing of
    /// former entries between the present ones.
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
            let needed = Compaction.transactionLimit(for: statistics)
            while statistics.lastTransaction < needed { try raiseTransaction(in: tables) }
            if hasStoppedWriting { throw KeyValueError.writingStopped }
            // Holds LMDB's lock for writers, but writes nothing.
            let state = try handle.beginWrite()
            let result: (bytesBefore: Int, bytesAfter: Int)?
            do {
                defer { handle.abort(state) }
                let isComplete =
                    try RawReadTransaction(viewing: state, lease: state.lease).tableNames() == names
                    && statistics.lastTransaction >= Compaction.transactionLimit(for: statistics)
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
    private func raiseTransaction(in tables: [Table]) throws {
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
    private let folder: StoreFolder
    private let draftFolder: StoreFolder

    /// How many bytes of entries one transaction of the draft takes: bounds its memory.
    private static let bytesInTransaction = 16 << 20

    init(of environment: Environment, _ tables: [Table], in state: TransactionState) {
        self.environment = environment
        self.tables = tables
        self.state = state
        folder = StoreFolder(path: environment.path)
        draftFolder = StoreFolder(path: "\(environment.path)/\(StoreFolder.compactionFolder)")
    }

    /// The most transactions that a draft can take. The new file gets the number of the old file's last transaction, which
    /// must not be smaller, since its free list has the numbers of the draft's.
    static func transactionLimit(for statistics: EnvironmentStatistics) -> UInt64 {
        UInt64(statistics.usedBytes / bytesInTransaction) + 2
    }

    func run(
        _ check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws -> (bytesBefore: Int, bytesAfter: Int) {
        let bytesBefore = folder.fileLength(StoreFolder.dataFile) ?? 0
        let (draft, lock) = try begin()
        do {
            let targets = try draft.openTables(tables.map(\.name))
            try copy(to: targets, of: draft, check)
            try compare(with: targets, of: draft)
            guard try draft.pageProblems().all.isEmpty else { throw damage("the new file was not written correctly") }
            try draft.finish()
            try number()
        } catch {
            draft.abandon()
            draftFolder.remove()
            throw Self.located(error, at: environment.path)
        }
        try exchange(unlocking: lock)
        return (bytesBefore, folder.fileLength(StoreFolder.dataFile) ?? 0)
    }

    /// Creates the draft. A process that opens the store leaves it alone while its folder is locked.
    private func begin() throws(KeyValueError) -> (DraftEnvironment, LockHolder) {
        let gate = try folder.gate()
        defer { withExtendedLifetime(gate) {} }
        try folder.finishCompaction()
        let draft = try DraftEnvironment(at: draftFolder.path, files: [:], configuration: draftConfiguration)
        return (draft, LockHolder(lock: try FileLock(draftFolder.path, .exclusive, waits: true)))
    }

    /// The lock on the draft's folder, until it is released.
    private final class LockHolder {
        var lock: FileLock?

        init(lock: FileLock?) {
            self.lock = lock
        }
    }

    private var draftConfiguration: EnvironmentConfiguration {
        var configuration = environment.configuration
        configuration.injectionPoint = ArmedInjectionPoints()
        configuration.tableLimit = max(configuration.tableLimit, tables.count)
        // A store that grew into the reserve beyond its ceiling.
        configuration.mapSizeCeiling = max(configuration.mapSizeCeiling, environment.statistics.mapSize)
        return configuration
    }

    // MARK: Content

    /// The entry to copy next: the first one of a table, or the one after a key.
    private struct Place {
        var table = 0
        var key: [UInt8]?
        var count = 0
    }

    private func copy(
        to targets: [Table], of draft: DraftEnvironment,
        _ check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws {
        var place = Place()
        while place.table < tables.count {
            // The closure runs again when the map had to grow: nothing outside of it may change before its end.
            let start = place
            place = try draft.write { transaction in
                try copy(from: start, to: targets, in: transaction, check)
            }
        }
    }

    /// Copies as many entries as one transaction takes.
    private func copy(
        from start: Place, to targets: [Table], in transaction: borrowing RawWriteTransaction,
        _ check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws -> Place {
        var place = start
        var byteCount = 0
        while place.table < tables.count {
            let (source, target) = (tables[place.table], targets[place.table])
            var cursor = try Cursor(over: source, state: state, lease: state.lease)
            var isOnEntry: Bool
            if let key = place.key {
                isOnEntry = try unsafe cursor.seek(key.span.bytes) && cursor.moveToNext()
            } else {
                isOnEntry = try cursor.moveToFirst()
            }
            while isOnEntry {
                byteCount += try cursor.withEntry { key, value in
                    try check(source, key, value)
                    try transaction.append(key, value, in: target)
                    return key.byteCount + value.byteCount
                }
                place.count += 1
                if byteCount >= Self.bytesInTransaction {
                    place.key = try cursor.key()
                    return place
                }
                isOnEntry = try cursor.moveToNext()
            }
            guard try place.count == source.entryCount(in: state) else {
                throw damage("\(source.name): its entries are not as many as its head says")
            }
            place = Place(table: place.table + 1)
        }
        return place
    }

    /// Reads all entries of both files again.
    private func compare(with targets: [Table], of draft: DraftEnvironment) throws {
        try draft.read { transaction in
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
                guard isEqual else { throw damage("\(source.name): its copy differs") }
            }
        }
    }

    private func damage(_ detail: String) -> KeyValueError { .damaged(path: environment.path, detail: detail) }

    /// Damage is reported of the store, not of a temporary folder.
    private static func located(_ error: any Error, at path: String) -> any Error {
        if case .damaged(_, let detail)? = error as? KeyValueError {
            return KeyValueError.damaged(path: path, detail: detail)
        }
        return error
    }

    // MARK: Files

    /// Makes the new file one that can take the old one's place while other processes have that open: with the same number
    /// of the last transaction, which LMDB's lock file has, and the same owner and permissions.
    private func number() throws {
        let file = "\(draftFolder.path)/\(StoreFolder.dataFile)"
        var old = stat()
        var new = stat()
        guard unsafe stat(environment.handle.dataFile, &old) == 0, unsafe stat(file, &new) == 0 else {
            throw KeyValueError.refused("look at the data file", code: errno)
        }
        let hasSameOwner = old.st_uid == new.st_uid && old.st_gid == new.st_gid
        guard unsafe hasSameOwner || chown(file, old.st_uid, old.st_gid) == 0,
            unsafe old.st_mode == new.st_mode || chmod(file, old.st_mode & 0o7777) == 0
        else { throw KeyValueError.permissionDenied(path: file) }
        // Flushes them as well.
        try MetaPage.renumber(file, as: environment.statistics.lastTransaction)
    }

    /// Puts the new file in the old one's place. Nobody can write to it before its name is durable: writers wait for the
    /// lock, and a process that opens the store after this one was killed here finds the draft's folder.
    private func exchange(unlocking holder: LockHolder) throws {
        let gate = try folder.gate()
        defer { withExtendedLifetime(gate) {} }
        // Before the gate: the next process to open the store has to complete what was begun.
        defer { holder.lock = nil }
        guard FolderIdentity(path: folder.path) == environment.identity else {
            draftFolder.remove()
            throw KeyValueError.storeNotFound(path: folder.path)
        }
        let file = "\(draftFolder.path)/\(StoreFolder.dataFile)"
        guard unsafe rename(file, environment.handle.dataFile) == 0 else {
            let code = errno
            draftFolder.remove()
            throw KeyValueError.refused("put the compacted file in its place", code: code)
        }
        do {
            if !environment.configuration.injectionPoint(.skipsCompactionFlush) { try folder.flush() }
        } catch {
            throw KeyValueError.commitUnknown(code: errno)
        }
        draftFolder.remove()
    }
}

extension Table {
    fileprivate func entryCount(in state: TransactionState) throws(KeyValueError) -> Int {
        try RawReadTransaction(viewing: state, lease: state.lease).entryCount(of: self)
    }
}
