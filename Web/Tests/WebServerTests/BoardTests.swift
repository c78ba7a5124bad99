import Daybook
import Foundation
import Testing

@testable import WebServer

/// What a page of the browser does with the events that it gets.
@MainActor
final class ShownPage {
    let board: Board
    private var events: AsyncStream<Data>.Iterator
    private(set) var id = ""
    /// The states of parts, with the rows that were sent in the meantime.
    private(set) var states: [String: [String: Any]] = [:]
    private(set) var problems: [String: [String: Any]] = [:]
    private var rows: [String: [String: Any]] = [:]
    private let stream: EventStream

    init(_ board: Board) async throws {
        self.board = board
        stream = board.openPage()
        events = stream.events.makeAsyncIterator()
        let hello = try await next()
        id = try #require(hello.json["page"] as? String)
    }

    private func next() async throws -> (kind: String, json: [String: Any]) {
        var reading = events
        let event = try #require(await reading.next(isolation: #isolation))
        events = reading
        let lines = String(decoding: event, as: UTF8.self).split(separator: "\n")
        let kind = try #require(lines.first).dropFirst("event: ".count)
        let data = try #require(lines.last).dropFirst("data: ".count)
        let json = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        return (String(kind), try #require(json))
    }

    func show(_ parts: PartRequest...) throws { try board.show(Shown(page: id, parts: parts)) }

    /// Reads events until a condition holds.
    func until(_ holds: (ShownPage) -> Bool) async throws {
        while !holds(self) {
            let (kind, json) = try await next()
            guard let part = json["part"] as? String else { continue }
            if kind == "problem" {
                problems[part] = json["problem"] as? [String: Any]
                continue
            }
            (states[part], problems[part]) = (json, nil)
            for (id, row) in json["rows"] as? [String: [String: Any]] ?? [:] { rows[id] = row }
        }
    }

    /// The texts of a list of tasks as it is shown, headings in brackets.
    func texts(of part: String) -> [String] {
        (states[part]?["items"] as? [[String: Any]] ?? []).map { item in
            if let id = item["id"] as? String { return rows[id]?["text"] as? String ?? "?" }
            return "[\(item["heading"] as? String ?? "")]"
        }
    }

    func row(_ text: String) -> [String: Any]? { rows.values.first { $0["text"] as? String == text } }

    func perform(_ verb: String, _ fields: [String: Any]) async throws -> [String: Any] {
        let answer = await board.answer(
            "do", WebRequest(changes: true, path: [verb], body: try JSONSerialization.data(withJSONObject: fields)))
        return try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }
}

@MainActor @Suite(.timeLimit(.minutes(5)))
struct BoardTests {
    let clock = SettableClock(Instant(secondsSince1970: 1_770_757_200))
    let store: DaybookStore
    let board: Board

    init() throws {
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(try Zone("Europe/Istanbul")),
            weekStart: .monday)
        let store = try DaybookStore.temporary(context: context)
        self.store = store
        board = Board(store, isReadOnly: false, texts: EnglishTexts(), pageToken: "t") { store }
    }

    @Test("What is typed is in its view at once and durable when it is answered [C-FR42] [C-S1.11]")
    func create() async throws {
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "today"), PartRequest(part: "upcoming"), PartRequest(part: "undo"))
        try await page.until { $0.states["today"] != nil }
        let answer = try await page.perform("create", ["text": "Call Ada tomorrow 17:30 #home !high", "view": "today"])
        try await page.until { $0.texts(of: "upcoming").contains("Call Ada") }
        #expect(page.texts(of: "upcoming") == ["[Tomorrow]", "Call Ada"])
        #expect(page.row("Call Ada")?["reminder"] as? String == "tomorrow 17:30")
        #expect(page.row("Call Ada")?["priority"] as? String == "high")
        let created = try #require(answer["value"] as? [String: Any])
        let id = try #require(UUID(uuidString: created["id"] as? String ?? ""))
        #expect(try store.tasks.get(id)?.text == "Call Ada")
        #expect((created["elsewhere"] as? String)?.contains("tomorrow") == true)
        let shown = try await page.perform("create", ["text": "Call Ada tomorrow", "view": "upcoming"])
        #expect((shown["value"] as? [String: Any])?["elsewhere"] == nil)
    }

    @Test(
        "Pages that apply what they are sent show the views of the store, whoever changes it [N-9]",
        arguments: 1...6 as ClosedRange<UInt64>)
    func model(seed: UInt64) async throws {
        let dice = SeededRandomSource(seed: seed)
        func chance(_ count: Int) -> Int { Int(dice.next() % UInt64(count)) }
        let pages = [try await ShownPage(board), try await ShownPage(board)]
        for page in pages {
            try page.show(PartRequest(part: "today"), PartRequest(part: "inbox"), PartRequest(part: "upcoming"))
        }
        var ids: [UUID] = []
        for number in 0..<40 {
            let other = store.tasks
            switch ids.isEmpty ? 0 : chance(8) {
            case 0, 1:
                let views = ["inbox", "today", "upcoming"]
                let answer = try await pages[chance(2)].perform(
                    "create", ["text": "Task \(number)", "view": views[chance(3)]])
                let created = answer["value"] as? [String: Any]
                ids.append(try #require(UUID(uuidString: created?["id"] as? String ?? "")))
            case 2: _ = try await pages[0].perform("cycle", ["ids": [ids[chance(ids.count)].uuidString]])
            case 3: try await other.schedule(ids[chance(ids.count)], on: chance(2) == 0 ? .today : .tomorrow)
            case 4: try await other.edit(ids[chance(ids.count)]) { $0.text += "!" }
            case 5:
                _ = try await pages[1].perform(
                    "drop", ["id": ids[chance(ids.count)].uuidString, "view": "today", "place": "first"])
            case 6: try await other.delete(ids.remove(at: chance(ids.count)))
            default: _ = try await pages[0].perform("undo", [:])
            }
            ids = try ids.filter { try store.tasks.get($0) != nil }
        }
        let today = try store.tasks.today().tasks.map(\.text)
        let inbox = try store.read { try $0.tasks.inbox() }.map(\.text)
        let upcoming = try store.read { try $0.tasks.upcoming() }.flatMap { ["[Tomorrow]"] + $0.tasks.map(\.text) }
        for page in pages {
            try await page.until {
                $0.texts(of: "today") == today && $0.texts(of: "inbox") == inbox && $0.texts(of: "upcoming") == upcoming
            }
        }
    }

    @Test("A window of a long list has its items, and the numbers of all [C-S1.11]")
    func window() async throws {
        try await store.write { transaction in
            for number in 0..<300 { _ = try transaction.tasks.create(NewTask("Task \(number)")) }
        }
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "inbox", from: 120, count: 5))
        try await page.until { $0.states["inbox"] != nil }
        #expect(page.texts(of: "inbox") == (120..<125).map { "Task \($0)" })
        #expect(page.states["inbox"]?["total"] as? Int == 300)
    }

    @Test("At midnight what was for tomorrow is for today, without a request [C-AD7]")
    func midnight() async throws {
        let page = try await ShownPage(board)
        _ = try await page.perform("create", ["text": "Later", "view": "upcoming"])
        try page.show(PartRequest(part: "today"), PartRequest(part: "status"))
        try await page.until { $0.states["today"] != nil && $0.states["status"] != nil }
        clock.advance(byMicroseconds: 86_400_000_000)
        try await page.until { $0.texts(of: "today") == ["Later"] }
    }

    @Test("What cannot be done is said with its remedy, and nothing changes [S-68]")
    func problems() async throws {
        let page = try await ShownPage(board)
        for (verb, fields) in [
            ("create", ["text": "  "]), ("cycle", ["ids": ["nonsense"]]), ("due", ["ids": [], "text": "someday"]),
            ("nothing", [:]), ("drop", ["id": UUID().uuidString, "view": "today"]), ("schedule", [:]),
        ] as [(String, [String: Any])] {
            let problem = try #require(try await page.perform(verb, fields)["problem"] as? [String: Any])
            #expect((problem["text"] as? String)?.hasSuffix(".") == true, "\(verb)")
            #expect((problem["text"] as? String)?.contains("daybook ") == false, "\(verb)")
        }
        #expect(try store.read { try $0.tasks.count() } == 0)
    }

    @Test("A server that only shows refuses every verb that changes something [N-9]")
    func readOnly() async throws {
        let store = store
        let board = Board(store, isReadOnly: true, texts: EnglishTexts(), pageToken: "t") { store }
        let page = try await ShownPage(board)
        for (name, verb) in Verbs.all where !verb.isReading {
            let problem = try await page.perform(name, ["text": "x", "ids": []])["problem"] as? [String: Any]
            #expect(problem?["code"] as? String == "readOnly", "\(name)")
        }
        #expect(try await page.perform("preview", ["text": "Buy milk fri"])["value"] != nil)
    }

    @Test("A locked journal is nowhere on the page, and opens with the code of the terminal only [J-OP12]")
    func lock() async throws {
        let journals = store.journals
        let thread = try await journals.createThread("Garden", firstEntry: "The tomatoes are red.")
        try await journals.setLock(true, isAvailable: true)
        var codes: [String] = []
        board.announceCodes { codes.append($0) }
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "threads"), PartRequest(part: "thread:\(thread.id.uuidString)"))
        try await page.until { $0.states["threads"] != nil && $0.states.count == 2 }
        _ = try await page.perform("lock", [:])
        try await page.until { $0.states.values.allSatisfy { $0["locked"] as? Bool == true } }
        #expect(!"\(page.states)".contains("tomatoes") && !"\(page.states)".contains("Garden"))
        _ = try await page.perform("unlockCode", [:])
        for _ in 0..<5 {
            #expect(try await page.perform("unlock", ["code": "000000"])["problem"] != nil)
        }
        // Five attempts, and another code.
        #expect(codes.count == 2 && codes[0] != codes[1])
        #expect(try await page.perform("unlock", ["code": codes[0]])["problem"] != nil)
        #expect(try await page.perform("unlock", ["code": codes[1]])["problem"] == nil)
        try await page.until { "\($0.states)".contains("tomatoes") && "\($0.states)".contains("Garden") }
    }

    @Test("A store that is closed under the pages is opened again, and the pages go on [N-9]")
    func recovery() async throws {
        let second = try DaybookStore.temporary(context: store.context)
        try await second.tasks.create("Restored", in: .today)
        let board = Board(store, isReadOnly: false, texts: EnglishTexts(), pageToken: "t") { second }
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "today"))
        try await page.until { $0.states["today"] != nil }
        store.close()
        try await page.until { $0.problems["today"] != nil }
        #expect(page.problems["today"]?["remedy"] as? String == "restart")
        // The board waits a second before it tries; a virtual one.
        while clock.timeToNextWake == nil { await Task.yield() }
        clock.advance(byMicroseconds: 1_000_000)
        try await page.until { $0.texts(of: "today") == ["Restored"] }
    }
}

extension BoardTests {
    @Test("A folder that is removed under the pages is noticed, though nobody writes [N-9]")
    func removed() async throws {
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "today"))
        try await page.until { $0.states["today"] != nil }
        try FileManager.default.moveItem(atPath: store.path, toPath: store.path + "-moved")
        defer { try? FileManager.default.removeItem(atPath: store.path + "-moved") }
        let sleepers = clock.sleeperCount
        let beating = Task { await board.beat() }
        defer { beating.cancel() }
        // It sleeps for two seconds before it looks.
        while clock.sleeperCount == sleepers { await Task.yield() }
        clock.advance(byMicroseconds: 2_000_000)
        try await page.until { $0.problems["today"] != nil }
        #expect(page.problems["today"]?["code"] as? String == "gone")
    }

    @Test("The model of a view is released when the last page leaves it, though nothing changes in the store [N-9]")
    func release() async throws {
        let page = try await ShownPage(board)
        try page.show(PartRequest(part: "past"))
        try await page.until { $0.states["past"] != nil }
        weak let model = board.models(of: "past").first
        #expect(model != nil)
        try page.show(PartRequest(part: "today"))
        try await page.until { $0.states["today"] != nil }
        for _ in 0..<1000 where model != nil { try await Task.sleep(for: .milliseconds(2)) }
        #expect(model == nil)
    }
}
