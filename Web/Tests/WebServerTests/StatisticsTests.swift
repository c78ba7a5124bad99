import Daybook
import Foundation
import FoundationXML
import Testing

@testable import WebServer

struct StatisticsTests {
    private let clock = SettableClock(Instant(secondsSince1970: 1_770_757_200))
    private let store: DaybookStore

    init() async throws {
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(try Zone("Europe/Berlin")),
            weekStart: .monday)
        store = try DaybookStore.temporary(context: context)
    }

    /// Creates a task each day for some days, and completes two of three; one is deleted.
    private func fill(days: Int) async throws {
        for number in 0..<days {
            let id = try await store.tasks.create("Task \(number)").id
            if number % 3 > 0 { try await store.tasks.complete(id) }
            if number == 4 { try await store.tasks.delete(id) }
            clock.advance(byMicroseconds: 25 * 3_600_000_000)
        }
    }

    private func figure(_ name: String, _ query: [String: String] = [:]) async throws -> [String: Any] {
        let answer = try await StatisticsPages(store: store).answer(WebRequest(path: ["\(name).json"], query: query))
        let json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return try #require(json?["value"] as? [String: Any])
    }

    private func sum(_ figure: [String: Any]) throws -> Int {
        try #require(figure["rows"] as? [[String]]).flatMap { $0.dropFirst() }.reduce(0) { $0 + (Int($1) ?? 0) }
    }

    @Test(
        "The numbers are those of the library, under the names of 'daybook stats --json' [C-FR26, C-FR27, C-FR28, C-FR29]"
    )
    func numbers() async throws {
        try await fill(days: 50)
        let statistics = try store.tasks.statistics()
        let numbers = try await figure("numbers")
        #expect(numbers["today"] as? Int == statistics.today)
        #expect(numbers["week"] as? Int == statistics.week)
        #expect(numbers["month"] as? Int == statistics.month)
        #expect(numbers["lastMonth"] as? Int == statistics.lastMonth && statistics.lastMonth > 0)
        #expect(numbers["trend"] as? String == statistics.trend.rawValue)
        #expect(numbers["sentence"] as? String == EnglishTexts().summary(of: statistics))
        #expect(numbers["weekStart"] as? String == statistics.weekStart.description)
        #expect(
            Set(numbers.keys) == [
                "date", "zone", "today", "week", "month", "lastMonth", "trend", "sentence", "weekStart",
            ])
    }

    @Test("The pictures show every completion once: of the month, the year, and by weekday and hour [C-FR30, C-FR31]")
    func pictures() async throws {
        try await fill(days: 50)
        let month = try store.tasks.statistics(of: Month("2026-03"))
        let shown = try await figure("month", ["month": "2026-03"])
        #expect(shown["rows"] as? [[String]] == month.days.map { [$0.day.description, "\($0.completed)"] })
        #expect(shown["previous"] as? String == "2026-02" && shown["next"] as? String == "2026-04")
        #expect(try await sum(figure("year", ["year": "2026"])) == 33)
        #expect(try await sum(figure("year", ["year": "2025"])) == 0)
        #expect(try await sum(figure("week")) == 33)
        let week = try #require(try await figure("week")["rows"] as? [[String]])
        #expect(week.map { $0[0] } == Weekday.names)
        // Each is 25 hours after the one before, and every third was not completed.
        #expect((1...24).count { hour in week.contains { $0[hour] != "0" } } >= 16)
    }

    @Test("Open tasks over time end with those of now, without deleted ones [C-FR30]")
    func open() async throws {
        try await fill(days: 50)
        let rows = try #require(try await figure("open")["rows"] as? [[String]])
        #expect(rows.count == 365 && rows.last == [store.context.today.description, "17"] && rows.first?[1] == "0")
    }

    @Test("Every picture is one well-formed document with a role and a title, also of an empty store [L-NFR16]")
    func drawings() async throws {
        for _ in 0..<2 {
            for name in ["month", "year", "week", "open"] {
                let answer = try await StatisticsPages(store: store).answer(WebRequest(path: ["\(name).svg"]))
                #expect(answer.type == "image/svg+xml")
                let text = String(decoding: answer.body, as: UTF8.self)
                let document = try XMLDocument(data: answer.body)
                let root = try #require(document.rootElement())
                #expect(root.name == "svg" && text.prefix(200).contains("role=\"img\""))
                #expect(root.children?.first?.name == "title" && root.children?.first?.stringValue?.isEmpty == false)
                #expect(!text.contains("style=") && !text.contains("script") && !text.contains("nan"))
            }
            try await fill(days: 3)
        }
    }

    @Test("A time that does not exist is refused, and there are no other pictures", arguments: ["month", "year"])
    func refused(name: String) async throws {
        for text in ["", "x", "2026-13", "0", "10000", "-1", "<svg>"] {
            await #expect(throws: InvalidRequest.self) { try await figure(name, [name: text]) }
        }
        for path in [["nothing.svg"], ["month"], ["month.png"], [], ["month.svg", "x"]] {
            #expect(try await StatisticsPages(store: store).answer(WebRequest(path: path)).status == 404)
        }
    }
}
