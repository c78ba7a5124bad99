import Daybook
import Threading

/// A store from its opening to its closing or crash, with its observers.
struct OpenStore {
    let daybook: DaybookStore
    /// The same store opened by users in other zones.
    let observers: [DaybookStore]
    let followers: [LiveFollower]
    let feed: FeedFollower
    /// The delivery of reminders, once a scenario has asked for it.
    var reminders: ReminderFollower?

    init(
        at path: String, of scenario: Scenario, after sequence: Int, records: Schema, options: StoreOptions,
        in world: SimulatedWorld
    ) throws {
        let daybook = try DaybookStore.open(at: path, context: world.context, records: records, options: options)
        observers = try scenario.observers.map { try Self.observer(from: $0, at: path, of: records, in: world) }
        followers = scenario.followedViews.map { LiveFollower($0, of: daybook.tasks, in: world) }
        feed = FeedFollower(of: daybook.tasks, after: sequence, in: world)
        self.daybook = daybook
    }

    /// Opens the same store as a user in another zone.
    static func observer(
        from zone: String, at path: String, of records: Schema, in world: SimulatedWorld
    ) throws -> DaybookStore {
        var context = world.context
        context.zones = SettableZone(try Zone(zone))
        return try DaybookStore.open(at: path, context: context, records: records)
    }

    func end() {
        for follower in followers { follower.stop() }
        feed.stop()
        reminders?.stop()
        daybook.close()
    }
}

/// Observes a live view and applies its updates to a list.
final class LiveFollower: Sendable {
    let view: TaskView
    private let received = Received<ViewUpdate>()
    private let shown = ForkSafeMutex<(tasks: [TaskItem], today: Day?)>(([], nil))
    private let task: Task<Void, Never>

    init(_ view: TaskView, of list: TaskList, in world: SimulatedWorld) {
        self.view = view
        let received = received
        task = world.start {
            do {
                for try await update in list.changes(in: view) { received.append(update) }
            } catch {
                // The store was closed or the observer stopped.
            }
        }
    }

    /// Returns whether all updates have arrived, given the current view.
    func hasCaughtUp(with tasks: [TaskItem], on today: Day) -> Bool {
        if let last = received.last { return last.tasks.elementsEqual(tasks) && last.today == today }
        return shown.withLock { $0.tasks == tasks && $0.today == today }
    }

    /// Returns the updates since the last call.
    ///
    /// - Throws: a failure if an update's steps do not lead to its list, or if nothing changed.
    func take() throws -> [ViewUpdate] {
        let updates = received.take()
        for update in updates {
            let before = shown.withLock { $0 }
            let tasks = Array(update.tasks)
            let after = Self.apply(update.steps, to: before.tasks)
            guard let after, after == tasks else {
                throw StoryFailure(
                    "steps of the live view \(view.rawValue)", expected: "\(update.tasks.count) tasks in their order",
                    found: after.map { "\($0.count) tasks in another order" } ?? "steps that do not apply to the list")
            }
            // Checked above to apply, and here by the library's own function.
            var applied = before.tasks
            update.apply(to: &applied)
            guard applied == tasks else {
                throw StoryFailure(
                    "live view \(view.rawValue)", expected: "the same list by the library's way to apply the steps",
                    found: "another one")
            }
            guard before.today != update.today || before.tasks != tasks else {
                throw StoryFailure(
                    "live view \(view.rawValue)", expected: "no update", found: "an update without changes")
            }
            shown.withLock { $0 = (tasks, update.today) }
        }
        return updates
    }

    /// Applies steps as documented: removals by index in the old list first, then insertions in ascending order in the
    /// new one. Returns nil if they do not fit.
    private static func apply(_ steps: [ViewUpdate.Step], to old: [TaskItem]) -> [TaskItem]? {
        var list: [TaskItem?] = old
        for step in steps {
            switch step {
            case .removed(let task, let index), .moved(let task, let index, _):
                guard old.indices.contains(index), old[index].id == task.id else { return nil }
                list[index] = nil
            case .inserted, .updated: break
            }
        }
        var result = list.compactMap { $0 }
        for step in steps {
            switch step {
            case .inserted(let task, let index), .moved(let task, _, let index):
                guard index <= result.count else { return nil }
                result.insert(task, at: index)
            case .updated(let task, let index):
                guard result.indices.contains(index), result[index].id == task.id else { return nil }
                result[index] = task
            case .removed: break
            }
        }
        return result
    }

    func stop() {
        task.cancel()
    }
}

/// Observes the change feed.
final class FeedFollower: Sendable {
    private let received = Received<Change>()
    private let task: Task<Void, Never>

    init(of list: TaskList, after sequence: Int, in world: SimulatedWorld) {
        let received = received
        task = world.start {
            do {
                for try await change in list.changes(after: UInt64(sequence)) { received.append(change) }
            } catch {
                // As for a live view.
            }
        }
    }

    var count: Int { received.count }

    /// The changes that have not been taken, which remain.
    var waiting: [Change] { received.all }

    func take() -> [Change] { received.take() }

    /// Takes the first changes.
    func take(_ count: Int) -> [Change] { received.take(count) }

    func stop() {
        task.cancel()
    }
}

/// Delivers reminders as an application does, and notes which. It stops at one that is delivered again.
final class ReminderFollower: Sendable {
    private struct State {
        var isWaiting = false
        var hasRepeated = false
        var untaken: [UUID] = []
        var last: [UUID: Instant]
    }

    private let state: Shared<State>
    private let task: Task<Void, Never>

    /// - Parameter last: when the last reminder of each task was due that was delivered before.
    init(of list: TaskList, after last: [UUID: Instant], in world: SimulatedWorld) {
        let state = Shared(State(last: last))
        self.state = state
        task = world.start {
            do {
                try await ReminderScheduler(list).run { isWaiting in
                    state.change { $0.isWaiting = isWaiting }
                } deliver: { reminder in
                    try state.change { state in
                        state.untaken.append(reminder.task.id)
                        state.hasRepeated = state.last.updateValue(reminder.at, forKey: reminder.task.id) == reminder.at
                        if state.hasRepeated { throw CancellationError() }
                    }
                }
            } catch {
                // As for a live view.
            }
        }
    }

    /// Whether no delivery is in progress.
    var isWaiting: Bool { state.value.isWaiting }
    /// Whether a reminder was delivered twice.
    var hasRepeated: Bool { state.value.hasRepeated }
    /// When the last reminder of each task was due that was delivered.
    var last: [UUID: Instant] { state.value.last }

    /// Returns the tasks whose reminders were delivered since the last call.
    func take() -> [UUID] {
        state.change { state in
            defer { state.untaken = [] }
            return state.untaken
        }
    }

    func stop() {
        task.cancel()
    }
}

/// A buffer of received elements.
final class Received<Element: Sendable>: Sendable {
    private let elements = ForkSafeMutex<[Element]>([])

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var count: Int { elements.withLock { $0.count } }

    /// Removes and returns all elements.
    func take() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }

    /// All elements, which remain.
    var all: [Element] { elements.withLock { $0 } }

    /// Removes and returns the first elements.
    func take(_ count: Int) -> [Element] {
        elements.withLock { elements in
            defer { elements.removeFirst(min(count, elements.count)) }
            return Array(elements.prefix(count))
        }
    }

    var last: Element? { elements.withLock { $0.last } }
}
