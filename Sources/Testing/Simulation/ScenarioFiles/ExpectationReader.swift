import Daybook

/// Reads the value of `expect`.
struct ExpectationReader {
    let vocabulary: Vocabulary

    func read(_ node: ScenarioNode, names: TaskNames) throws(ScenarioProblem) -> [Expectation] {
        let wanted = "expected values, such as today: [A, B]"
        let fields = try node.fields("expect", wanted)
        guard !fields.isEmpty else { throw node.misfit("expect", wanted) }
        return try fields.map { (field) throws(ScenarioProblem) in
            Expectation(field.key, try value(of: field, names), line: field.line)
        }
    }

    private func value(of field: ScenarioField, _ names: TaskNames) throws(ScenarioProblem) -> ScenarioValue {
        if let subject = ExpectationSubject(rawValue: field.key) {
            return try subject.shape.read(field.value, owner: field.key, names: names)
        }
        if vocabulary.subjects[field.key] != nil { return field.value.value }
        guard let subject = TaskSubject.named(field.key) else { throw unknown(field) }
        return try subject.shape.read(field.value, owner: field.key, names: names)
    }

    private func unknown(_ field: ScenarioField) -> ScenarioProblem {
        let known = ExpectationSubject.allCases.map(\.rawValue) + TaskSubject.names + vocabulary.subjects.keys.sorted()
        let list = ": what can be expected is " + known.joined(separator: ", ") + "."
        return ScenarioProblem(
            field.line,
            "\(quoted(field.key)) cannot be expected"
                + SpellingSuggestions.suggestion(for: field.key, of: known, otherwise: list))
    }
}

/// The built-in subjects of `expect`, and the shape of each one's value.
enum ExpectationSubject: String, CaseIterable {
    case inbox, today, upcoming, past
    case upcomingLabels = "upcoming labels"
    case completedToday = "completed today"
    case tasks, date, zone, clock, statistics
    case statisticsIn = "statistics in"
    case daysOf = "days of"
    case task, gone, reminders, notice, told, changes
    case wakeUps = "wake-ups"

    /// The shape of the subject's value.
    var shape: ValueShape {
        switch self {
        case .inbox, .today, .past, .gone, .reminders: .list(.taskName)
        case .upcoming: .by(.day, .list(.taskName))
        case .upcomingLabels, .changes: .list(.text)
        case .completedToday, .tasks, .wakeUps: .word(.number)
        case .date: .word(.day)
        case .zone: .word(.zone)
        case .clock: .word(.moment)
        case .statistics: Self.statisticsShape
        case .statisticsIn: .by(.zone, Self.statisticsShape)
        case .daysOf: .by(.month, .by(.day, .word(.number)))
        case .task: .by(.taskName, Self.taskShape)
        case .notice: .wordOrNothing(.text)
        case .told: .by(.view, .list(.text))
        }
    }

    private static let statisticsShape = ValueShape.fields([
        ("today", .word(.number)), ("week", .word(.number)), ("month", .word(.number)),
        ("last month", .word(.number)), ("trend", .word(.one(of: ["up", "down", "same", "noData"]))),
        ("sentence", .word(.text)), ("week start", .word(.text)),
    ])

    private static let taskShape = ValueShape.fields(
        [
            ("state", .word(.one(of: TaskState.allCases.map { "\($0)" }))), ("day", .wordOrNothing(.day)),
            ("text", .word(.text)), ("created", .wordOrNothing(.instant)), ("updated", .wordOrNothing(.instant)),
            ("completed", .wordOrNothing(.instant)), ("completed in", .wordOrNothing(.zone)),
            ("reminder", .wordOrNothing(.instant)), ("carried from", .wordOrNothing(.day)),
        ] + TaskWitness.detailShape)
}

/// The shape of a value in `expect`.
indirect enum ValueShape: Sendable {
    /// One word.
    case word(WordKind)
    /// One word, or nothing.
    case wordOrNothing(WordKind)
    /// A list of words; nothing is read as an empty one.
    case list(WordKind)
    /// Values by key; nothing and an empty list are read as no values.
    case by(WordKind, ValueShape)
    /// Named values, a subset of these.
    case fields([(name: String, shape: ValueShape)])

    private var title: String {
        switch self {
        case .word(let kind): kind.title
        case .wordOrNothing(let kind): "\(kind.title), or none"
        case .list(.taskName): "a list of names: [A, B]"
        case .list: "a list: [A, B]"
        case .by(let kind, .list): "{ KEY: [A, B] }, where KEY is \(kind.title)"
        case .by(let kind, _): "{ KEY: VALUE }, where KEY is \(kind.title)"
        case .fields(let fields): "named values: some of " + fields.map(\.name).joined(separator: ", ")
        }
    }

    /// Reads a value of this shape.
    func read(_ node: ScenarioNode, owner: String, names: TaskNames) throws(ScenarioProblem) -> ScenarioValue {
        func word(_ node: ScenarioNode, _ kind: WordKind) throws(ScenarioProblem) -> ScenarioValue {
            let text = try node.text(owner, kind.title)
            return .text(try kind.read(text, line: node.line, owner: owner, names: names))
        }
        switch self {
        case .word(let kind): return try word(node, kind)
        case .wordOrNothing(let kind):
            if node.isNothing { return .none }
            guard case .word = node.content else { throw node.misfit(owner, title) }
            return try word(node, kind)
        case .list(let kind):
            if node.isNothing { return .list([]) }
            return .list(
                try node.list(owner, title).map { (part) throws(ScenarioProblem) in try word(part, kind) })
        case .by(let kind, let shape):
            if node.isNothing { return .map([]) }
            if case .list(let parts) = node.content, parts.isEmpty { return .map([]) }
            return .map(
                try node.fields(owner, title).map { (field) throws(ScenarioProblem) in
                    let key = try kind.read(field.key, line: field.line, owner: owner, names: names)
                    return .init(
                        key, try shape.read(field.value, owner: field.key, names: names), line: field.line)
                })
        case .fields(let known):
            return .map(
                try node.fields(owner, title).map { (field) throws(ScenarioProblem) in
                    guard let shape = known.first(where: { $0.name == field.key })?.shape else {
                        let list = known.map(\.name)
                        throw ScenarioProblem(
                            field.line,
                            "\(quoted(owner)) has no \(quoted(field.key))"
                                + SpellingSuggestions.suggestion(
                                    for: field.key, of: list,
                                    otherwise: ": it has \(list.joined(separator: ", "))."))
                    }
                    return .init(
                        field.key, try shape.read(field.value, owner: field.key, names: names), line: field.line)
                })
        }
    }
}

/// The type of a single word in `expect`.
enum WordKind: Equatable, Sendable {
    case text, taskName, number, day, month, moment, instant, zone, view
    /// The name of a list that a step above has created, or `unlisted`.
    case list
    case newList, newTask
    /// A day, a time or an instant as people write it, or `never`.
    case phrase
    /// A recurrence rule, or `never`.
    case rule
    case yes, yesOrNo
    case one(of: [String])

    /// The description in error messages.
    var title: String {
        switch self {
        case .text: "a text"
        case .taskName: "a task's name"
        case .number: "a number"
        case .day: "a day such as 2026-03-11"
        case .month: "a month such as 2026-03"
        case .moment: "a local time such as 2026-03-11 00:00"
        case .instant: "an instant such as 2026-03-10T21:59:00Z"
        case .zone: "a zone such as Europe/Berlin"
        case .view: "a view: " + WordKind.views.joined(separator: ", ")
        case .list: "a list's name, or unlisted"
        case .newList: "a list's name"
        case .newTask: "a text with phrases at its end"
        case .phrase: "a day or a time such as tomorrow 17:30, or never"
        case .rule: "a recurrence such as every 2 weeks on mon,thu, or never"
        case .yes: "yes"
        case .yesOrNo: "yes or no"
        case .one(let words): "one of " + words.joined(separator: ", ")
        }
    }

    /// Whether a text can be read does not depend on today, unless that is near the ends of the calendar.
    static let anyDay = Day(daysSince1970: 0) ?? .first
    /// Stands for no time and no rule.
    static let never = "never"

    /// The names of the views.
    static let views = TaskView.allCases.map(\.rawValue)

    /// Returns the word in the form in which a run formats it.
    func read(_ text: String, line: Int, owner: String, names: TaskNames) throws(ScenarioProblem) -> String {
        do {
            switch self {
            case .text: return text
            case .taskName:
                try names.mention(text, line: line)
                return text
            case .number:
                if let number = Int(text), number >= 0 { return "\(number)" }
            case .day: return try Day(text).description
            case .month: return try Month(text).description
            case .moment:
                if let moment = Moment(text), case .local = moment { return moment.description }
            case .instant: return try Instant(text).description
            case .zone: return try Zone(text).identifier
            case .view: if WordKind.views.contains(text) { return text }
            case .list:
                try names.useList(text, line: line)
                return text
            case .newList: if !text.allSatisfy(\.isWhitespace), text != TaskVerbWords.unlisted { return text }
            case .newTask: return text
            case .phrase:
                if text != Self.never { _ = try CivilMoment(parsing: text, today: Self.anyDay) }
                return text
            case .rule:
                if text == Self.never { return text }
                _ =
                    try text.contains("=")
                    ? RecurrenceRule(rrule: text) : RecurrenceRule(phrase: text, today: Self.anyDay)
                return text
            case .yes: if text == "yes" { return text }
            case .yesOrNo: if ["yes", "no"].contains(text) { return text }
            case .one(let words): if words.contains(text) { return text }
            }
        } catch let problem as ScenarioProblem {
            throw problem
        } catch {
            throw ScenarioProblem(line, "\(error)")
        }
        throw ScenarioProblem(line, "\(quoted(owner)) needs \(title); found \(quoted(text)).")
    }
}
