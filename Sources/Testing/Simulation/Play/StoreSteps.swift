import Daybook

/// Several operations for one transaction: values only, so that another thread or process can perform them.
struct StoreSteps: Sendable {
    let actions: [Action]
    let ids: [String: UUID]
    let moment: ModelMoment
    let context: Context

    /// What the steps did.
    struct Outcome: Sendable {
        /// The ids of the tasks that were created, by name.
        var created: [String: UUID] = [:]
        /// What verbs of the table returned.
        var reported: [String: [UUID]] = [:]
    }

    /// An id that no task has.
    static let unknown = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))

    func perform(in tasks: TaskTransaction) throws -> Outcome {
        var outcome = Outcome()
        for action in actions {
            let id = { [outcome] (name: String) in outcome.created[name] ?? ids[name] ?? Self.unknown }
            switch action {
            case .create(let name, let when, let view):
                let day = try when?.day(today: moment.today) ?? view?.day(today: moment.today)
                outcome.created[name] = try tasks.create(name, on: day).id
            case .setState(let name, let state): try tasks.setState(id(name), to: state)
            case .cycle(let name): try tasks.cycle(id(name))
            case .schedule(let name, let when, let place):
                try tasks.schedule(
                    id(name), on: try when.taskDay(today: moment.today), at: place.map { $0.taskPlace(id) })
            case .reorder(let name, let place): try tasks.reorder(id(name), to: place.taskPlace(id))
            case .carry(let names, let when):
                try tasks.carry(names.map(id), to: try when.taskDay(today: moment.today))
            case .edit(let name, let text): try tasks.edit(id(name)) { $0.text = text }
            case .remind(let name, .local(let day, let time)) where time % 1_000_000 == 0:
                try tasks.remind(id(name), on: day, secondsIntoDay: Int(time / 1_000_000))
            case .remind(let name, let when):
                try tasks.remind(id(name), at: when?.instant(after: moment.wall, in: moment.zone))
            case .delete(let name): try tasks.delete(id(name))
            case .purge(let name): try tasks.purge(id(name))
            case .perform(let verb, let value, let fields):
                let words = TaskVerbWords(value: value, fields: fields, context: context, id: id)
                let reported = try TaskVerb.named(verb)?.body(words, tasks) ?? [:]
                outcome.reported.merge(reported) { $0 + $1 }
            default: break
            }
        }
        return outcome
    }
}

extension Action {
    /// Whether it has a verb of the table, which the model does not follow.
    var hasTaskVerb: Bool {
        switch self {
        case .perform: true
        case .together(let actions): actions.contains(where: \.hasTaskVerb)
        default: false
        }
    }

    /// The operations that the action consists of.
    var parts: [Action] {
        if case .together(let actions) = self { return actions }
        return [self]
    }
}

extension When {
    func day(today: Day) throws(DatePhraseError) -> Day? {
        switch self {
        case .inbox: nil
        case .today: today
        case .tomorrow: today.advanced(by: 1)
        case .day(let text): try Day(parsing: text, today: today)
        }
    }

    func taskDay(today: Day) throws(DatePhraseError) -> TaskDay {
        switch self {
        case .inbox: .inbox
        case .today: .today
        case .tomorrow: .tomorrow
        case .day(let text): .on(try Day(parsing: text, today: today))
        }
    }
}

extension Action {
    /// Resolves days and moments as of now. Scheduling for today or tomorrow stays relative, because the store resolves
    /// those itself, possibly later.
    func resolved(at moment: ModelMoment) throws -> Action {
        func resolved(_ when: When) throws -> When {
            if case .day = when { try when.day(today: moment.today).map { .day("\($0)") } ?? .inbox } else { when }
        }
        switch self {
        case .create(let name, .some(let when), _):
            return .create(name, on: try when.day(today: moment.today).map { .day("\($0)") }, in: nil)
        case .schedule(let name, let when, let place): return .schedule(name, on: try resolved(when), at: place)
        case .carry(let names, let when): return .carry(names, to: try resolved(when))
        case .remind(let name, .some(let when)):
            // The store resolves local times itself.
            if case .local = when { return self }
            return .remind(name, at: .instant(when.instant(after: moment.wall, in: moment.zone)))
        case .together(let actions):
            return .together(
                try actions.map { action in
                    // A transaction has no views to create a task in: it needs a day.
                    if case .create(let name, nil, .some(let view)) = action {
                        return .create(name, on: view.day(today: moment.today).map { .day("\($0)") }, in: nil)
                    }
                    return try action.resolved(at: moment)
                })
        default: return self
        }
    }
}

extension TaskView {
    /// Returns the day of a task that is created in this view.
    func day(today: Day) -> Day? {
        switch self {
        case .inbox, .past: nil
        case .today: today
        case .upcoming: today.advanced(by: 1)
        }
    }
}

extension Place {
    func taskPlace(_ id: (String) -> UUID) -> TaskPlace {
        switch self {
        case .first: .first
        case .last: .last
        case .before(let name): .before(id(name))
        case .after(let name): .after(id(name))
        case .index(let index): .index(index)
        }
    }
}
