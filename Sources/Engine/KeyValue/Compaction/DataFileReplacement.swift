import FileSystem
import Injection

/// A new data file that is built beside a store's present one and takes its place in one step (an atomic replace). A crash
/// leaves the old file or the new one, both complete.
///
/// Readers of all processes go on meanwhile; read transactions that are open continue in the old file, which goes away with
/// the last of them. Used from one thread at a time; releasing it without an exchange removes what was built.
package final class DataFileReplacement {
    /// What is being built.
    package let draft: DraftEnvironment
    /// The number of the last transaction of the store when this began.
    package let transaction: UInt64
    private let environment: Environment
    private let folder: StoreFolder
    private let draftFolder: StoreFolder
    private let draftName: String
    /// The store's folder, which may be moved meanwhile; nil when it cannot be kept open.
    private let place: OpenFolder?
    /// The lock on the draft's folder: a process that opens the store leaves a locked one alone.
    private var lock: FileLock?

    /// How many bytes of entries one transaction of the draft takes: bounds its memory.
    private static let bytesInTransaction = 16 << 20

    /// Creates the draft, in a folder inside the store's.
    ///
    /// - Throws: `notAStore` while another process builds a draft there.
    init(of environment: Environment, in name: String, tableCount: Int) throws(KeyValueError) {
        self.environment = environment
        folder = StoreFolder(path: environment.path)
        draftFolder = StoreFolder(path: "\(environment.path)/\(name)")
        draftName = name
        place = OpenFolder(environment.path)
        transaction = environment.statistics.lastTransaction
        let gate = try folder.gate(waiting: environment.configuration.lockWait)
        defer { withExtendedLifetime(gate) {} }
        try folder.removeDrafts()
        var configuration = environment.configuration
        configuration.injectionPoint = ArmedInjectionPoints()
        configuration.tableLimit = max(configuration.tableLimit, tableCount)
        // A store that grew into the reserve beyond its ceiling.
        configuration.mapSizeCeiling = max(configuration.mapSizeCeiling, environment.statistics.mapSize)
        draft = try DraftEnvironment(at: draftFolder.path, files: [:], configuration: configuration)
        lock = try FileLock.take(draftFolder.path, .exclusive, waits: true)
    }

    deinit {
        abandon()
    }

    /// Removes what was built.
    package func abandon() {
        guard lock != nil else { return }
        draft.abandon(removesFolder: !isMoved)
        removeDraft()
        lock = nil
    }

    /// Whether the store's folder is no longer where it was.
    private var isMoved: Bool { FileIdentity(ofFolder: folder.path) != environment.identity }

    /// Removes the draft where it is now: another store, with another draft, may have taken the place of this one.
    private func removeDraft() {
        if isMoved {
            place?.removeFolder(draftName)
        } else {
            draftFolder.remove()
        }
    }

    /// The most transactions that a draft of so many bytes can take. The new file gets the number of the old file's last
    /// transaction, which must not be smaller, since its free list has the numbers of the draft's.
    static func transactionLimit(for statistics: EnvironmentStatistics) -> UInt64 {
        UInt64(statistics.usedBytes / bytesInTransaction) + 2
    }

    // MARK: Content

    /// The entry to copy next: the first one of a table, or the one after a key.
    private struct Place {
        var table = 0
        var key: [UInt8]?
        var count = 0
    }

    /// Copies every entry of some tables of the store, as a transaction sees them.
    ///
    /// - Parameter check: called with every entry, perhaps more than once.
    func copy(
        _ tables: [Table], to targets: [Table], in state: TransactionState,
        _ check: (_ table: Table, _ key: RawSpan, _ value: RawSpan) throws -> Void
    ) throws {
        var place = Place()
        while true {
            // The closure runs again when the map had to grow: nothing outside of it may change before its end.
            let start = place
            place = try draft.write { transaction in
                try copy(tables, to: targets, from: start, in: state, transaction, check)
            }
            if place.table == tables.count { return }
            // All at once at the end, it would hold up the flushes of others.
            try draft.flush()
        }
    }

    /// Copies as many entries as one transaction takes.
    private func copy(
        _ tables: [Table], to targets: [Table], from start: Place, in state: TransactionState,
        _ transaction: borrowing RawWriteTransaction,
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
                    // How the page reader passes one that is not within its page.
                    guard key.byteCount > 0 else { throw damage("\(source.name): a page has an invalid layout") }
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

    func damage(_ detail: String) -> KeyValueError { .damaged(path: environment.path, detail: detail) }

    /// Damage is reported of the store, not of a temporary folder; and a folder that was moved, rather than the files that
    /// are missing where it was.
    func located(_ error: any Error) -> any Error {
        guard let problem = error as? KeyValueError, !problem.stopsWriting else { return error }
        if isMoved { return KeyValueError.storeMoved(path: folder.path) }
        if case .damaged(_, let detail) = problem { return damage(detail) }
        return error
    }

    // MARK: Files

    /// Makes the new file one that can take the old one's place while other processes have that open: with the same number
    /// of the last transaction, which LMDB's lock file has, and the same owner and permissions.
    func number() throws {
        let file = "\(draftFolder.path)/\(StoreFolder.dataFile)"
        try StoreFolder.giveOwner(of: environment.handle.dataFile, to: file)
        // Flushes them as well.
        try MetaPage.renumber(file, as: environment.statistics.lastTransaction)
    }

    /// The number of the last transaction of the draft, which was finished.
    var lastTransaction: UInt64 {
        get throws(KeyValueError) {
            try MetaPage.newest(in: "\(draftFolder.path)/\(StoreFolder.dataFile)").transaction
        }
    }

    /// Puts the new file in the old one's place. Nobody can write to it before its name is durable: writers wait for the
    /// lock, and a process that opens the store after this one was killed here finds the draft's folder.
    func exchange() throws {
        let gate = try folder.gate(waiting: environment.configuration.lockWait)
        defer { withExtendedLifetime(gate) {} }
        // Before the gate: the next process to open the store has to complete what was begun.
        defer { lock = nil }
        guard !isMoved else {
            removeDraft()
            throw KeyValueError.storeMoved(path: folder.path)
        }
        let file = "\(draftFolder.path)/\(StoreFolder.dataFile)"
        do throws(KeyValueError) {
            try systemCall(
                "put the new data file in its place", FileTree.move(file, to: environment.handle.dataFile))
        } catch {
            draftFolder.remove()
            throw error
        }
        do throws(KeyValueError) {
            if !environment.configuration.injectionPoint(.skipsCompactionFlush) { try folder.flush() }
        } catch {
            throw KeyValueError.commitUnknown(code: error.systemCode)
        }
        draftFolder.remove()
    }
}

extension Table {
    fileprivate func entryCount(in state: TransactionState) throws(KeyValueError) -> Int {
        try RawReadTransaction(viewing: state, lease: state.lease).entryCount(of: self)
    }
}
