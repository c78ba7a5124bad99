import Daybook
import Threading

/// Someone who follows a view and applies what it tells to the list that he has.
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
            let after = Self.apply(update.steps, to: before.tasks)
            guard let after, after == update.tasks, after == ViewUpdate.apply(update.steps, to: before.tasks) else {
                throw StoryFailure(
                    "steps of the live view \(view.rawValue)", expected: "\(update.tasks.count) tasks in their order",
                    found: after.map { "\($0.count) tasks in another order" } ?? "steps that do not fit the list")
            }
            guard before.today != update.today || before.tasks != update.tasks else {
                throw StoryFailure("live view \(view.rawValue)", expected: "silence", found: "an update without change")
            }
            shown.withLock { $0 = (update.tasks, update.today) }
        }
        return updates
    }

    /// What the steps lead to, taken by their words: what leaves its index of the old list goes first, from the back,
    /// then all that comes takes its index, from the front. Nil when they do not fit.
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
