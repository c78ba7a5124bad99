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
