import Foundation
import GRDB

/// The same names in a table of SQLite by GRDB, with an index over their lower-case form.
struct GRDBNames {
    private let pool: DatabasePool

    private struct Row: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "named"

        var id: Int64
        var name: String
        var folded: String
    }

    /// Opens it, and fills it in one transaction if it is empty.
    init(path: String, names: [String]) throws {
        pool = try DatabasePool(path: path)
        try pool.write { database in
            guard try !database.tableExists("named") else { return }
            try database.execute(sql: "CREATE TABLE named (id INTEGER PRIMARY KEY, name TEXT, folded TEXT)")
            for (number, name) in names.enumerated() {
                try Row(id: Int64(number), name: name, folded: name.lowercased()).insert(database)
            }
            try database.execute(sql: "CREATE INDEX namedByFolded ON named (folded)")
        }
    }

    /// Returns the names that begin with a text, in their order.
    func names(beginning text: String) throws -> [String] {
        let start = text.lowercased()
        return try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT id, name, folded FROM named WHERE folded >= ? AND folded < ? ORDER BY folded")
            return try Row.fetchAll(statement, arguments: [start, start + "\u{10FFFF}"]).map(\.name)
        }
    }

    func close() throws { try pool.close() }
}
