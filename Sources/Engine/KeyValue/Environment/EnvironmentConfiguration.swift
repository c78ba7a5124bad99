import Injection

/// How an environment is opened. The defaults are right for every application; tests make things small.
public struct EnvironmentConfiguration: Sendable {
    /// Address space reserved when a store is created, in bytes. Sparse: it costs no disk and no memory.
    public var initialMapSize: Int
    /// The size that the store may never grow beyond, in bytes. At the ceiling writes fail as `storageFull`.
    public var mapSizeCeiling: Int
    /// How many read transactions may be open at once, over all processes.
    public var readerSlots: Int
    /// How many tables the store may hold.
    public var tableLimit: Int
    /// Whether the environment may write.
    public var isReadOnly: Bool
    /// How long to wait for other processes that write to the store or open it.
    public var lockWait = LockWait.unlimited
    /// The fault injection points that are armed; none outside of tests and labs.
    package var injectionPoint = ArmedInjectionPoints()
    /// When this process commits through the commit log.
    package var commitLog = CommitLogUse.standard
    /// What keeps older programs from a store with a commit log; nil where none would open it.
    package var olderProgramGuard: OlderProgramGuard?
    /// The checks that reading leaves out; none outside of tests.
    package var pageChecksLeftOut: PageChecks = []
    /// When writes check the rest of a table.
    package var tableCheckPace = TableCheckPace()

    /// Reserves 1 GiB at first, up to 1 TiB, with 1,024 reader slots and 128 tables.
    public init(
        initialMapSize: Int = 1 << 30,
        mapSizeCeiling: Int = 1 << 40,
        readerSlots: Int = 1024,
        tableLimit: Int = 128,
        isReadOnly: Bool = false
    ) {
        self.initialMapSize = min(initialMapSize, mapSizeCeiling)
        self.mapSizeCeiling = mapSizeCeiling
        self.readerSlots = readerSlots
        self.tableLimit = tableLimit
        self.isReadOnly = isReadOnly
    }
}

/// Sizes and counts of an environment, as LMDB keeps them. Read in constant time.
public struct EnvironmentStatistics: Sendable, Equatable {
    /// Address space reserved for the store, in bytes.
    public let mapSize: Int
    /// Bytes of the file that hold pages, free ones included.
    public let usedBytes: Int
    /// Bytes a page.
    public let pageSize: Int
    /// The number of the last committed transaction.
    public let lastTransaction: UInt64
    /// Reader slots in use, over all processes.
    public let readersInUse: Int
    /// Reader slots there are.
    public let readerSlots: Int
}

/// What a new store holds when it appears: its tables, first entries, and files beside LMDB's own.
public struct NewStoreContent: Sendable {
    /// An entry of a table.
    public struct Entry: Sendable {
        /// The table's name, one of `tables`.
        public let table: String
        /// The key's bytes.
        public let key: [UInt8]
        /// The value's bytes.
        public let value: [UInt8]

        /// An entry of a table.
        public init(table: String, key: [UInt8], value: [UInt8]) {
            self.table = table
            self.key = key
            self.value = value
        }
    }

    /// The names of the tables to create; at least one, since their commit makes the file durable.
    public var tables: [String]
    /// Entries that are there from the first moment.
    public var entries: [Entry]
    /// Files in the store's folder, by name.
    public var files: [String: [UInt8]]

    /// The content of a new store.
    public init(tables: [String], entries: [Entry] = [], files: [String: [UInt8]] = [:]) {
        self.tables = tables
        self.entries = entries
        self.files = files
    }
}
