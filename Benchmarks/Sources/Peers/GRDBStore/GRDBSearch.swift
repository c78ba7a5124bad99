import Daybook
import FoundationEssentials
import GRDB

/// The same texts in the peers' table of tasks by GRDB, with an FTS5 index.
struct GRDBSearch {
    private let pool: DatabasePool

    /// Creates it with the texts, in transactions of ten thousand, and builds the index at the end.
    init(path: String, texts: SearchTexts) throws {
        pool = try DatabasePool(path: path)
        try pool.write { database in
            try database.execute(sql: TaskTable.schema)
            try database.execute(
                sql: """
                    CREATE VIRTUAL TABLE words USING fts5(text, content='task', content_rowid='rowid',
                        tokenize="unicode61 remove_diacritics 2")
                    """)
        }
        for start in stride(from: 0, to: texts.count, by: 10_000) {
            try pool.write { database in
                for number in start..<min(start + 10_000, texts.count) {
                    let task = TaskItem(
                        id: texts.id(number), text: texts.text(number), createdAt: texts.createdAt(number))
                    try TaskFields(task).insert(database)
                }
            }
        }
        try pool.write { database in
            try database.execute(sql: "INSERT INTO words(words) VALUES ('rebuild')")
            try database.execute(sql: "INSERT INTO words(words) VALUES ('optimize')")
        }
    }

    /// Reads the tasks that match, the newest first.
    func find(_ match: String, limit: Int) throws -> [UUID] {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT task.* FROM words JOIN task ON task.rowid = words.rowid
                    WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT ?
                    """)
            return try TaskFields.fetchAll(statement, arguments: [match, limit]).map(\.id)
        }
    }

    func close() throws { try pool.close() }
}
