import Daybook

/// A verb about lists, due times, the planner, recurrence or dependencies: an entry of a table, which says what the verb takes
/// and what it does in a transaction. Reading, writing, crashes, faults, `together` and other processes need no more.
///
/// The model does not follow what these verbs do to tasks. From then on, `expect` and `verify` check the run.
struct TaskVerb: Sendable {
    /// What a verb does. It returns the tasks that subjects of `expect` show, such as those that a rollover carried.
    typealias Body = @Sendable (TaskVerbWords, TaskTransaction) throws -> [String: [UUID]]

    /// A value beside the verb.
    struct Companion: Sendable {
        let name: String
        let kind: WordKind
        let isRequired: Bool
    }

    let name: String
    /// What the value is; nil for a verb without one.
    let value: WordKind?
    private(set) var companions: [Companion]
    /// How the change log names it.
    let operation: TaskOperation
    let body: Body

    /// A verb that returns nothing.
    init(
        _ name: String, _ value: WordKind? = nil, _ required: KeyValuePairs<String, WordKind> = [:],
        optionally optional: KeyValuePairs<String, WordKind> = [:], as operation: TaskOperation,
        _ body: @escaping @Sendable (TaskVerbWords, TaskTransaction) throws -> Void
    ) {
        self.name = name
        self.value = value
        companions =
            required.map { Companion(name: $0.key, kind: $0.value, isRequired: true) }
            + optional.map { Companion(name: $0.key, kind: $0.value, isRequired: false) }
        self.operation = operation
        self.body = { words, tasks in
            try body(words, tasks)
            return [:]
        }
    }

    /// A verb without a value that returns tasks.
    init(_ name: String, as operation: TaskOperation, reporting body: @escaping Body) {
        self.name = name
        value = nil
        companions = []
        self.operation = operation
        self.body = body
    }

    /// The same verb with a place beside it: `first: yes`, `before: NAME`, …
    func withPlace(_ neighbor: WordKind) -> TaskVerb {
        var verb = self
        for name in ScenarioVerb.places {
            let kind: WordKind =
                switch name {
                case "before", "after": neighbor
                case "index": .number
                default: .yes
                }
            verb.companions.append(Companion(name: name, kind: kind, isRequired: false))
        }
        return verb
    }

    /// Whether a place is among its companions.
    var hasPlace: Bool { companions.contains { $0.name == ScenarioVerb.places[0] } }

    /// The steps that the verb may be part of.
    var owners: [ScenarioVerb] { name == Self.deliverReminders ? [.elsewhere] : [.together, .crash, .elsewhere] }

    /// The verb of a name; nil if the table has none.
    static func named(_ name: String) -> TaskVerb? { byName[name] }

    /// The names of all verbs, in the order of the table.
    static let names = table.map(\.name)
    /// Everything that may be beside one of them.
    static let allCompanions = Set(table.flatMap { $0.companions.map(\.name) })

    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })
}

/// The words of a step, as its verb reads them. Tasks are named as in the scenario, lists by their present names.
struct TaskVerbWords {
    let value: ScenarioValue
    let fields: [ScenarioValue.Entry]
    let context: Context
    let id: (String) -> UUID

    /// The word of a field, or of the value itself.
    func text(_ field: String? = nil) throws -> String {
        guard let field else { return try value.text() }
        return try ScenarioValue.map(fields).text(field)
    }

    func optionalText(_ field: String) -> String? { fields.first { $0.key == field }?.value.description }

    /// A task, by its name in the scenario.
    func task(_ field: String? = nil) throws -> UUID { id(try text(field)) }

    /// A list, by its present name; nil for `unlisted`.
    func list(_ field: String? = nil, in tasks: TaskTransaction) throws -> UUID? {
        let name = try text(field)
        return name == Self.unlisted ? nil : try tasks.reading.findList(name).id
    }

    /// A list that is one.
    func requiredList(in tasks: TaskTransaction) throws -> UUID { try tasks.reading.findList(text()).id }

    /// A day, a time or an instant as people write it; nil for `never`.
    func moment(_ field: String) throws -> CivilMoment? {
        let text = try text(field)
        return text == WordKind.never ? nil : try CivilMoment(parsing: text, in: context)
    }

    func instant(_ field: String) throws -> Instant? {
        try moment(field).map { $0.instant(in: context.zone) ?? context.zone.start(of: $0.day(in: context.zone)) }
    }

    /// Whether the verb is not taken back by `off: yes`.
    var isOn: Bool { optionalText("off") == nil }

    /// The place beside the verb.
    func place(_ id: (String) throws -> UUID) throws -> OrderPosition<UUID> {
        guard let entry = fields.first(where: { ScenarioVerb.places.contains($0.key) }) else { return .last }
        switch entry.key {
        case "first": return .first
        case "before": return .before(try id(entry.value.text()))
        case "after": return .after(try id(entry.value.text()))
        case "index": return .index(try entry.value.number())
        default: return .last
        }
    }

    /// Stands for the tasks that are in no list.
    static let unlisted = "unlisted"
}

extension TaskReminder {
    /// The reminder at a moment; nil for a whole day.
    init?(_ moment: CivilMoment) {
        switch moment {
        case .day: return nil
        case .time(let day, let seconds): self = .time(day, secondsIntoDay: seconds)
        case .instant(let instant): self = .at(instant)
        }
    }
}
