import Daybook
import LabSupport
import Simulation

/// Generates valid scenarios with names that are difficult for YAML.
struct GeneratedScenario {
    private var generator: SeededGenerator
    private var names: [String] = []
    private var refused: [String] = []
    private var lists: [String] = []
    private var isOpen = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The vocabulary for the custom verbs and subjects.
    static let vocabulary: Vocabulary = {
        var vocabulary = Vocabulary()
        for word in ownWords {
            vocabulary.add(verb: word) { _, _ in }
            vocabulary.add(subject: word) { value, _ in value }
        }
        return vocabulary
    }()

    private static let ownWords = [
        "tick", "none", "save: book", "1, 2", "- dash", "a\nb", String(repeating: "long ", count: 300),
    ]

    mutating func scenario() -> Scenario {
        var scenario = Scenario(name: text(), start: chance(2) ? local() : .instant(instant()), zone: zone())
        if chance(3) { scenario.requirements = list { $0.text() } }
        if chance(3) { scenario.weekStart = pick([.monday, .sunday, .saturday]) }
        if chance(3) { scenario.seed = generator.next() }
        if chance(3) { scenario.observers = list { $0.zone() } }
        if chance(3) { scenario.followedViews = list { $0.pick(TaskView.allCases) } }
        for _ in 0..<below(30) { scenario.steps.append(step()) }
        return scenario
    }

    private mutating func step() -> Step {
        let before = names
        let action = action()
        guard chance(8) else { return Step(action) }
        if case .expect = action { return Step(action) }
        refused += names.dropFirst(before.count)
        names = before
        return Step(action, refusal: pick(["undo-expired", "empty-text", "no: such"]))
    }

    private mutating func action() -> Action {
        switch below(18) {
        case 0..<6: return operation()
        case 6: return .together(list { $0.operation() })
        case 7: return pick([.undo, .redo, .undoNotice, .sleep, .wake, .close, .open])
        case 8: return .advance(.microseconds(Int64(pick([0, 1, 999_999, 60_000_000, below(1 << 50)]))))
        case 9: return .advanceTo(moment())
        case 10: return .jump(.microseconds(Int64(below(1 << 50)) - (1 << 49)), monotonic: chance(2))
        case 11: return .jumpTo(moment())
        case 12: return .travel(zone())
        case 13:
            let during: Action? =
                chance(3) ? nil : chance(4) ? custom() : chance(3) ? .together(list { $0.operation() }) : operation()
            return .crash(pick(Crash.allCases), during: during, choice: chance(3) ? 0 : generator.next())
        case 14: return .fault(pick(Fault.allCases), writes: 1 + below(9))
        case 15: return .elsewhere(chance(3) ? .undo : operation())
        case 16: return chance(3) ? custom() : .undo
        default: return expectations()
        }
    }

    private mutating func custom() -> Action {
        isOpen = true
        return .custom(pick(Self.ownWords), value(depth: 3))
    }

    private mutating func operation() -> Action {
        if names.isEmpty || chance(3) {
            var name = text()
            while names.contains(name) || refused.contains(name) { name += "'" }
            names.append(name)
            return chance(3)
                ? .create(name, on: nil, in: pick(TaskView.allCases))
                : .create(name, on: chance(2) ? when() : nil, in: nil)
        }
        let name = pick(names)
        switch below(11) {
        case 9, 10: return verb(name)
        case 0: return .setState(name, pick(TaskState.allCases))
        case 1: return .cycle(name)
        case 2: return .schedule(name, on: when(), at: chance(2) ? place() : nil)
        case 3: return .reorder(name, to: place())
        case 4: return .carry(list { $0.pick($0.names) }, to: when())
        case 5: return .edit(name, text: text())
        case 6: return .remind(name, at: chance(3) ? nil : moment())
        case 7: return .delete(name)
        default: return .purge(name)
        }
    }

    /// A verb of the table. Its fields come in the order of the table.
    private mutating func verb(_ name: String) -> Action {
        func fields(_ fields: KeyValuePairs<String, String>) -> [ScenarioValue.Entry] {
            fields.map { ScenarioValue.Entry($0.key, .text($0.value)) }
        }
        switch below(10) {
        case 0:
            lists.append(text() + "L")
            return .perform("add list", .text(lists[lists.count - 1]), with: chance(2) ? fields(["color": text()]) : [])
        case 1 where !lists.isEmpty: return .perform("delete list", .text(pick(lists)), with: [])
        case 2: return .perform("move", .text(name), with: fields(["to": pick(lists + ["unlisted"])]))
        case 3: return .perform("due", .text(name), with: fields(["at": pick(["never", "tomorrow 17:30", "fri"])]))
        case 4: return .perform("place", .text(name), with: fields(["region": "morning", "bucket": "none"]))
        case 5: return .perform("sticky", .text(name), with: chance(2) ? fields(["off": "yes"]) : [])
        case 6: return .perform("reorder in plan", .text(name), with: fields(["before": pick(names)]))
        case 7: return .perform("repeat", .text(name), with: fields(["by": pick(["never", "daily", "FREQ=DAILY"])]))
        case 8: return .perform("categorize", .text(name), with: fields(["as": text()]))
        default: return .perform(pick(["rollover", "expire"]), .none, with: [])
        }
    }

    // MARK: Expectations

    private mutating func expectations() -> Action {
        let subjects = [
            "inbox", "today", "upcoming", "past", "upcoming labels", "completed today", "tasks", "date", "zone",
            "clock",
            "statistics", "statistics in", "days of", "task", "gone", "reminders", "notice", "told", "changes",
            "wake-ups", "overdue", "delivered", "found", "tasks of", "plan", "reminder schedule", "timeline",
        ]
        let chosen = (subjects + Self.ownWords).shuffled(using: &generator).prefix(1 + below(6))
        return .expect(chosen.map { Expectation($0, expected($0)) })
    }

    private mutating func expected(_ subject: String) -> ScenarioValue {
        switch subject {
        case "inbox", "today", "past", "gone", "reminders", "overdue", "delivered": nameList()
        case "found": by({ $0.text() }) { $0.nameList() }
        case "tasks of": by({ $0.pick($0.lists + ["unlisted"]) }) { $0.nameList() }
        case "plan": by({ _ in "morning" }) { $0.by({ _ in "must" }) { $0.nameList() } }
        case "reminder schedule": by({ $0.mentioned() ?? "A" }) { .text("\($0.instant())") }
        case "timeline": by({ "\($0.local())" }) { $0.nameList() }
        case "upcoming": by({ "\($0.day())" }) { $0.nameList() }
        case "upcoming labels", "changes": .texts(list { $0.text() })
        case "completed today", "tasks", "wake-ups": .number(below(1_000))
        case "date": .text("\(day())")
        case "zone": .text(zone())
        case "clock": .text("\(local())")
        case "statistics": statistics()
        case "statistics in": by({ $0.zone() }) { $0.statistics() }
        case "days of": by({ _ in "2026-03" }) { $0.by({ "\($0.day())" }) { .number($0.below(9)) } }
        case "task": by({ $0.mentioned() ?? "A" }) { $0.task() }
        case "notice": chance(2) ? .none : .text(text())
        case "told": by({ $0.pick(TaskView.allCases).rawValue }) { .texts($0.list { $0.text() }) }
        default: value(depth: 3)
        }
    }

    private mutating func statistics() -> ScenarioValue {
        .named([
            "today": .number(below(9)), "last month": .number(0), "trend": .text("noData"), "sentence": .text(text()),
        ])
    }

    private mutating func task() -> ScenarioValue {
        .named([
            "state": .text("notStarted"), "day": chance(2) ? .none : .text("\(day())"), "text": .text(text()),
            "created": .text("\(instant())"), "completed in": chance(2) ? .none : .text(zone()),
            "region": .text("morning"), "list": chance(2) ? .none : .text("unlisted"), "blocked": .text("no"),
        ])
    }

    private mutating func nameList() -> ScenarioValue {
        .texts(list { $0.mentioned() }.compactMap { $0 })
    }

    private mutating func mentioned() -> String? {
        let all = names + refused + (isOpen ? ["Anybody"] : [])
        return all.isEmpty ? nil : pick(all)
    }

    /// Named values with unique names; empty if there is nothing to name.
    private mutating func by(
        _ key: (inout GeneratedScenario) -> String, _ value: (inout GeneratedScenario) -> ScenarioValue
    ) -> ScenarioValue {
        var entries: [ScenarioValue.Entry] = []
        for _ in 0..<below(4) where mentioned() != nil {
            let key = key(&self)
            if !entries.contains(where: { $0.key == key }) { entries.append(.init(key, value(&self))) }
        }
        return .map(entries)
    }

    private mutating func value(depth: Int) -> ScenarioValue {
        switch below(depth == 0 ? 3 : 5) {
        case 0: return .none
        case 1, 2: return .text(text())
        case 3: return .list(list { $0.value(depth: depth - 1) })
        default:
            var entries: [ScenarioValue.Entry] = []
            for key in Set(list { $0.text() }).sorted() { entries.append(.init(key, value(depth: depth - 1))) }
            return .map(entries)
        }
    }

    // MARK: Words

    private mutating func text() -> String {
        let pieces = [
            "yes", "none", "null", "~", "3", "Buy milk", "- ", "-", "-1d", "a: b", ":", "#", " #", "'", "\"", "\\",
            "\n", "\r",
            "\t", " ", "é", "e\u{301}", "\u{301}", "日本", "🙂", "{", "}", "[", "]", ",", "?", "? ", "*a", "&b", "!", "|",
            ">", "%",
            "@", "`", "\u{0}", "\u{7F}", "\u{85}", "\u{A0}", "\u{2028}", "\u{FEFF}", "\u{FFFE}", "\u{E000}", "---",
            "...", "<<",
            "=", "08:00", "2026-03-11", "refused", "first", String(repeating: "very ", count: 30),
            String(repeating: "x", count: 1_100),
        ]
        let count = pick([0, 1, 1, 1, 2, 3, 4])
        let text = (0..<count).map { _ in pick(pieces) }.joined()
        // Foundation, which Yams uses to create strings, strips a leading byte order mark.
        return String(String.UnicodeScalarView(text.unicodeScalars.drop { $0 == "\u{FEFF}" }))
    }

    private mutating func day() -> Day { Day(daysSince1970: Int32(below(60_000)) - 20_000) ?? .first }

    private mutating func instant() -> Instant {
        Instant(
            microsecondsSince1970: pick([0, 1, Int64(below(1 << 52)), -Int64(below(1 << 52)), 1_773_000_000_000_000]))
    }

    private mutating func local() -> Moment {
        .local(day(), microseconds: timeOfDay())
    }

    private mutating func timeOfDay() -> Int64 {
        pick([0, 86_399_999_999, 30_000_000, 3_600_000_000, 1_500_000, Int64(below(86_400_000_000))])
    }

    private mutating func moment() -> Moment {
        pick([.midnight, local(), .timeOfDay(microseconds: timeOfDay()), .instant(instant())])
    }

    private mutating func when() -> When {
        pick([.inbox, .today, .tomorrow, .day("\(day())"), .day("+3d"), .day("fri"), .day("yesterday")])
    }

    private mutating func place() -> Place {
        pick([.first, .last, .before(pick(names)), .after(pick(names)), .index(below(100))])
    }

    private mutating func zone() -> String {
        pick(["UTC", "Europe/Istanbul", "America/St_Johns", "Etc/GMT+12", "Pacific/Apia"])
    }

    // MARK: Draws

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func list<Element>(_ draw: (inout GeneratedScenario) -> Element) -> [Element] {
        (0..<below(4)).map { _ in draw(&self) }
    }
}
