import Daybook

/// A change as the feed has to tell it.
struct ModelChange: Sendable, Equatable {
    enum Kind: String, Sendable {
        case created, updated, deleted
    }

    var operation: TaskOperation
    var isRestoration = false
    var tasks: [String: Kind]

    init(_ operation: TaskOperation, isRestoration: Bool = false, from before: ModelState, to after: ModelState) {
        self.operation = operation
        self.isRestoration = isRestoration
        tasks = [:]
        for name in ModelState.differences(before, after) {
            switch (before.tasks[name], after.tasks[name]) {
            case (nil, .some): tasks[name] = .created
            case (.some, nil): tasks[name] = .deleted
            case (.some(let old), .some(let new)) where old != new: tasks[name] = .updated
            default: break
            }
        }
    }

    init(operation: TaskOperation, isRestoration: Bool, tasks: [String: Kind]) {
        self.operation = operation
        self.isRestoration = isRestoration
        self.tasks = tasks
    }
}

extension ModelChange: CustomStringConvertible {
    var description: String {
        let tasks = tasks.sorted { $0.key < $1.key }.map { "\($0.value.rawValue) \($0.key)" }
        return "\(isRestoration ? "undo or redo of " : "")\(operation): \(tasks.joined(separator: ", "))"
    }
}
