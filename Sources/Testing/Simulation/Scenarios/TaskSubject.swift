import Daybook

/// A subject of `expect` about lists, due times, the planner, recurrence or dependencies: an entry of a table, which says what
/// shape its value has and how it is found.
struct TaskSubject: Sendable {
    /// Finds a value; what the scenario expects says what it asks for.
    typealias Body = @Sendable (ScenarioValue, TaskWitness) throws -> ScenarioValue

    let name: String
    let shape: ValueShape
    let find: Body

    init(_ name: String, _ shape: ValueShape, _ find: @escaping Body) {
        self.name = name
        self.shape = shape
        self.find = find
    }

    /// The subject of a name; nil if the table has none.
    static func named(_ name: String) -> TaskSubject? { byName[name] }

    /// The names of all subjects, in the order of the table.
    static let names = table.map(\.name)

    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })
}

/// What subjects read, and how the scenario names what they find.
struct TaskWitness {
    let tasks: TaskList
    let context: Context
    let name: (UUID) -> String
    let id: (String) -> UUID
    /// What verbs have returned since the last check.
    let reported: [String: [UUID]]

    func names(_ tasks: some Sequence<TaskItem>) -> ScenarioValue { .texts(tasks.map { name($0.id) }) }

    /// Returns a list, by its present name; nil for `unlisted`.
    func list(_ name: String, _ reading: TaskReading) throws -> UUID? {
        name == TaskVerbWords.unlisted ? nil : try reading.findList(name).id
    }

    /// Finds a value for each key that is asked for.
    func each(
        _ expected: ScenarioValue, _ find: (String, ScenarioValue) throws -> ScenarioValue
    ) rethrows -> ScenarioValue {
        .map(try expected.entries.map { .init($0.key, try find($0.key, $0.value)) })
    }

    /// The details of a task that no view shows.
    func details(of task: TaskItem, _ reading: TaskReading) throws -> [ScenarioValue.Entry] {
        func text(_ value: (some CustomStringConvertible)?) -> ScenarioValue { value.map { .text("\($0)") } ?? .none }
        let due: ScenarioValue = task.due(in: context.zone).map { .text($0.text(in: context.zone)) } ?? .none
        return [
            .init("list", text(try task.listID.flatMap { try reading.list($0)?.name })), .init("due", due),
            .init("region", .text(task.region.name)), .init("bucket", .text(task.bucket.name)),
            .init("sticky", .text(task.isSticky ? "yes" : "no")), .init("category", text(task.category)),
            .init("note", text(task.notes)), .init("rule", text(task.recurringPattern)),
            .init("archived", text(task.archivedAt)),
            .init("blocked", .text(try reading.isBlocked(task.id) ? "yes" : "no")),
            .init("carries", .number(Int(task.carryCount))),
        ]
    }

    /// The shape of those details.
    static let detailShape: [(name: String, shape: ValueShape)] = [
        ("list", .wordOrNothing(.list)), ("due", .wordOrNothing(.text)), ("region", .word(TaskVerb.regions)),
        ("bucket", .word(TaskVerb.buckets)), ("sticky", .word(.yesOrNo)), ("category", .wordOrNothing(.text)),
        ("note", .wordOrNothing(.text)), ("rule", .wordOrNothing(.text)), ("archived", .wordOrNothing(.instant)),
        ("blocked", .word(.yesOrNo)), ("carries", .word(.number)),
    ]
}
