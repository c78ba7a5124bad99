import CivilTime
import Tasks

/// The expected content of a store after some operations, in the simplest form. Every image is judged by it.
struct LabModel: Sendable {
    struct Task: Equatable, Sendable {
        var day: Day?
        var state = TaskState.notStarted
        var completedAt: Instant?
        var noteLength = 0
    }

    /// The content at one moment. Undo restores a complete one.
    struct State: Equatable, Sendable {
        var tasks: [Int: Task] = [:]
        /// The tasks of each day and of the Inbox, in order.
        var places: [Day?: [Int]] = [:]
        /// When deleted tasks were completed: they stay in the statistics.
        var completionsOfDeleted: [Instant] = []

        mutating func insert(_ number: Int, _ task: Task) {
            tasks[number] = task
            places[task.day, default: []].append(number)
        }

        mutating func remove(_ number: Int) {
            guard let task = tasks.removeValue(forKey: number) else { return }
            places[task.day]?.removeAll { $0 == number }
        }
    }

    private(set) var state = State()
    private var undoable: [State] = []
    private var redoable: [State] = []
    private(set) var lastNumber = 0
    let today: Day

    init(today: Day) {
        self.today = today
    }

    /// The number of operations that can be undone.
    var undoDepth: Int { undoable.count }

    // MARK: From an operation to an action

    /// Returns the action of a step in this state; nil if it has no target.
    func action(for step: LabStep) -> LabAction? {
        let next = lastNumber + 1
        switch step.operation {
        case .create: return .create(next, on: step.draw % 3 == 1 ? today : nil, noteLength: 0)
        case .large: return .create(next, on: nil, noteLength: 6000 + step.draw % 20_000)
        case .bulk: return .bulk(next...(next + 39))
        case .importing: return .importing([next, next + 1, next + 2], on: today.advanced(by: -1 - step.draw % 3))
        case .complete: return pick(step) { $0.state != .completed }.map { .setState($0, .completed) }
        case .reopen: return pick(step) { $0.state == .completed }.map { .setState($0, .active) }
        case .delete: return pick(step) { _ in true }.map { .delete($0) }
        case .schedule:
            let day = today.advanced(by: 1 + step.draw % 3)
            return pick(step) { $0.day != day }.map { .schedule($0, on: day) }
        case .reorder:
            let last = places.compactMap { $0.count > 1 ? $0.last : nil }.sorted()
            return last.isEmpty ? nil : .moveFirst(last[step.draw % last.count])
        case .undo: return undoable.isEmpty ? nil : .undo
        case .redo: return redoable.isEmpty ? nil : .redo
        case .pair:
            let created = LabAction.create(next, on: today, noteLength: 0)
            return .together(
                created, action(for: LabStep(.complete, draw: step.draw)) ?? .create(next + 1, on: nil, noteLength: 0))
        }
    }

    private var places: some Swift.Collection<[Int]> { state.places.values }

    private func pick(_ step: LabStep, where fits: (Task) -> Bool) -> Int? {
        let numbers = state.tasks.filter { fits($0.value) }.keys.sorted()
        return numbers.isEmpty ? nil : numbers[step.draw % numbers.count]
    }

    // MARK: Applying

    mutating func apply(_ action: LabAction, at now: Instant) {
        switch action {
        case .undo:
            guard let before = undoable.popLast() else { return }
            redoable.append(state)
            state = before
        case .redo:
            guard let after = redoable.popLast() else { return }
            undoable.append(state)
            state = after
        case .together(let first, let second):
            apply(first, at: now)
            apply(second, at: now)
        default:
            let before = state
            change(action, at: now)
            undoable.append(before)
            redoable = []
        }
    }

    private mutating func change(_ action: LabAction, at now: Instant) {
        switch action {
        case .create(let number, let day, let noteLength): insert(number, Task(day: day, noteLength: noteLength))
        case .bulk(let numbers): for number in numbers { insert(number, Task()) }
        case .importing(let numbers, let day):
            for number in numbers {
                let isDone = number % 3 == 0
                insert(
                    number, Task(day: day, state: isDone ? .completed : .notStarted, completedAt: isDone ? now : nil))
            }
        case .setState(let number, let target):
            state.tasks[number]?.state = target
            state.tasks[number]?.completedAt = target == .completed ? now : nil
        case .moveFirst(let number):
            let day = state.tasks[number]?.day
            state.places[day]?.removeAll { $0 == number }
            state.places[day]?.insert(number, at: 0)
        case .schedule(let number, let day):
            guard var task = state.tasks[number] else { return }
            state.remove(number)
            task.day = day
            state.insert(number, task)
        case .delete(let number):
            if let completion = state.tasks[number]?.completedAt { state.completionsOfDeleted.append(completion) }
            state.remove(number)
        case .undo, .redo, .together: break
        }
    }

    private mutating func insert(_ number: Int, _ task: Task) {
        lastNumber = max(lastNumber, number)
        state.insert(number, task)
    }
}

extension LabModel.State {
    /// A line for each task in the order of the views, and the completions, to compare with a store's views.
    var lines: [String] {
        var lines: [String] = []
        for day in places.keys.sorted(by: { ($0?.daysSince1970 ?? .min) < ($1?.daysSince1970 ?? .min) }) {
            let numbers = places[day, default: []]
            for rank in TaskState.allCases.sorted(by: { $0.rank < $1.rank }) {
                for number in numbers {
                    guard let task = tasks[number], task.state == rank else { continue }
                    lines.append(
                        LabLine.text(number, day: day, state: rank, completedAt: task.completedAt, task.noteLength))
                }
            }
        }
        let completions = tasks.values.compactMap(\.completedAt) + completionsOfDeleted
        return lines + ["completions \(completions.count)"]
    }
}
