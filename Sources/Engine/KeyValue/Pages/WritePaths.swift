/// Verifies the pages that LMDB's code is about to read and change in a write transaction, so that no byte of a file ends the
/// process.
///
/// LMDB copies a page before it changes it, so the pages of the last commit stay as they are until the transaction ends, and
/// every copy is of a page that was verified. They are searched here as readers search them, from the roots of that commit: see
/// `TablePath`.
///
/// A page is verified once while a store is open: see `VerifiedPages`. A table that is empty when it is first looked at has no page
/// to verify: LMDB writes all of them. Searching once more takes as long as LMDB's own search, so a store that writes for longer
/// verifies the rest of its small tables and searches these no more.
///
/// Only the one write transaction uses it. A structure: were its properties those of a class, the runtime would look for
/// conflicting accesses at each of them, which took a third of a search.
struct WritePaths {
    private let pace: TableCheckPace
    /// The state of the last commit.
    private var snapshot: ReadSnapshot?
    private var pages = VerifiedPages()
    /// By their numbers.
    private var tables: [TablePath] = []
    /// Counts the write transactions.
    private var transaction = 0
    private var mapSize = 0

    init(pace: TableCheckPace) {
        self.pace = pace
    }

    /// Begins with the state that a write transaction follows.
    ///
    /// - Parameters:
    ///   - number: the state's transaction.
    ///   - mapSize: of LMDB's map, which may be larger than the file.
    mutating func begin(in snapshot: ReadSnapshot, of number: UInt64, mapSize: Int) {
        self.snapshot = snapshot
        self.mapSize = mapSize
        transaction += 1
        pages.begin(in: snapshot.map, of: number)
    }

    /// Notes which pages were free before the first write.
    ///
    /// - Parameters:
    ///   - freePages: a bit for each page.
    ///   - end: the first page that the file did not have.
    ///   - state: the transaction of that state.
    mutating func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        pages.trust(freePages, end: end, in: state)
    }

    /// Verifies the pages that LMDB reads for an access.
    mutating func verify(
        _ access: TableAccess, to key: RawSpan, in table: Table, of store: EnvironmentHandle
    ) throws(KeyValueError) {
        let number = table.number
        // The list of tables was checked whole: see `EnvironmentHandle.checkLists(before:)`.
        guard number > Table.listNumber, !isVerified(table), let snapshot else { return }
        while tables.count <= number { tables.append(TablePath()) }
        if tables[number].transaction != transaction {
            tables[number].begin(transaction, at: try snapshot.headIfPresent(of: table, in: store))
        }
        do throws(PageDamage) {
            try tables[number].verify(access, to: key, in: &pages, pace)
        } catch {
            throw store.damage(error)
        }
    }

    /// Whether nothing of a table is left to verify.
    func isVerified(_ table: Table) -> Bool { table.number < tables.count && tables[table.number].isVerified }

    /// Whether LMDB, on an entry of its map, stays on the page when it moves on: nothing is read then that was not read before.
    func staysOnPage(_ key: UnsafeRawPointer?, isForward: Bool) -> Bool {
        guard let key = unsafe key else { return false }
        let offset = unsafe Int(bitPattern: key) - Int(bitPattern: pages.map.base)
        return 0..<mapSize ~= offset && pages.map.hasEntry(besideKeyAt: offset, isForward: isForward)
    }
}

/// What LMDB is about to do in a table.
enum TableAccess {
    case read
    case put
    case delete
    /// Moves a cursor to the first entry that is not before a key.
    case seek
    /// Moves a cursor from a key to another page.
    case move(isForward: Bool)
    case moveToEnd(isFirst: Bool)
    /// Frees all pages, or moves a cursor from an unknown place.
    case readAll
}

/// When the rest of a table, which is on no path, is verified: if it is so small that this costs less than the searches that are
/// to come.
package struct TableCheckPace: Sendable {
    /// After how many searches, since a program that writes once has no use for it.
    package var searchesBefore = 64
    /// How many pages a table may have: they are read in one transaction, which waits for the disk where they are not in memory.
    package var pagesAtMost: UInt64 = 64
}
