import Daybook
import Foundation
import Simulation
import Testing

@Suite struct ScenarioReaderTests {
    private func steps(_ text: String, _ vocabulary: Vocabulary = Vocabulary()) throws -> [Step] {
        let indented = text.split(separator: "\n").map { "  \($0)\n" }.joined()
        return try ScenarioReader(vocabulary: vocabulary).read(goodHead + "steps:\n" + indented, file: "a.yaml").steps
    }

    private func actions(_ text: String, _ vocabulary: Vocabulary = Vocabulary()) throws -> [Action] {
        try steps(text, vocabulary).map(\.action.withoutLines)
    }

    @Test("The example in the documentation reads as documented")
    func example() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Documentation/Scenarios.md"), encoding: .utf8)
        let begin = try #require(page.range(of: "```yaml\n"))
        let end = try #require(page[begin.upperBound...].range(of: "```"))
        let scenario = try ScenarioReader().read(String(page[begin.upperBound..<end.lowerBound]), file: "midnight.yaml")

        var expected = Scenario(
            name: "Tomorrow's tasks are in Today after midnight",
            start: .local(try Day("2026-03-10"), microseconds: 86_340_000_000), zone: "Europe/Istanbul")
        expected.requirements = ["C-S3.9"]
        expected.steps = [
            Step(.create("Water the plants", on: .tomorrow, in: nil)),
            Step(
                .expect([
                    Expectation("today", .list([])),
                    Expectation("upcoming", .named(["2026-03-11": .texts(["Water the plants"])])),
                ])),
            Step(.advance(.minutes(1))),
            Step(
                .expect([
                    Expectation("today", .texts(["Water the plants"])),
                    Expectation("told", .named(["today": .texts(["inserted Water the plants at 0"])])),
                ])),
        ]
        #expect(scenario.withoutLines == expected)
        #expect(scenario.file == "midnight.yaml")
        #expect(scenario.steps.map(\.line) == [6, 8, 11, 12])
        guard case .expect(let expectations) = scenario.steps[1].action else { return }
        #expect(expectations.map(\.line) == [9, 10])
    }

    @Test("Top-level keys have defaults and accept values")
    func head() throws {
        let plain = try ScenarioReader().read(goodHead + "steps: []\n", file: "a.yaml")
        #expect(plain.weekStart == .monday)
        #expect(plain.seed == 1)
        #expect(plain.observers == ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
        #expect(plain.followedViews == TaskView.allCases)

        let text = """
            week starts: saturday
            seed: 18446744073709551615
            looked at from: [Asia/Tokyo]
            follows: [past, inbox]
            requirements: [3, yes, C-S3.9]
            steps: []
            """
        let full = try ScenarioReader().read(goodHead + text, file: "a.yaml")
        #expect(full.weekStart == .saturday)
        #expect(full.seed == .max)
        #expect(full.observers == ["Asia/Tokyo"])
        #expect(full.followedViews == [.past, .inbox])
        #expect(full.requirements == ["3", "yes", "C-S3.9"])
    }

    @Test("Every documented step reads as the expected action")
    func verbs() throws {
        let read = try actions(
            """
            - create: A
              on: +3d
            - { create: B, in: today }
            - start: A
            - complete: A
            - reopen: A
            - cycle: A
            - schedule: A
              on: fri
            - { schedule: A, on: inbox, index: 2 }
            - { reorder: A, first: yes }
            - { reorder: A, last: yes }
            - { reorder: A, before: B }
            - { reorder: A, after: B }
            - { carry: [A, B], to: tomorrow }
            - { edit: A, text: Another }
            - { remind: A, at: 08:00 }
            - { remind: A, at: never }
            - together:
                - create: C
                - delete: A
            - purge: C
            - undo
            - redo:
            - undo notice
            - advance: 1h 30m
            - advance to: midnight
            - jump: -1d
            - { jump: 500ms, monotonic: yes }
            - jump to: 2026-03-29T00:30:00Z
            - travel: Asia/Tokyo
            - sleep
            - wake
            - close
            - open
            - crash: process
            - { crash: power, during: { complete: B }, choice: 7 }
            - { fault: full disk, writes: 3 }
            - { fault: busy, writes: 1 }
            - elsewhere: { complete: B }
            """)
        let expected: [Action] = [
            .create("A", on: .day("+3d"), in: nil), .create("B", on: nil, in: .today),
            .setState("A", .active), .setState("A", .completed), .setState("A", .notStarted), .cycle("A"),
            .schedule("A", on: .day("fri"), at: nil), .schedule("A", on: .inbox, at: .index(2)),
            .reorder("A", to: .first), .reorder("A", to: .last), .reorder("A", to: .before("B")),
            .reorder("A", to: .after("B")), .carry(["A", "B"], to: .tomorrow), .edit("A", text: "Another"),
            .remind("A", at: .timeOfDay(microseconds: 28_800_000_000)), .remind("A", at: nil),
            .together([.create("C", on: nil, in: nil), .delete("A")]), .purge("C"), .undo, .redo, .undoNotice,
            .advance(.minutes(90)), .advanceTo(.midnight), .jump(.days(-1), monotonic: false),
            .jump(.milliseconds(500), monotonic: true), .jumpTo(.instant(try Instant("2026-03-29T00:30:00Z"))),
            .travel("Asia/Tokyo"), .sleep, .wake, .close, .open, .crash(.process, during: nil, choice: 0),
            .crash(.power, during: .setState("B", .completed), choice: 7), .fault(.fullDisk, writes: 3),
            .fault(.busy, writes: 1), .elsewhere(.setState("B", .completed)),
        ]
        #expect(read == expected)
    }

    @Test("A verb about lists, plans and recurrence reads with its fields in one order")
    func tableVerbs() throws {
        let read = try actions(
            """
            - add list: Home
            - { add list: Work, color: '#FF0000' }
            - { rename list: Work, to: Office }
            - { reorder list: Office, before: Home }
            - { create: A, on: today }
            - { move: A, to: Home }
            - { move: A, to: unlisted }
            - { reorder in list: A, first: yes }
            - { due: A, at: tomorrow 17:30 }
            - { place: A, bucket: must, region: morning }
            - { sticky: A, off: yes }
            - rollover
            - expire:
            - { repeat: A, by: 'every 2 weeks on mon,thu' }
            - { complete: A 2 }
            - quick add: "Call Ada tomorrow 17:30 #home !must"
            - { block: A, by: Call Ada }
            - deliver reminders
            - elsewhere: deliver reminders
            - { crash: power, during: { delete list: Home } }
            - together: [{ expires: A, at: never }, { categorize: A, as: none }]
            - expect: { tasks of: { Office: [A] }, delivered: [], task: { A: { list: Home, blocked: yes } } }
            """)
        func verb(_ name: String, _ value: String? = nil, _ fields: KeyValuePairs<String, String> = [:]) -> Action {
            .perform(
                name, value.map { .text($0) } ?? .none,
                with: fields.map { ScenarioValue.Entry($0.key, .text($0.value)) })
        }
        let expected: [Action] = [
            verb("add list", "Home"), verb("add list", "Work", ["color": "#FF0000"]),
            verb("rename list", "Work", ["to": "Office"]), verb("reorder list", "Office", ["before": "Home"]),
            .create("A", on: .today, in: nil), verb("move", "A", ["to": "Home"]),
            verb("move", "A", ["to": "unlisted"]), verb("reorder in list", "A", ["first": "yes"]),
            verb("due", "A", ["at": "tomorrow 17:30"]), verb("place", "A", ["region": "morning", "bucket": "must"]),
            verb("sticky", "A", ["off": "yes"]), verb("rollover"), verb("expire"),
            verb("repeat", "A", ["by": "every 2 weeks on mon,thu"]), .setState("A 2", .completed),
            verb("quick add", "Call Ada tomorrow 17:30 #home !must"), verb("block", "A", ["by": "Call Ada"]),
            verb("deliver reminders"), .elsewhere(verb("deliver reminders")),
            .crash(.power, during: verb("delete list", "Home"), choice: 0),
            .together([verb("expires", "A", ["at": "never"]), verb("categorize", "A", ["as": "none"])]),
            .expect([
                Expectation("tasks of", .named(["Office": .texts(["A"])])), Expectation("delivered", .list([])),
                Expectation("task", .named(["A": .named(["list": .text("Home"), "blocked": .text("yes")])])),
            ]),
        ]
        #expect(read == expected)
    }

    @Test("An application's words have precedence over those about lists, plans and recurrence")
    func tableWordsYield() throws {
        var vocabulary = Vocabulary()
        vocabulary.add(verb: "place") { _, _ in }
        vocabulary.add(subject: "lists") { value, _ in value }
        let read = try actions("- place: 17\n- expect: { lists: { a: 1 } }", vocabulary)
        let expected: [Action] = [
            .custom("place", .text("17")), .expect([Expectation("lists", .named(["a": .text("1")]))]),
        ]
        #expect(read == expected)
    }

    @Test("Words with a type in YAML are ordinary names")
    func typedWords() throws {
        let names = ["yes", "No", "3", "0x10", "1e3", "2026-03-11", "12:30:45", "null", "~", "none", ".inf", "=", "<<"]
        let read = try actions(names.map { "- create: \($0)" }.joined(separator: "\n"))
        #expect(read == names.map { .create($0, on: nil, in: nil) })
        let list = "[" + names.joined(separator: ", ") + "]"
        let expected = try actions(
            names.map { "- create: \($0)" }.joined(separator: "\n") + "\n- expect: { today: \(list) }")
        #expect(expected.last == .expect([Expectation("today", .texts(names))]))
    }

    @Test("Empty values have several notations, and in quotes they are text")
    func nothing() throws {
        for word in ["none", "null", "~", ""] {
            #expect(try actions("- expect:\n    notice: \(word)") == [.expect([Expectation("notice", .none)])])
            #expect(try actions("- expect:\n    today: \(word)") == [.expect([Expectation("today", .list([]))])])
            #expect(try actions("- expect:\n    upcoming: \(word)") == [.expect([Expectation("upcoming", .map([]))])])
        }
        #expect(try actions("- expect: { told: [] }") == [.expect([Expectation("told", .map([]))])])
        #expect(try actions("- expect: { notice: 'none' }") == [.expect([Expectation("notice", .text("none"))])])
        #expect(try actions("- create: ''") == [.create("", on: nil, in: nil)])
    }

    @Test("Equivalent notations of expected values are normalized")
    func canonical() throws {
        let read = try actions(
            "- create: A\n- expect: { clock: '2026-03-11 00:00:00.0', task: { A: { created: 2026-03-10T23:59+02:00 } } }"
        )
        let task: ScenarioValue = .named(["A": .named(["created": .text("2026-03-10T21:59:00Z")])])
        #expect(read.last == .expect([Expectation("clock", .text("2026-03-11 00:00")), Expectation("task", task)]))
    }

    @Test("A refused step does not use up its name")
    func refusals() throws {
        let read = try steps(
            "- create: A\n  refused: empty-text\n- expect: { gone: [A] }\n- create: A\n- undo:\n  refused: undo-expired"
        )
        #expect(read.map(\.refusal) == ["empty-text", nil, nil, "undo-expired"])
        #expect(read.map(\.line) == [5, 7, 8, 9])
    }

    @Test("An application's verbs and subjects accept any value and may create tasks")
    func vocabulary() throws {
        var vocabulary = Vocabulary()
        vocabulary.add(verb: "save book") { _, _ in }
        vocabulary.add(verb: "tick") { _, _ in }
        vocabulary.add(verb: "undo") { _, _ in }
        vocabulary.add(verb: "on") { _, _ in }
        vocabulary.add(subject: "books") { value, _ in value }
        let read = try actions(
            """
            - tick
            - save book: { title: Emma, pages: 3, note: none }
            - undo
            - { create: A, on: today }
            - complete: B
            - expect:
                books: [[1, 2], {}, ~]
            - { crash: process, during: { save book: Emma } }
            """, vocabulary)
        let book: ScenarioValue = .named(["title": .text("Emma"), "pages": .text("3"), "note": .none])
        let books: ScenarioValue = .list([.texts(["1", "2"]), .map([]), .none])
        let expected: [Action] = [
            .custom("tick", .none), .custom("save book", book), .undo, .create("A", on: .today, in: nil),
            .setState("B", .completed), .expect([Expectation("books", books)]),
            .crash(.process, during: .custom("save book", .text("Emma")), choice: 0),
        ]
        #expect(read == expected)

        #expect(throws: SimulationError.self) { try actions("- tick: 3\n  on: today", vocabulary) }
        #expect(throws: SimulationError.self) { try actions("- together: [tick]", vocabulary) }
        let suggestion = #expect(throws: SimulationError.self) { try actions("- sav book: 3", vocabulary) }
        #expect(suggestion?.description.contains("did you mean 'save book'?") == true)
    }

    @Test("YAML anchors can be referenced")
    func anchors() throws {
        let read = try actions(
            "- create: A\n- expect: { today: &list [A] }\n- expect: { inbox: *list }")
        #expect(read.last == .expect([Expectation("inbox", .texts(["A"]))]))
    }

    @Test("A scenario is read from a path")
    func path() throws {
        let file = try TemporaryFile(bytes: Array((goodHead + "steps: [undo]\n").utf8))
        let scenario = try ScenarioReader().read(file: file.path)
        #expect(scenario.steps == [Step(.undo, line: 4)])
        #expect(scenario.file == file.path)
    }
}
