import Daybook

/// What became of a view from one event to the next.
struct ViewChange {
    /// A task of the view, and how it came to be there.
    struct Line: Equatable {
        var task: StoryEvent.ShownTask
        /// Its place, from 1.
        var place: Int
        var change: Change?
    }

    /// What is new about a task.
    enum Change: Equatable {
        case added
        case moved
        /// It had another state.
        case was(TaskState)
    }

    /// All that the view holds now.
    let lines: [Line]
    /// What it held before and does not hold any more.
    let removed: [StoryEvent.ShownTask]

    /// Whether anything is different.
    var isEmpty: Bool { removed.isEmpty && !lines.contains { $0.change != nil } }

    init(from old: [StoryEvent.ShownTask], to new: [StoryEvent.ShownTask]) {
        guard old != new else {
            lines = new.enumerated().map { Line(task: $1, place: $0 + 1) }
            removed = []
            return
        }
        let states = Dictionary(old.map { ($0.name, $0.state) }) { first, _ in first }
        let names = Set(new.map(\.name))
        var inserted: Set<Int> = []
        for case .insert(let offset, _, _) in new.map(\.name).difference(from: old.map(\.name)) {
            inserted.insert(offset)
        }
        lines = new.enumerated().map { offset, task in
            let change: Change? =
                switch states[task.name] {
                case nil: .added
                case .some(let state) where state != task.state: .was(state)
                case .some: inserted.contains(offset) ? .moved : nil
                }
            return Line(task: task, place: offset + 1, change: change)
        }
        removed = old.filter { !names.contains($0.name) }
    }
}
