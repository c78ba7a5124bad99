import Daybook
import DomainPacks

/// The expected content, notifications and refusals of a store, in plain arrays: the reference that every run is
/// compared with.
///
/// It shares only the rules of days and zones with the store; ``ZoneCheck`` verifies those.
struct Model: Sendable {
    /// An operation that can be undone or redone, with the state before or after it.
    private struct Step: Sendable {
        var operation: TaskOperation
        /// The sequence number of the change.
        var sequence: Int
        var other: ModelState
        /// The tasks that it changed, except those that were purged.
        var names: Set<String>
        /// The records of the domain before it, or after it.
        var records: (any DomainPack)?
    }

    /// What an undo notice offers to undo.
    struct Notice: Sendable, Equatable {
        var text: String
        /// The tasks that were changed, ascending.
        var names: [String]
        var sequence: Int
        var deadline: MonotonicTime
    }

    private(set) var state = ModelState()
    /// The records of the scenario's domain; nil if it has none, or if they are not followed any more.
    var records: (any DomainPack)?
    private var undoable: [Step] = []
    private var redoable: [Step] = []
    /// The tasks that each committed change touched, and the change as the feed reports it: number n is at index n - 1.
    private var log: [(names: Set<String>, change: ModelChange)] = []
    /// The oldest change that is retained; undo cannot go back further.
    private var oldest = 1
    /// The state before each change that has a notice, by sequence number.
    private var origins: [Int: (operation: TaskOperation, before: ModelState)] = [:]
    private var lastNotice: Notice?

    /// The last sequence number of the change feed.
    var sequence: Int { log.count }
    /// The number of retained changes.
    var changesKept: Int { log.count - oldest + 1 }
    /// Whether old changes were dropped.
    var isTrimmed: Bool { oldest > 1 }
    /// Whether the model predicts what undoing the last notice leads to: not where others followed a change of several tasks.
    var isNoticeModelled: Bool {
        lastNotice.map { $0.names.count == 1 || $0.sequence == undoable.last?.sequence } ?? true
    }
    /// Whether there is something to redo.
    var canRedo: Bool { Self.next(of: redoable, since: oldest) != nil }

    /// Returns the last retained changes, as the feed must report them to a consumer that resumes.
    func changes(last count: Int) -> [ModelChange] {
        log.dropFirst(oldest - 1).suffix(count).map(\.change)
    }

    /// Returns the notice that can be used now.
    func notice(at moment: ModelMoment) -> Notice? {
        lastNotice.flatMap { moment.monotonic <= $0.deadline ? $0 : nil }
    }

    /// Drops what only the previous process knew.
    mutating func forgetNotice() {
        lastNotice = nil
    }

    // MARK: Operations

    /// Performs an operation.
    ///
    /// - Parameters:
    ///   - moment: when it was performed, after any waits.
    ///   - asked: when it was requested, which is what counts for a notice.
    ///   - isElsewhere: whether another process performs it, which leaves no notice here and does not label the change.
    /// - Returns: the change that the feed must report; nil if nothing changed.
    /// - Throws: the refusal that the store must give. The model is unchanged then.
    mutating func perform(
        _ action: Action, at moment: ModelMoment, asked: ModelMoment, isElsewhere: Bool = false
    ) throws -> ModelChange? {
        switch action {
        case .undo, .redo:
            let change = try action == .undo ? undo(at: moment) : redo(at: moment)
            if !isElsewhere { lastNotice = nil }
            return change
        case .undoNotice: return try undoNotice(at: moment, asked: asked)
        default: break
        }
        var editor = ModelEditor(state: state, moment: moment)
        try editor.perform(action)
        let operation = isElsewhere ? .several : action.operation
        let before = state
        state = editor.state
        if case .purge(let name) = action { return purge(name, from: before, operation, at: moment) }
        guard let change = commit(operation, from: before, at: moment) else { return nil }
        if !isElsewhere, let text = noticeText(of: action, at: moment) {
            lastNotice = Notice(
                text: text, names: ModelState.differences(before, state).sorted(), sequence: sequence,
                deadline: moment.monotonic.advanced(byMicroseconds: 3_000_000))
            origins[sequence] = (operation, before)
        }
        return change
    }

    /// Records a change of records other than tasks. It can be undone like any other change, and leaves all tasks as
    /// they are.
    ///
    /// - Parameter records: the records of the domain after it.
    mutating func noteRecords(
        _ operation: TaskOperation, records after: (any DomainPack)? = nil, at moment: ModelMoment
    ) -> ModelChange {
        // A name that no task can have, so that the change counts as undoable.
        let names: Set = ["records of change \(sequence + 1)\0"]
        let change = append(names, ModelChange(operation, at: moment.wall, from: state, to: state))
        undoable.append(step(operation, names, state))
        redoable = []
        records = after ?? records
        return change
    }

    private func step(_ operation: TaskOperation, _ names: Set<String>, _ other: ModelState) -> Step {
        Step(operation: operation, sequence: sequence, other: other, names: names, records: records)
    }

    private mutating func commit(
        _ operation: TaskOperation, from before: ModelState, at moment: ModelMoment
    ) -> ModelChange? {
        let names = ModelState.differences(before, state)
        guard !names.isEmpty else { return nil }
        let change = append(names, ModelChange(operation, at: moment.wall, from: before, to: state, of: names))
        undoable.append(step(operation, names, before))
        redoable = []
        return change
    }

    /// Appends a row to the change log. Every 64th one drops rows that are more than 400 days old, except the last 64.
    private mutating func append(_ names: Set<String>, _ change: ModelChange) -> ModelChange {
        log.append((names, change))
        guard sequence % 64 == 0 else { return change }
        let end = min(max(0, sequence - 64), oldest + 256)
        while oldest < end, log[oldest - 1].change.instant.advanced(bySeconds: 400 * 86_400) < change.instant {
            oldest += 1
        }
        return change
    }

    private func noticeText(of action: Action, at moment: ModelMoment) -> String? {
        switch action {
        case .setState(_, let target): return "Marked as \(target.name)"
        case .cycle(let name): return "Marked as \(state.tasks[name]?.state.name ?? "")"
        case .reorder: return "Moved"
        case .carry: return "Carried over"
        case .schedule(let name, _, _):
            guard let day = state.tasks[name]?.day else { return "Moved to Inbox" }
            let today = moment.today
            return "Moved to \(day == today ? "Today" : day > today ? "Upcoming" : "Past")"
        default: return nil
        }
    }

    /// Removes a task from all earlier states as well; a purge cannot be undone.
    private mutating func purge(
        _ name: String, from before: ModelState, _ operation: TaskOperation, at moment: ModelMoment
    ) -> ModelChange {
        for index in undoable.indices {
            undoable[index].other.forget(name)
            undoable[index].names.remove(name)
        }
        for sequence in origins.keys { origins[sequence]?.before.forget(name) }
        for index in log.indices {
            log[index].names.remove(name)
            log[index].change.forget(name)
        }
        let change = append([], ModelChange(operation, at: moment.wall, from: before, to: state))
        undoable.append(step(operation, [], before))
        redoable = []
        return change
    }

    // MARK: Taking back

    private mutating func undo(at moment: ModelMoment) throws(ModelRefusal) -> ModelChange {
        try takeBack(from: \.undoable, onto: \.redoable, orRefuse: "nothing-to-undo", at: moment)
    }

    private mutating func redo(at moment: ModelMoment) throws(ModelRefusal) -> ModelChange {
        try takeBack(from: \.redoable, onto: \.undoable, orRefuse: "nothing-to-redo", at: moment)
    }

    private mutating func takeBack(
        from steps: WritableKeyPath<Model, [Step]>, onto others: WritableKeyPath<Model, [Step]>,
        orRefuse code: String, at moment: ModelMoment
    ) throws(ModelRefusal) -> ModelChange {
        guard let index = Self.next(of: self[keyPath: steps], since: oldest) else { throw ModelRefusal(code) }
        let step = self[keyPath: steps][index]
        if let other = step.records, let code = records?.restorationRefusal(other) { throw ModelRefusal(code) }
        self[keyPath: steps].removeSubrange(index...)
        let (before, recordsBefore) = (state, records)
        let change = restore(step, at: moment)
        if let other = step.records { records = records?.restoredContent(other) }
        self[keyPath: others].append(
            Step(
                operation: step.operation, sequence: sequence, other: before, names: step.names,
                records: recordsBefore))
        return change
    }

    /// Returns the last step that still changes something, if the log retains it.
    private static func next(of steps: [Step], since oldest: Int) -> Int? {
        for index in steps.indices.reversed() {
            if steps[index].sequence < oldest { return nil }
            if !steps[index].names.isEmpty { return index }
        }
        return nil
    }

    /// Restores the tasks of a step and all places to their other state; times of change still advance.
    private mutating func restore(_ step: Step, at moment: ModelMoment) -> ModelChange {
        let current = state
        state.places = step.other.places
        for name in step.names {
            state.tasks[name] = step.other.tasks[name]
            state.deleted[name] = step.other.deleted[name]
            state.tasks[name]?.restore(replacing: current.tasks[name], at: moment.wall)
        }
        return append(
            step.names,
            ModelChange(step.operation, isRestoration: true, at: moment.wall, from: current, to: state))
    }

    /// Undoes the change of the last notice, even if others have followed.
    private mutating func undoNotice(
        at moment: ModelMoment, asked: ModelMoment
    ) throws(ModelRefusal) -> ModelChange {
        guard let notice = notice(at: asked), let origin = origins[notice.sequence] else {
            throw ModelRefusal("undo-expired")
        }
        lastNotice = nil
        if notice.sequence == undoable.last?.sequence { return try undo(at: moment) }
        // Where it would put several tasks back among others is not modelled: `isNoticeModelled`.
        guard let name = notice.names.first, notice.names.count == 1 else { throw ModelRefusal("nothing-to-undo") }
        guard !log[notice.sequence...].contains(where: { $0.names.contains(name) }) else {
            throw ModelRefusal("changed-since")
        }
        let before = state
        guard var image = origin.before.tasks[name], let current = state.tasks[name] else {
            throw ModelRefusal("nothing-to-undo")
        }
        image.restore(replacing: current, at: moment.wall)
        state.tasks[name] = image
        // A change of state does not move a task.
        if origin.operation != .changeState {
            placeBack(name, as: origin.before, changedSince: log[notice.sequence...])
        }
        return commit(.several, from: before, at: moment)
            ?? ModelChange(.several, at: moment.wall, from: before, to: before)
    }

    /// Puts a task back among those that have not moved since: before the next of them, or last.
    private mutating func placeBack(
        _ name: String, as before: ModelState, changedSince: ArraySlice<(names: Set<String>, change: ModelChange)>
    ) {
        let day = state.tasks[name]?.day
        let old = before.places[day, default: []]
        let here = state.places[day, default: []].filter { $0 != name }
        let stayed = here.filter { other in !changedSince.contains { $0.names.contains(other) } }
        let next = old.drop { $0 != name }.first { stayed.contains($0) }
        state.place(name, at: next.flatMap { here.firstIndex(of: $0) })
        uncertain = Uncertain(name: name, earliest: old.prefix { $0 != name }.last { stayed.contains($0) }, next: next)
    }

    /// A task that was restored to a place beside which others were inserted since. Any place between its old neighbors
    /// is correct, since positions are numbers with gaps (decision D5), which an array lacks.
    struct Uncertain: Sendable {
        var name: String
        var earliest: String?
        var next: String?
    }

    private(set) var uncertain: Uncertain?

    /// Adopts the place that the store chose for such a task, if it is one of the correct ones. If another task has
    /// taken its exact position, the store moved it once more, which counts as another change.
    mutating func settle(_ found: [String], updatedAt: Instant) {
        guard let uncertain else { return }
        self.uncertain = nil
        guard let task = state.tasks[uncertain.name], var list = state.places[task.day],
            let place = found.firstIndex(of: uncertain.name)
        else { return }
        list.removeAll { $0 == uncertain.name }
        guard found.filter({ $0 != uncertain.name }) == list else { return }
        let lowest = uncertain.earliest.flatMap { list.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let highest = uncertain.next.flatMap { list.firstIndex(of: $0) } ?? list.count
        if (lowest...max(lowest, highest)).contains(place) { state.place(uncertain.name, at: place) }
        if updatedAt == task.updatedAt.advanced(byMicroseconds: 1) {
            state.tasks[uncertain.name]?.updatedAt = updatedAt
        }
    }
}

extension Action {
    /// The label of the action in the change log.
    var operation: TaskOperation {
        switch self {
        case .create: .create
        case .setState, .cycle: .changeState
        case .schedule: .schedule
        case .reorder: .reorder
        case .carry: .carry
        case .edit: .edit
        case .remind: .remind
        case .delete: .delete
        case .purge: .purge
        case .perform(let verb, _, _): TaskVerb.named(verb)?.operation ?? .several
        default: .several
        }
    }
}
