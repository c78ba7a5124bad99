import Daybook
import Foundation
import Testing

@testable import WebServer

struct InsideTests {
    static let books = [
        Book(1, "Emma", .finished, pages: 474, tags: ["novel", "old"]),
        Book(2, "Walden", .reading, pages: 350, tags: ["old"]),
        Book(3, "Dune", .wanted, pages: 688, tags: ["novel"]),
        Book(4, "Dubliners", .finished, pages: 207),
        Book(5, "émile", .wanted, pages: 12, tags: ["old", "essay"]),
    ]

    /// A store that an application of its own has written.
    private func library() async throws -> InsideStore {
        let inside = try InsideStore(Schema().adding(Book.collection))
        try await inside.store.write { transaction in for book in Self.books { try transaction.put(book) } }
        return inside
    }

    /// The titles of a whole listing, read in pages of two.
    private func titles(_ inside: InsideStore, _ query: [String: String]) async throws -> [String] {
        var (titles, query) = ([String](), query)
        query["limit"] = "2"
        while true {
            let page = try await inside.get("collections", "books", query: query)
            #expect(page["rows"].list.count <= 2)
            let column = try #require(page["columns"].list.firstIndex(of: .text("title")))
            titles += page["rows"].list.map { $0["values"].list[column]["text"].string }
            guard case .text(let next) = page["next"] else { return titles }
            query["after"] = next
        }
    }

    @Test(
        "A collection of an application is shown by its declared fields, in the order of each index, without its types")
    func unknownCollection() async throws {
        let inside = try await library().asStranger()
        defer { inside.remove() }
        let found = try await inside.get("collections")["collections"].list.first { $0["name"] == .text("books") }
        let summary = try #require(found)
        #expect(summary["records"].int == 5)
        #expect(summary["declaration"].string.contains("another application"))
        #expect(summary["fields"].list.map { $0.list[1].string } == ["title", "shelf", "pages", "addedAt", "tags"])
        #expect(summary["indexes"].list.count == 4)

        let books = Self.books
        #expect(try await titles(inside, [:]) == books.map(\.title))
        #expect(try await titles(inside, ["backwards": "1"]) == books.reversed().map(\.title))
        let byTitle = books.sorted { TextKey.normalForm(of: $0.title) < TextKey.normalForm(of: $1.title) }.map(\.title)
        #expect(try await titles(inside, ["index": "books.byTitle"]) == byTitle)
        #expect(try await titles(inside, ["index": "books.byTitle", "backwards": "1"]) == byTitle.reversed())
        #expect(try await titles(inside, ["index": "books.newest"]) == books.reversed().map(\.title))
        let byShelf = books.sorted { ($0.shelf.rawValue, $0.pages) < ($1.shelf.rawValue, $1.pages) }.map(\.title)
        #expect(try await titles(inside, ["index": "books.byShelf"]) == byShelf)
        let byTag = books.flatMap { book in book.tags.map { ($0, book) } }
            .sorted { ($0.0, $0.1.addedAt) < ($1.0, $1.1.addedAt) }.map(\.1.title)
        #expect(try await titles(inside, ["index": "books.byTag"]) == byTag)
    }

    @Test("A range has the keys between two typed values, whichever order the index has")
    func ranges() async throws {
        let inside = try await library().asStranger()
        defer { inside.remove() }
        func titles(_ index: String, _ from: String?, _ to: String?) async throws -> [String] {
            var query = ["index": "books.\(index)"]
            (query["from"], query["to"]) = (from, to)
            return try await self.titles(inside, query)
        }
        #expect(try await titles("byTitle", "du", "em") == ["Dubliners", "Dune", "émile", "Emma"])
        #expect(try await titles("byTag", "novel", "novel") == ["Emma", "Dune"])
        #expect(try await titles("byShelf", "2", nil) == ["Dubliners", "Emma"])
        #expect(try await titles("byShelf", "0, 100", "1, 400") == ["Dune", "Walden"])
        // Descending, and days stand for all of their instants.
        let (second, fourth) = ("2026-02-04", "2026-02-06")
        let days = Self.books.map { inside.store.context.zone.day(of: $0.addedAt).description }
        #expect(days[1] == second && days[3] == fourth)
        #expect(try await titles("newest", second, fourth) == ["Dubliners", "Dune", "Walden"])
        #expect(try await titles("newest", fourth, nil) == ["émile", "Dubliners"])
        #expect(try await titles("newest", nil, second) == ["Walden", "Emma"])
        await #expect(throws: InvalidRequest.self) {
            try await inside.get("collections", "books", query: ["index": "books.newest", "from": "secret"])
        }
    }

    @Test("A record shows its fields, its entries in the indexes, and its history with earlier values")
    func record() async throws {
        let library = try await library()
        var emma = Self.books[0]
        emma.title = "Emma, a novel"
        let changed = emma
        try await library.store.write { try $0.put(changed) }
        for isStranger in [false, true] {
            let inside = isStranger ? try library.asStranger() : library
            defer { if isStranger { inside.remove() } }
            let key = emma.id.uuidString.lowercased().replacing("-", with: "")
            let record = try await inside.get("collections", "books", key)
            let fields = record["fields"].list.map { [$0["name"].string, $0["value"]["text"].string] }
            #expect(fields.contains(["title", "Emma, a novel"]) && fields.contains(["shelf", "finished"]))
            let entries = record["entries"].list.map { entry in
                "\(entry["index"].string): \(entry["key"].texts.joined(separator: ", "))"
            }
            let expected = [
                "books.byShelf: 2, 474", "books.byTag: novel", "books.byTag: old", "books.byTitle: emma, a novel",
            ]
            #expect(entries.sorted().filter { !$0.contains("newest") } == expected)
            #expect(record["entries"].list.allSatisfy { $0["there"] == .flag(true) })
            let history = record["history"].list
            #expect(history.count == 2)
            #expect(history[0]["entries"].list[0]["fields"] == .list(["title"]))
            #expect(history[0]["entries"].list[0]["before"].list[0].list[1]["text"] == .text("Emma"))
            #expect(history[1]["entries"].list.count == 1 && history[1]["records"].int == 5)
        }
    }

    @Test("Long texts are shortened in tables, and whole in the page of the record")
    func longTexts() async throws {
        let inside = try InsideStore()
        defer { inside.remove() }
        let text = "<script>" + String(repeating: "a", count: 5000)
        let task = try await inside.store.tasks.create(text)
        let page = try await inside.get("collections", "tasks")
        let column = try #require(page["columns"].list.firstIndex(of: .text("text")))
        let cell = page["rows"].list[0]["values"].list[column]
        #expect(cell["text"].string.count == 301 && cell["cut"] == .flag(true))
        let record = try await inside.get("collections", "tasks", task.id.uuidString.replacing("-", with: ""))
        #expect(record["fields"].list[0]["value"]["text"] == .text(text))
    }

    @Test("The timeline is the change feed backwards, and says what undo would do")
    func timeline() async throws {
        let inside = try InsideStore()
        defer { inside.remove() }
        let store = inside.store
        let first = try await store.tasks.create("one")
        for number in 2...30 { _ = try await store.tasks.create("number \(number)") }
        _ = try await store.tasks.complete([first.id])
        var feed: [Change] = []
        for try await change in store.changes(after: 0) {
            feed.append(change)
            if change.sequence == (try store.read { try $0.lastSequence() }) { break }
        }
        var (shown, query): ([JSONTree], [String: String]) = ([], ["limit": "7"])
        while true {
            let page = try await inside.get("changes", query: query)
            shown += page["changes"].list
            guard case .number(let next) = page["next"] else { break }
            query["before"] = "\(next)"
        }
        #expect(shown.map { UInt64($0["sequence"].int) } == feed.reversed().map(\.sequence))
        #expect(shown.map { $0["operation"].string } == feed.reversed().map(\.label.operation))
        #expect(shown.map { $0["records"].int } == feed.reversed().map(\.entries.count))

        let last = try #require(feed.last)
        #expect(try await inside.get("changes", "\(last.sequence)")["undo"].string == "Undo takes this back next.")
        let refused = try await inside.get("changes", "\(feed[0].sequence)")
        #expect(refused["undo"].string.hasSuffix("changed again by \(last.sequence)."))
        #expect(refused["effects"] == .list([JSONTree]()))
        let possible = try await inside.get("changes", "\(feed[3].sequence)")
        #expect(possible["undo"].string.hasPrefix("It can be undone by itself"))
        #expect(possible["effects"] == .list(["1 record of tasks would be deleted"]))
        // Nothing was undone.
        #expect(try store.read { try $0.lastSequence() } == last.sequence)
    }

    @Test("While the journals are locked, none of their collections, records and changes is shown")
    func locked() async throws {
        let inside = try InsideStore()
        defer { inside.remove() }
        let journals = inside.store.journals
        let thread = try await journals.createThread("Garden")
        let entry = try await journals.addEntry("The first tulip.", to: thread.id)
        let key = entry.id.uuidString.replacing("-", with: "")
        #expect(try await inside.get("collections", "entries", key)["exists"] == .flag(true))
        try await journals.setLock(true, isAvailable: true)
        journals.lock.suspend()
        let all = try await inside.get("collections")
        let names = Set(all["collections"].list.map(\.["name"].string))
        #expect(names.isDisjoint(with: ["entries", "threads", "drafts"]) && names.contains("tasks"))
        #expect(all["hidden"] != .null)
        let list = await #expect(throws: Problem.self) { try await inside.get("collections", "entries") }
        let record = await #expect(throws: Problem.self) { try await inside.get("collections", "entries", key) }
        #expect(list?.remedy == "unlock" && record?.remedy == "unlock")
        let changes = try await inside.get("changes")["changes"].list
        #expect(changes.allSatisfy { $0["entries"].list.isEmpty && $0["hidden"].int > 0 || $0["records"].int == 0 })
        journals.lock.unlock(.recognized)
        #expect(try await inside.get("collections", "entries")["records"].int == 1)
    }

    @Test("The overview has the sizes that the store reports")
    func overview() async throws {
        let inside = try await library().asStranger()
        defer { inside.remove() }
        let overview = try await inside.get("overview")
        #expect(overview["sections"].list.map(\.["title"].string).prefix(3) == ["Size", "Changes", "Commits"])
        let tables = overview["tables"].list
        for table in try inside.store.information().tables {
            #expect(tables.contains { $0["name"] == .text(table.name) && $0["entries"] == .number(table.entries) })
        }
        #expect(tables.contains { $0["name"] == .text("books.byTag") && $0["entries"] == .number(6) })
    }
}

extension JSONTree {
    fileprivate static func list(_ text: String...) -> JSONTree { .list(text) }
}
