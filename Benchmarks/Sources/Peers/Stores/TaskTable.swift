/// The table of both peers on SQLite: a column a field, and an index for each query, as GRDB's guide advises.
enum TaskTable {
    static let schema = """
        CREATE TABLE task (
            id BLOB PRIMARY KEY NOT NULL, text TEXT NOT NULL, state INTEGER NOT NULL, createdAt INTEGER NOT NULL,
            updatedAt INTEGER NOT NULL, completedAt INTEGER, completedZone TEXT, completedOffsetSeconds INTEGER,
            day INTEGER, position INTEGER NOT NULL, notes TEXT, category TEXT,
            completionEpoch INTEGER NOT NULL DEFAULT 0, dueAt INTEGER, dueIsAllDay INTEGER NOT NULL DEFAULT 1,
            reminderAt INTEGER, listID BLOB, listOrder INTEGER NOT NULL DEFAULT 0, region INTEGER NOT NULL DEFAULT 0,
            bucket INTEGER NOT NULL DEFAULT 0, planOrder INTEGER NOT NULL DEFAULT 0,
            autoCarry INTEGER NOT NULL DEFAULT 0, isSticky INTEGER NOT NULL DEFAULT 0, expiresAt INTEGER,
            archivedAt INTEGER, isRecurring INTEGER NOT NULL DEFAULT 0, recurringPattern TEXT,
            parentRecurringID BLOB, carriedFromDay INTEGER, carryCount INTEGER NOT NULL DEFAULT 0, extra TEXT
        );
        CREATE INDEX task_day ON task (day, state, position) WHERE archivedAt IS NULL;
        CREATE INDEX task_state ON task (state, createdAt);
        CREATE INDEX task_reminder ON task (reminderAt)
            WHERE reminderAt IS NOT NULL AND archivedAt IS NULL AND state < 2;
        CREATE INDEX task_completed ON task (completedAt) WHERE completedAt IS NOT NULL;
        """

    /// An FTS5 index of the words of texts and notes, of the tasks that are there and of those that are inserted from now on, as
    /// FTS5's documentation shows it.
    static let wordIndex = """
        CREATE VIRTUAL TABLE words USING fts5(text, notes, content='task', content_rowid='rowid',
            tokenize="unicode61 remove_diacritics 2");
        INSERT INTO words(words) VALUES ('rebuild');
        CREATE TRIGGER wordsOfNewTask AFTER INSERT ON task BEGIN
            INSERT INTO words(rowid, text, notes) VALUES (new.rowid, new.text, new.notes);
        END
        """

    /// Each state's group of a day has its own end, found by one step in the index.
    static func edge(_ function: String, where condition: String = "") -> String {
        let groups = (0...2).map {
            "SELECT \(function)(position) AS p FROM task WHERE day = ?1 AND state = \($0) AND archivedAt IS NULL"
                + condition
        }
        return "SELECT \(function)(p) FROM (\(groups.joined(separator: " UNION ALL ")))"
    }
}
