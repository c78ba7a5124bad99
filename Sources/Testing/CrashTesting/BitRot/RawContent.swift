import KeyValue
import Tasks

/// Everything that can be seen of a store through LMDB alone: each entry by its place and by its key, and what LMDB counts.
struct RawContent: Equatable, Sendable {
    private(set) var digest: UInt64 = 0
    /// How many pages LMDB says that each table has: no reader depends on it.
    private(set) var pageCounts: [Int] = []
    /// Entries that a walk comes by and a search does not find, or finds with another value.
    private(set) var lost = 0

    /// Reads a store whose folder nobody has open.
    init(of path: String) throws {
        var configuration = EnvironmentConfiguration()
        configuration.isReadOnly = true
        let environment = try Environment.open(at: path, configuration: configuration)
        defer { environment.close() }
        let tables = try environment.openTables(TaskList.schema.tableNames)
        try environment.read { transaction in
            var digest = ContentDigest()
            var running = RunningDigest(seed: 5)
            for table in tables {
                try digest.take(table, in: transaction)
                running.mix(try transaction.entryCount(of: table))
                pageCounts.append(try transaction.pageCount(of: table))
                try transaction.withCursor(over: table) { cursor in
                    var isOnEntry = try cursor.moveToFirst()
                    while isOnEntry {
                        let isFound = try cursor.withEntry { key, value in
                            try transaction.get(key, in: table) { $0.isEqual(to: value) } ?? false
                        }
                        if !isFound { lost += 1 }
                        isOnEntry = try cursor.moveToNext()
                    }
                }
            }
            running.mix(digest.value)
            self.digest = running.value
        }
    }
}
