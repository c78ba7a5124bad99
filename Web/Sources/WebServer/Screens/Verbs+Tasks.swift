import Daybook
import FoundationEssentials

extension Verbs {
    /// What is done to tasks as a whole: creating, states, days, places.
    static let tasks: [String: Verb] = [
        "preview": Verb(isReading: true) { act, board in Understood(try act.require(act.text), board) },
        "retry": Verb(isReading: true) { act, board in
            board.retry(try act.require(act.view), on: act.page)
            return nil
        },
        "create": Verb { act, board in
            let new = try newTask(act, board)
            let id = try act.require(new.id)
            let task = try await board.pending.during([id]) { try await board.session.tasks.create(new) }
            return Created(task, in: act.view, board)
        },
        "cycle": .onTasks { _, ids, tasks, _ in try await tasks.cycle(ids) },
        "complete": .onTasks { _, ids, tasks, _ in try await tasks.complete(ids) },
        "reopen": .onTasks { _, ids, tasks, _ in try await tasks.reopen(ids) },
        "start": .onTasks { _, ids, tasks, _ in try await tasks.start(ids) },
        "schedule": .onTasks { act, ids, tasks, context in
            let day = try act.when(in: context)
            if ids.count == 1 {
                try await tasks.schedule(ids[0], on: day, at: act.place?.place)
            } else {
                try await tasks.schedule(ids, on: day)
            }
        },
        "drop": .onTasks { act, ids, tasks, context in try await drop(act, try act.task(), tasks, context) },
        "reorder": .onTasks { act, _, tasks, _ in
            let (id, place) = (try act.task(), act.place?.place ?? .last)
            switch act.in {
            case "list": try await tasks.reorder(id, inListTo: place)
            case "plan": try await tasks.reorderInPlan(id, to: place)
            default: try await tasks.reorder(id, to: place)
            }
        },
        "carry": .onTasks { act, ids, tasks, context in try await tasks.carry(ids, to: try act.when(in: context)) },
        "delete": .onTasks { _, ids, tasks, _ in try await tasks.delete(ids) },
        "undo": .on { _, board in
            if !(await board.undo.undo()), let failure = board.undo.failure { throw failure }
        },
    ]

    /// A task dropped on a view has the day of the view; on a list, that list.
    private static func drop(_ act: VerbArguments, _ id: UUID, _ tasks: TaskList, _ context: Context) async throws {
        switch try act.require(act.view) {
        case "inbox": try await tasks.schedule(id, on: .inbox, at: act.place?.place)
        case "today": try await tasks.schedule(id, on: .today, at: act.place?.place)
        case "upcoming": try await tasks.schedule(id, on: try act.dayOrElse(.tomorrow, context), at: act.place?.place)
        case "past":
            let yesterday = TaskDay.on(context.today.advanced(by: -1))
            try await tasks.schedule(id, on: try act.dayOrElse(yesterday, context), at: act.place?.place)
        case "list:none": try await tasks.move(id, toList: nil)
        case let view where view.hasPrefix("list:"):
            try await tasks.move(id, toList: try uuid(String(view.dropFirst("list:".count))))
        default: throw InvalidRequest("A task cannot be dropped there.")
        }
    }

    /// The task that a line of the input field describes, in the view or list that is open.
    @MainActor private static func newTask(_ act: VerbArguments, _ board: Board) throws -> NewTask {
        let context = board.store.context
        let typed = try act.require(act.text)
        var new = NewTask(typed, id: board.newID())
        if act.plain != true {
            let found = QuickAdd(parsing: typed, in: context)
            (new.text, new.day, new.category, new.tags) = (found.text, found.day, found.category, found.tags)
            (new.bucket, new.region, new.priority) = (found.bucket, found.region, found.priority ?? .none)
            new.due = found.due.map { TaskDue($0) }
            new.reminder = found.reminder.flatMap(TaskReminder.init(typed:))
            new.recurrence = found.rule?.anchored(at: new.anchor(in: context.zone) ?? context.today)
        }
        switch act.view {
        case "today": new.day = new.day ?? context.today
        case "upcoming": new.day = new.day ?? context.today.advanced(by: 1)
        case let view? where view.hasPrefix("plan"): new.day = new.day ?? context.today
        case let view? where view.hasPrefix("list:") && view != "list:none":
            new.list = try uuid(String(view.dropFirst("list:".count)))
        default: break
        }
        return new
    }
}

extension TaskReminder {
    /// A moment with a time; nil for a day, on which nobody can be reminded at a time.
    init?(typed moment: CivilMoment) {
        switch moment {
        case .day: return nil
        case .time(let day, let seconds): self = .time(day, secondsIntoDay: seconds)
        case .instant(let instant): self = .at(instant)
        }
    }
}

extension VerbArguments {
    /// The day under whose heading it was dropped, or that of the view.
    fileprivate func dayOrElse(_ other: TaskDay, _ context: Context) throws -> TaskDay {
        day == nil ? other : try when(in: context)
    }
}

/// A task that was created.
struct Created: Encodable, Sendable {
    let id: String
    /// What to tell the person where the view that is open does not show it.
    let elsewhere: String?

    @MainActor init(_ task: TaskItem, in view: String?, _ board: Board) {
        let context = board.store.context
        let today = context.today
        let isShown =
            switch view {
            case "inbox": task.scheduledDate == nil
            case "today": task.scheduledDate == today
            case "upcoming": task.scheduledDate.map { $0 > today } ?? false
            case "past": task.scheduledDate.map { $0 < today } ?? false
            default: true
            }
        id = task.id.uuidString.lowercased()
        elsewhere = isShown ? nil : board.texts.spokenCreation(of: task, today: today, in: context.zone)
    }
}

/// What was understood of a line that is being typed.
struct Understood: Encodable, Sendable {
    let text: String
    let parts: [Part]
    let empty: Bool

    struct Part: Encodable, Sendable {
        let kind: String
        let text: String
    }

    @MainActor init(_ line: String, _ board: Board) {
        let context = board.store.context
        let (today, zone) = (context.today, context.zone)
        let found = QuickAdd(parsing: line, in: context)
        var parts: [Part] = []
        func add(_ kind: String, _ text: String?) { if let text { parts.append(Part(kind: kind, text: text)) } }
        add("day", found.day.map { board.texts.relative($0, today: today) })
        add("due", found.due.map { "due " + board.texts.relative(TaskDue($0), on: today, in: zone) })
        add(
            "reminder",
            found.reminder.flatMap { $0.instant(in: zone) }.map { board.texts.relative(.at($0), on: today, in: zone) })
        add("repeat", found.rule.map { $0.phrase(weekStart: context.weekStart) ?? $0.rrule })
        for tag in found.tags { add("tag", "#\(tag)") }
        add("priority", found.priority?.name)
        add("region", found.region.map(board.texts.heading))
        add("bucket", found.bucket.map(board.texts.heading))
        (text, self.parts, empty) = (found.text, parts, found.text.trimmed.isEmpty)
    }
}
