/// The names of contestants, in the order of the tables' columns.
enum Contestants {
    static let daybook = "Daybook"
    static let direct = "Daybook, direct commits"
    static let awaited = "Daybook, awaited"
    static let grdb = "GRDB"
    static let numbered = "GRDB, numbered columns"
    static let words = "GRDB with FTS5"
    static let sqlite = "SQLite in C"
    static let wordsInC = "SQLite in C with FTS5"
    static let lmdb = "LMDB in C"
    static let json = "JSON file"
    static let disk = "one 4 KiB write, flushed"
    static let nothing = "a process that does nothing"
    static let fixed = "Daybook, static"
    static let taskwarrior = "Taskwarrior"
    static let jrnl = "jrnl"
    static let vacuum = "SQLite, `VACUUM INTO` and zstd"
    static let copy = "`mdb_copy -c` and zstd"
    static let identities = "the ids' random bits"
    static let texts = "texts and notes alone, zstd"

    /// What a row says that compares a create with a peer that does as much.
    static let alike = "an index of words in both"

    static let all = [
        daybook, direct, awaited, fixed, grdb, numbered, words, sqlite, wordsInC, lmdb, json, taskwarrior, jrnl, disk,
        nothing, vacuum, copy, identities, texts,
    ]
}
