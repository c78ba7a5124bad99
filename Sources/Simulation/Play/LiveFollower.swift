import Daybook
import Synchronization

/// Someone who follows a view and applies what it tells to the list that he has.
final class LiveFollower: Sendable {
    let view: TaskView
    private let received = Received<ViewUpdate>()
    private let shown = Mutex<(tasks: [TaskItem], today: Day?)>(([], nil))
    private let task: Task<Void, Never>

    init(_ view: TaskView, of list: TaskList, in world: SimulatedWorld) {
        self.view = view
        let received = received
        task = world.start {
            do {
                for try await update in list.changes(in: view) { received.append(update) }
            } catch {
                // The store was closed, or this was stopped: either way it is over.
            }
        }
    }

    /// Whether it has heard of everything, when this is the view now.
    func hasCaughtUp(with tasks: [TaskItem], on today: Day) -> Bool {
        if let last = received.last { return last.tasks == tasks && last.today == today }
        return shown.withLock { $0.tasks == tasks && $0.today == today }
    }

    /// What was told since the last time.
    ///
    /// - Throws: when an update's steps do not lead to its list, or when it tells that nothing has changed.
    func take() throws -> [ViewUpdate] {
        let updates = received.take()
        for update in updates {
            let before = shown.withLock { $0 }
            let after = ViewUpdate.apply(update.steps, to: before.tasks)
            guard after == update.tasks else {
                throw StoryFailure(
                    "steps of the live view \(view.rawValue)", expected: "\(update.tasks.count) tasks in their order",
                    found: "\(after.count) tasks in another order")
            }
            guard before.today != update.today || before.tasks != update.tasks else {
                throw StoryFailure("live view \(view.rawValue)", expected: "silence", found: "an update without change")
            }
            shown.withLock { $0 = (update.tasks, update.today) }
        }
        return updates
    }

    func stop() {
        task.cancel()
    }
}
