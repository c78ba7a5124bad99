import Daybook

/// The difference of a view between two events.
struct ViewChange {
    /// A task of the view with its change.
    struct Line: Equatable {
        var task: StoryEvent.ShownTask
        /// The position, from 1.
        var place: Int
        var change: Change?
    }

    /// The change of a task.
    enum Change: Equatable {
        case added
        case moved
        /// The task had another state.
        case was(TaskState)
    }

    /// The view's current content.
    let lines: [Line]
    /// The tasks that disappeared.
    let removed: [StoryEvent.ShownTask]

    /// Whether nothing changed.
    var isEmpty: Bool { removed.isEmpty && !lines.contains { $0.change != nil } }

    init(from old: [StoryEvent.ShownTask], to new: [StoryEvent.ShownTask]) {
        guard old != new else {
            lines = new.enumerated().map { Line(task: $1, place: $0 + 1) }
            removed = []
            return
        }
        let states = Dictionary(old.map { ($0.name, $0.state) }) { first, _ in first }
        let names = Set(new.map(\.name))
        let moved = Self.moved(from: old, to: new)
        lines = new.enumerated().map { offset, task in
            let change: Change? =
                switch states[task.name] {
                case nil: .added
                case .some(let state) where state != task.state: .was(state)
                case .some: moved.contains(task.name) ? .moved : nil
                }
            return Line(task: task, place: offset + 1, change: change)
        }
        removed = old.filter { !names.contains($0.name) }
    }

    /// The smallest set of moved tasks that explains the order, among those with an unchanged state: a task with a new
    /// state is elsewhere because of that, and its neighbors have not moved.
    private static func moved(from old: [StoryEvent.ShownTask], to new: [StoryEvent.ShownTask]) -> Set<String> {
        let (before, after) = (Set(old.map(\.key)), Set(new.map(\.key)))
        let difference = new.filter { before.contains($0.key) }.map(\.key)
            .difference(from: old.filter { after.contains($0.key) }.map(\.key))
        var moved: Set<String> = []
        for case .insert(_, let key, _) in difference { moved.insert(key.name) }
        return moved
    }
}

extension StoryEvent.ShownTask {
    fileprivate struct Key: Hashable {
        let name: String
        let state: TaskState
    }

    fileprivate var key: Key { Key(name: name, state: state) }
}
