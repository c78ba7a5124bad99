import Daybook

/// What a store must hold, tell and refuse, kept in plain arrays: the judge of every run.
///
/// It shares with the store only the rules of days and zones, which have a judge of their own (``ZoneCheck``).
struct Model: Sendable {
    /// An operation that can be taken back: how things were before it, or after it when it was taken back.
    private struct Step: Sendable {
        var operation: TaskOperation
        /// The number of the change.
        var sequence: Int
        var other: ModelState
        /// What it changed, and what of that is still known.
        var names: Set<String>
    }

    /// What a notice offers to take back.
    struct Notice: Sendable, Equatable {
        var text: String
        var name: String
        var sequence: Int
        var deadline: MonotonicTime
    }

    private(set) var state = ModelState()
    private var undoable: [Step] = []
    private var redoable: [Step] = []
    /// What each committed change touched, and how it is told: number n is at index n - 1.
    private var log: [(names: Set<String>, change: ModelChange)] = []
    /// The oldest change that is kept: undo reaches no further back.
    private var oldest = 1
    /// What each change that has a notice led away from, by its number.
    private var origins: [Int: (operation: TaskOperation, before: ModelState)] = [:]
    private var lastNotice: Notice?

    /// The change feed's last number.
    var sequence: Int { log.count }
    /// How many of the changes the log still has.
    var changesKept: Int { log.count - oldest + 1 }
    /// Whether changes were let go of because they were old.
    var isTrimmed: Bool { oldest > 1 }
    /// Whether there is something to bring back.
    var canRedo: Bool { Self.next(of: redoable, since: oldest) != nil }

    /// The last changes of those that are kept, as the feed has to tell them to who comes back.
    func changes(last count: Int) -> [ModelChange] {
        log.dropFirst(oldest - 1).suffix(count).map(\.change)
    }

    /// What could be undone by a notice now.
    func notice(at moment: ModelMoment) -> Notice? {
        lastNotice.flatMap { moment.monotonic <= $0.deadline ? $0 : nil }
    }

    /// The process is another one: what it alone knew is gone.
    mutating func forgetNotice() {
        lastNotice = nil
    }

    // MARK: Operations

    /// What an operation has to lead to.
    ///
    /// - Parameters:
    ///   - moment: when it was done, after what it had to wait for.
    ///   - asked: when it was asked for; for a notice that is what counts.
    ///   - isElsewhere: whether another process does it, which leaves no notice here and gives no name to it.
    /// - Returns: the changes that the feed has to tell; nothing when there was nothing to change.
    /// - Throws: what the store has to refuse it with. The model is as it was, then.
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
        if !isElsewhere, let (text, name) = noticeText(of: action, at: moment) {
            lastNotice = Notice(
                text: text, name: name, sequence: sequence,
                deadline: moment.monotonic.advanced(byMicroseconds: 3_000_000))
            origins[sequence] = (operation, before)
        }
        return change
    }

    /// Records that are no tasks were changed. That can be taken back like any other change, and no task is different then.
    mutating func noteRecords(_ operation: TaskOperation, at moment: ModelMoment) -> ModelChange {
        // Names of what no task can be called, so that something is left of it.
        let names: Set = ["records of change \(sequence + 1)\0"]
        let change = append(names, ModelChange(operation, at: moment.wall, from: state, to: state))
        undoable.append(Step(operation: operation, sequence: sequence, other: state, names: names))
        redoable = []
        return change
    }

    private mutating func commit(
        _ operation: TaskOperation, from before: ModelState, at moment: ModelMoment
    ) -> ModelChange? {
        let names = ModelState.differences(before, state)
        guard !names.isEmpty else { return nil }
        let change = append(names, ModelChange(operation, at: moment.wall, from: before, to: state, of: names))
        undoable.append(Step(operation: operation, sequence: sequence, other: before, names: names))
        redoable = []
        return change
    }

    /// One more row of the change log. Every 64th one lets go of rows that are more than 400 days old, but for the last
    /// 64.
    private mutating func append(_ names: Set<String>, _ change: ModelChange) -> ModelChange {
        log.append((names, change))
        guard sequence % 64 == 0 else { return change }
        let end = min(max(0, sequence - 64), oldest + 256)
        while oldest < end, log[oldest - 1].change.instant.advanced(bySeconds: 400 * 86_400) < change.instant {
            oldest += 1
        }
        return change
    }

    private func noticeText(of action: Action, at moment: ModelMoment) -> (String, String)? {
        switch action {
        case .setState(let name, let target): return ("Marked as \(target.name)", name)
        case .cycle(let name): return ("Marked as \(state.tasks[name]?.state.name ?? "")", name)
        case .reorder(let name, _): return ("Moved", name)
        case .schedule(let name, _, _):
            guard let day = state.tasks[name]?.day else { return ("Moved to Inbox", name) }
            let today = moment.today
            return ("Moved to \(day == today ? "Today" : day > today ? "Upcoming" : "Past")", name)
        default: return nil
        }
    }

    /// Nothing of it is left, in no earlier state either; it cannot be taken back itself.
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
        undoable.append(Step(operation: operation, sequence: sequence, other: before, names: []))
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
        self[keyPath: steps].removeSubrange(index...)
        let before = state
        let change = restore(step, at: moment)
        self[keyPath: others].append(
            Step(operation: step.operation, sequence: sequence, other: before, names: step.names))
        return change
    }

    /// The last step of which something is left, if the log still reaches back to it.
    private static func next(of steps: [Step], since oldest: Int) -> Int? {
        for index in steps.indices.reversed() {
            if steps[index].sequence < oldest { return nil }
            if !steps[index].names.isEmpty { return index }
        }
        return nil
    }

    /// What a step changed as it was in its other state, and everything in its place there; the times of change go on.
    private mutating func restore(_ step: Step, at moment: ModelMoment) -> ModelChange {
        let current = state
        state.places = step.other.places
        for name in step.names {
            state.tasks[name] = step.other.tasks[name]
            state.deleted[name] = step.other.deleted[name]
            guard let image = state.tasks[name] else { continue }
            let latest = max(image.updatedAt, current.tasks[name]?.updatedAt ?? image.updatedAt)
            state.tasks[name]?.updatedAt = max(moment.wall, latest.advanced(byMicroseconds: 1))
        }
        return append(
            step.names,
            ModelChange(step.operation, isRestoration: true, at: moment.wall, from: current, to: state))
    }

    /// Takes back the change of the last notice, though others may have come since.
    private mutating func undoNotice(
        at moment: ModelMoment, asked: ModelMoment
    ) throws(ModelRefusal) -> ModelChange {
        guard let notice = notice(at: asked), let origin = origins[notice.sequence] else {
            throw ModelRefusal("undo-expired")
        }
        lastNotice = nil
        if notice.sequence == undoable.last?.sequence { return try undo(at: moment) }
        let name = notice.name
        guard !log[notice.sequence...].contains(where: { $0.names.contains(name) }) else {
            throw ModelRefusal("changed-since")
        }
        let before = state
        guard var image = origin.before.tasks[name], let current = state.tasks[name] else {
            throw ModelRefusal("nothing-to-undo")
        }
        image.updatedAt = max(
            moment.wall, max(image.updatedAt, current.updatedAt).advanced(byMicroseconds: 1))
        state.tasks[name] = image
        // Another state of it is in no other place.
        if origin.operation != .changeState {
            placeBack(name, as: origin.before, changedSince: log[notice.sequence...])
        }
        return commit(.several, from: before, at: moment)
            ?? ModelChange(.several, at: moment.wall, from: before, to: before)
    }

    /// Puts a task where it was among those who have stayed where they were since: before the next of them, or last.
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

    /// A task that came back to a place beside which others were put meanwhile: anywhere between its old neighbours is
    /// right, since places are numbers with gaps (decision D5) that an array does not have.
    struct Uncertain: Sendable {
        var name: String
        var earliest: String?
        var next: String?
    }

    private(set) var uncertain: Uncertain?

    /// Takes over where the store has put a task that may be in several places, if that is one of them. Should another
    /// have taken its very number, it was moved once more, which counts as one more change.
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
    /// The name that the change log gives it.
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
        default: .several
        }
    }
}
