import CivilTime
import Foundation

@testable import Tasks

/// The task list as plain arrays, written from the requirements: each day and the Inbox is a list in the user's order.
struct TaskModel {
    struct Entry: Equatable {
        var text: String
        var state = TaskState.notStarted
        var completedAt: Instant?
        var day: Day?
        var isArchived = false
        var carryCount = 0
    }

    struct State: Equatable {
        var tasks: [UUID: Entry] = [:]
        /// The order of each day and of the Inbox, over all states.
        var lists: [Day?: [UUID]] = [:]
        /// The deleted tasks, with the time of their completion.
        var deleted: [UUID: Instant?] = [:]

        mutating func place(_ id: UUID, at index: Int? = nil) {
            let day = tasks[id]?.day
            remove(id)
            guard tasks[id]?.isArchived == false else { return }
            var list = lists[day] ?? []
            list.insert(id, at: index ?? list.count)
            lists[day] = list
        }

        mutating func remove(_ id: UUID) {
            for day in lists.keys {
                lists[day]?.removeAll { $0 == id }
                if lists[day] == [] { lists[day] = nil }
            }
        }
    }

    private(set) var state = State()
    private var undoStack: [State] = []
    private var redoStack: [State] = []

    var canUndo: Bool { !undoStack.isEmpty }
    var canRedo: Bool { !redoStack.isEmpty }

    /// Makes one operation of a change; a change that wrote nothing is not an operation.
    mutating func operate(wrote: Bool, _ change: (inout State) -> Void) {
        var next = state
        change(&next)
        guard wrote else { return }
        undoStack.append(state)
        redoStack = []
        state = next
    }

    mutating func undo() {
        redoStack.append(state)
        state = undoStack.removeLast()
    }

    mutating func redo() {
        undoStack.append(state)
        state = redoStack.removeLast()
    }

    // MARK: Views

    func tasks(on day: Day?) -> [UUID] {
        let list = state.lists[day] ?? []
        return [TaskState.active, .notStarted, .completed].flatMap { group in
            list.filter { state.tasks[$0]?.state == group }
        }
    }

    func days(where isIncluded: (Day) -> Bool) -> [Day] {
        state.lists.keys.compactMap(\.self).filter(isIncluded).sorted()
    }

    var completions: [Instant] {
        state.tasks.values.compactMap(\.completedAt) + state.deleted.values.compactMap(\.self)
    }

    func completions(in days: Range<Day>, zone: Zone) -> Int {
        completions.count { days.contains(zone.day(of: $0)) }
    }
}
