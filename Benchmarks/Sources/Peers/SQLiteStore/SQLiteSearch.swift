import CSQLitePeer
import Daybook
import FoundationEssentials

/// Texts in SQLite with an FTS5 index, through its C API.
final class SQLiteSearch {
    private let search: OpaquePointer
    /// The bytes that the index adds to the file.
    private(set) var indexBytes = 0

    /// Creates it with the texts, each created a second after the one before, and builds the index at the end.
    init(path: String, texts: SearchTexts) throws {
        guard let search = sqlite_search_open(path) else { throw PeerFailure("this SQLite has no FTS5") }
        self.search = search
        try check(sqlite_search_begin(search))
        for number in 0..<texts.count {
            try check(
                sqlite_search_insert(
                    search, texts.id(number).bytes, texts.text(number),
                    texts.createdAt(number).microsecondsSince1970))
        }
        try check(sqlite_search_commit(search))
        indexBytes = Int(sqlite_search_index(search))
        guard indexBytes >= 0 else { throw failure }
    }

    private var failure: PeerFailure { PeerFailure("SQLite: \(String(cString: sqlite_search_message(search)))") }

    private func check(_ code: Int32) throws {
        guard code == 0 else { throw failure }
    }

    /// Reads the rows that match, the newest first. Returns their number.
    func find(_ match: String, limit: Int) throws -> Int {
        let count = sqlite_search_find(search, match, Int64(limit))
        guard count >= 0 else { throw failure }
        return Int(count)
    }

    /// The ids of the rows that match, the newest first.
    func ids(_ match: String, limit: Int) throws -> [UUID] {
        let count = try find(match, limit: limit)
        var bytes = [UInt8](repeating: 0, count: 16 * count)
        sqlite_search_ids(search, &bytes)
        return (0..<count).map { UUID(bytes: bytes[(16 * $0)..<(16 * $0 + 16)]) }
    }

    func close() { sqlite_search_close(search) }
}
