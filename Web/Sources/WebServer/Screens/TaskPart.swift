import Daybook
import DaybookModels
import FoundationEssentials

/// Everything of one task.
@MainActor
final class TaskPart: Part {
    private let id: UUID
    var models: [LiveModel] { [] }

    init(_ id: UUID) { self.id = id }

    struct State: PartState {
        var part: String
        var missing: Bool?
        var row: Row?
        var text: String?
        var notes: String?
        var fields: [Field] = []
        var subtasks: [Row] = []
        var blockers: [Row] = []
    }

    /// A field that a page shows with a label of the server's.
    struct Field: Encodable {
        let name: String
        let label: String
        let value: String
    }

    func send(_ request: PartRequest, to page: OpenPage, _ board: Board) throws {
        var state = State(part: request.part)
        let (zone, id) = (board.store.context.zone, id)
        try board.session.read { transaction in
            let reading = transaction.tasks
            guard let task = try reading.get(id) else {
                state.missing = true
                return
            }
            state.row = try board.row(task, reading)
            (state.text, state.notes) = (task.text, task.notes)
            state.subtasks = try reading.subtasks(of: id).map { try board.row($0, reading) }
            state.blockers = try reading.blockers(of: id).map { try board.row($0, reading) }
            state.fields = Self.fields(of: task, in: zone, weekStart: board.store.context.weekStart)
        }
        page.send(state, hasRows: false)
    }

    /// The dates as a person types them, each of which parses to the same moment, and what cannot be edited.
    private static func fields(of task: TaskItem, in zone: Zone, weekStart: Weekday) -> [Field] {
        func moment(_ instant: Instant) -> String {
            let day = zone.day(of: instant)
            let seconds = instant.microseconds(since: zone.start(of: day)) / 1_000_000
            return CivilMoment.time(day, secondsIntoDay: Int(seconds)).description
        }
        var fields: [Field] = []
        func add(_ name: String, _ label: String, _ value: String?) {
            if let value { fields.append(Field(name: name, label: label, value: value)) }
        }
        add("day", "Day", task.scheduledDate?.description)
        switch task.due(in: zone) {
        case .day(let day): add("due", "Due", day.description)
        case .some(let due): add("due", "Due", moment(due.end(in: zone)))
        case nil: break
        }
        add("remind", "Reminder", task.reminderAt.map(moment))
        add("repeat", "Repeats", task.recurrence.map { $0.phrase(weekStart: weekStart) ?? $0.rrule })
        add("wait", "Hidden until", task.waitUntil?.description)
        add("created", "Created", moment(task.createdAt))
        add("changed", "Changed", moment(task.updatedAt))
        add("completed", "Completed", task.completedAt.map(moment))
        return fields
    }
}
