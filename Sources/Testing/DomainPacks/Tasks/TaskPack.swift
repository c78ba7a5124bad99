import CivilTime
import Daybook
import Records
import Tasks

/// The task list as a domain of the testing tools. Tasks have numbers from 1; a task's id and text follow from its number.
package struct TaskPack: DomainPack {
    package struct Task: Equatable, Sendable {
        package var day: Day?
        package var state = TaskState.notStarted
        package var completedAt: Instant?
        package var noteLength = 0
    }

    package var tasks: [Int: Task] = [:]
    /// The tasks of each day and of the Inbox, in order.
    package var places: [Day?: [Int]] = [:]
    /// When deleted tasks were completed: they stay in the statistics.
    package var completionsOfDeleted: [Instant] = []
    /// The highest number given. No number is given twice, whatever is undone.
    package var lastNumber = 0

    package init() {}

    /// An empty list whose tasks have higher numbers than those of any other.
    package init(lastNumber: Int) {
        self.lastNumber = lastNumber
    }

    /// None but those of every store.
    package static let records = Schema()

    /// A few tasks of every kind: in the Inbox, today and later, one completed.
    package static let start = ["create", "create.1", "create", "create.1", "schedule", "complete.1"]

    package static let operations: [DomainOperation<Self>] = [
        operation("create", weight: 3) { model, draw in
            .create(model.lastNumber + 1, on: draw.number % 3 == 1 ? draw.today : nil, noteLength: 0)
        },
        operation("complete", weight: 2) { model, draw in
            model.pick(draw) { $0.state != .completed }.map { .setState($0, .completed) }
        },
        operation("reorder") { model, draw in
            let last = model.places.values.compactMap { $0.count > 1 ? $0.last : nil }.sorted()
            return last.isEmpty ? nil : .moveFirst(last[draw.number % last.count])
        },
        operation("schedule") { model, draw in
            let day = draw.today.advanced(by: 1 + draw.number % 3)
            return model.pick(draw) { $0.day != day }.map { .schedule($0, on: day) }
        },
        operation("delete") { model, draw in model.pick(draw) { _ in true }.map { .delete($0) } },
        // Three tasks of a file.
        operation("importing") { model, draw in
            let numbers = (1...3).map { model.lastNumber + $0 }
            return .importing(numbers, on: draw.today.advanced(by: -1 - draw.number % 3))
        },
        operation("reopen", isShort: false) { model, draw in
            model.pick(draw) { $0.state == .completed }.map { .setState($0, .active) }
        },
        // A note that needs overflow pages.
        operation("large", isShort: false) { model, draw in
            .create(model.lastNumber + 1, on: nil, noteLength: 6000 + draw.number % 20_000)
        },
        // Forty tasks in one transaction.
        operation("bulk", isShort: false) { model, _ in .bulk((model.lastNumber + 1)...(model.lastNumber + 40)) },
    ]

    private static func operation(
        _ name: String, isShort: Bool = true, weight: Int = 1,
        action: @escaping @Sendable (Self, DomainDraw) -> TaskAction?
    ) -> DomainOperation<Self> {
        DomainOperation(name, isShort: isShort, weight: weight) { model, draw in
            let now = draw.now
            return action(model, draw).map { action in
                DomainChange {
                    $0.apply(action, at: now)
                } transaction: {
                    try action.perform(in: $0)
                }
            }
        }
    }

    private func pick(_ draw: DomainDraw, where fits: (Task) -> Bool) -> Int? {
        let numbers = tasks.filter { fits($0.value) }.keys.sorted()
        return numbers.isEmpty ? nil : numbers[draw.number % numbers.count]
    }

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.lastNumber = lastNumber
        return restored
    }
}

// MARK: What is compared

extension TaskPack {
    /// A line for each task in the order of the views, and the number of completions.
    package var lines: [String] {
        var lines: [String] = []
        for day in places.keys.sorted(by: { ($0?.daysSince1970 ?? .min) < ($1?.daysSince1970 ?? .min) }) {
            let numbers = places[day, default: []]
            for rank in TaskState.allCases.sorted(by: { $0.rank < $1.rank }) {
                for number in numbers {
                    guard let task = tasks[number], task.state == rank else { continue }
                    lines.append(
                        Self.line(number, day: day, state: rank, completedAt: task.completedAt, task.noteLength))
                }
            }
        }
        let completions = tasks.values.compactMap(\.completedAt) + completionsOfDeleted
        return lines + ["completions \(completions.count)"]
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let views = transaction.tasks
        let listed = try views.past() + views.today().tasks + views.upcoming().flatMap(\.tasks)
        let lines = try (views.inbox() + listed).map { task in
            // Each task is also read by id, which takes another path than the views.
            guard try views.get(task.id) == task else { throw ViewsDisagree() }
            return line(
                TaskAction.number(of: task.id), day: task.scheduledDate, state: task.state,
                completedAt: task.completedAt, task.notes?.utf8.count ?? 0)
        }
        return lines + ["completions \(try views.statistics().today)"]
    }

    private static func line(
        _ number: Int, day: Day?, state: TaskState, completedAt: Instant?, _ noteLength: Int
    ) -> String {
        let place = day.map(\.description) ?? "inbox"
        let completion = completedAt.map { " at \($0)" } ?? ""
        return "\(place): \(number) \(state.name)\(completion)\(noteLength == 0 ? "" : " note \(noteLength)")"
    }

    /// A task differs between its view and a look-up by id.
    struct ViewsDisagree: Error, CustomStringConvertible {
        var description: String { "A task differs between its view and a look-up by id." }
    }
}
