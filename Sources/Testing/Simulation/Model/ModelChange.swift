import Daybook

/// A change as the feed has to tell it.
struct ModelChange: Sendable, Equatable {
    enum Kind: String, Sendable {
        case created, updated, deleted
    }

    var operation: TaskOperation
    var isRestoration = false
    /// When it was made.
    var instant: Instant
    var tasks: [String: Kind] = [:]
    /// Which fields of each task it changed: bit n for field n, without the place.
    var fields: [String: UInt64] = [:]

    init(
        _ operation: TaskOperation, isRestoration: Bool = false, at instant: Instant, from before: ModelState,
        to after: ModelState, of names: Set<String>? = nil
    ) {
        self.operation = operation
        self.isRestoration = isRestoration
        self.instant = instant
        for name in names ?? ModelState.differences(before, after) {
            let (old, new) = (before.tasks[name], after.tasks[name])
            switch (old, new) {
            case (nil, .some): tasks[name] = .created
            case (.some, nil): tasks[name] = .deleted
            case (.some(let old), .some(let new)) where old != new: tasks[name] = .updated
            default: continue
            }
            fields[name] = ModelTask.changedFields(from: old, to: new)
        }
    }

    /// What the feed tells.
    init(_ change: Change, name: (UUID) -> String) {
        operation = TaskOperation(rawValue: change.label.operation) ?? .several
        isRestoration = change.isUndoOrRedo
        instant = change.instant
        for entry in change.entries where entry.collection == TaskItem.collection.name {
            guard let id = try? entry.id(as: UUID.self) else { continue }
            tasks[name(id)] =
                switch entry.kind {
                case .created: .created
                case .updated: .updated
                case .deleted: .deleted
                }
            fields[name(id)] = entry.changedFields & ~Self.place
        }
    }

    /// The field that holds a task's place.
    private static let place: UInt64 = 1 << 9

    /// Whether what the feed tells is this change. Of several operations in one transaction the store tells every field
    /// that any of them wrote, though the next may have set it back.
    func accepts(_ found: ModelChange) -> Bool {
        guard operation == .several, !isRestoration else { return self == found }
        var found = found
        for (name, expected) in fields { found.fields[name]? &= expected }
        return self == found
    }

    /// Takes away what is told of a task whose every trace is removed.
    mutating func forget(_ name: String) {
        tasks[name] = nil
        fields[name] = nil
    }
}

extension ModelChange: CustomStringConvertible {
    var description: String {
        let tasks = tasks.sorted { $0.key < $1.key }.map { name, kind in
            "\(kind.rawValue) \(name) (\(String(fields[name, default: 0], radix: 16)))"
        }
        return "\(isRestoration ? "undo or redo of " : "")\(operation) at \(instant): \(tasks.joined(separator: ", "))"
    }
}
