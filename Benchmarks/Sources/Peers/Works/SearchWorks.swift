import Daybook
import FoundationEssentials

/// The texts to be searched: five common words and a rare one, which fifty texts share that are spread over all.
struct SearchTexts {
    static let hits = 50

    let count: Int

    private static let verbs = ["Call", "Write", "Review", "Buy", "Ask", "Repair", "Plan", "Send", "Read", "Clean"]
    private static let names = [
        "Ada", "Grace", "Alan", "Edsger", "Barbara", "Niklaus", "Radia", "Ken", "Leslie", "Tim",
    ]
    private static let things = ["report", "letter", "kitchen", "invoice", "garden", "ticket", "lecture", "contract"]

    var groups: Int { max(count / Self.hits, 1) }

    /// A word that fifty texts have.
    func word(_ number: Int) -> String { "topic\(1_000_000 + (number &* 7919) % groups)" }

    func text(_ number: Int) -> String {
        let verb = Self.verbs[number % 10]
        let name = Self.names[number / 10 % 10]
        let thing = Self.things[number / 3 % 8]
        return "\(verb) \(name) about the \(thing), topic\(1_000_000 + number % groups)"
    }

    func createdAt(_ number: Int) -> Instant { Instant(secondsSince1970: 1_600_000_000 + Int64(number)) }

    /// Ascending, as ids of version 7 are.
    func id(_ number: Int) -> UUID {
        UUID(high: UInt64(1_600_000_000 + number) << 24 | 0x7000, low: UInt64(number) | 1 << 63)
    }
}

/// A Daybook store of tasks with these texts.
struct SearchStore {
    private let daybook: DaybookStore

    init(folder: String, texts: SearchTexts) throws {
        daybook = try DaybookStore.open(at: folder)
        try daybook.bulkLoad { loader in
            for number in 0..<texts.count {
                try loader.insert(
                    TaskItem(id: texts.id(number), text: texts.text(number), createdAt: texts.createdAt(number)))
            }
        }
    }

    func find(_ words: String, limit: Int) throws -> [TaskItem] {
        try daybook.tasks.search(words, limit: limit).records
    }

    /// The bytes of the pages of the index.
    func indexBytes() throws -> Int {
        try daybook.information().tables.first { $0.name == "tasks.byWord" }?.bytes ?? 0
    }

    func close() { daybook.close() }
}

/// Searches by the words of texts.
struct SearchWorks: Works {
    let setup: Setup

    private static let limit = 1_000_000.0
    private static let factor = 5.0

    func run(into report: inout Report) async throws {
        let texts = SearchTexts(count: scale.large)
        let (hits, count) = (SearchTexts.hits, scale.large.grouped)
        report.begin(
            "The texts with a word, of \(count)",
            "Texts of six words. Daybook: `search`, which reads the tasks, and looks for words that only begin so as well. "
                + "SQLite: an FTS5 index (`unicode61 remove_diacritics 2`, external content, merged into one segment) joined "
                + "with its table, in the order of descending row ids: by GRDB with the peers' table of tasks as Codable "
                + "records, and through the C API with a table of six columns. All return the newest first. Each "
                + "series begins with all files in the page cache.")
        let path = "\(folder)/search"
        try Folder.remove(path)
        try Folder.make(path)
        let store = try SearchStore(folder: "\(path)/daybook", texts: texts)
        let table = try SQLiteSearch(path: "\(path)/search.sqlite", texts: texts)
        let grdb = try GRDBSearch(path: "\(path)/grdb.sqlite", texts: texts)
        for round in 0..<10 {
            for match in [texts.word(round), "ada \(texts.word(round))"] {
                let found = try store.find(match, limit: 1000).map(\.id)
                guard !found.isEmpty || match.contains(" "), try found == table.ids(match, limit: 1000),
                    try found == grdb.find(match, limit: 1000)
                else {
                    throw PeerFailure("Daybook and SQLite do not find the same texts")
                }
            }
        }
        // Another word in each round, so that no round finds everything in the processor's caches.
        let one = try await time("a word, \(hits) of \(count)", limit: hits, into: &report, store, table, grdb) {
            (texts.word($0), texts.word($0))
        }
        let what = "search for a word, \(hits) of \(count)"
        report.require(what, under: Self.limit, in: one)
        report.require(what, fasterThan: Contestants.grdb, times: Self.factor, in: one)
        report.compare(what, fasterThan: Contestants.sqlite, because: "reported", in: one)
        _ = try await time("two words, few of \(count)", limit: hits, into: &report, store, table, grdb) {
            ("call \(texts.word($0))", "call \(texts.word($0))")
        }
        _ = try await time("two frequent words, the newest 20", limit: 20, into: &report, store, table, grdb) { _ in
            ("call report", "call report")
        }
        _ = try await time("the beginning of a word, the newest 20", limit: 20, into: &report, store, table, grdb) {
            let part = String(texts.word($0).dropLast(2))
            return (part, "\(part)*")
        }
        report.add(
            "bytes of the index",
            [Contestants.daybook: Double(try store.indexBytes()), Contestants.sqlite: Double(table.indexBytes)])
        store.close()
        table.close()
        try grdb.close()
        try Folder.remove(path)
    }

    /// Times a search in both; the closure returns the words for Daybook and the expression for FTS5.
    private func time(
        _ name: String, limit: Int, into report: inout Report, _ store: SearchStore, _ table: SQLiteSearch,
        _ grdb: GRDBSearch,
        _ words: @escaping (Int) -> (String, String)
    ) async throws -> [Times] {
        try Folder.load("\(folder)/search")
        let times = try await Interleaved.run(
            [
                Contestant(name: Contestants.daybook, run: { _ = try store.find(words($0).0, limit: limit) }),
                Contestant(name: Contestants.grdb, run: { _ = try grdb.find(words($0).1, limit: limit) }),
                Contestant(name: Contestants.sqlite, run: { _ = try table.find(words($0).1, limit: limit) }),
            ], rounds: scale.reads, warmUp: 20)
        report.add(name, times)
        return times
    }
}
