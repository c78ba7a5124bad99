import FoundationEssentials
import Records
import Tasks

/// What people have written on their devices, in their order: of each text it is known which one its author replaced. Whatever the
/// rules of merging are, a text that somebody has seen and replaced must not come back.
struct Edits {
    enum Field: CaseIterable {
        case text, notes
    }

    private struct Place: Hashable {
        let task: UUID
        let field: Field
    }

    private struct Edit {
        let value: String
        let device: Int
        let step: Int
        /// The edits that have replaced it.
        var successors: [Int] = []
        /// Whether it is sent once more as if it were new.
        var isRenewed = false
    }

    private var edits: [Place: [Edit]] = [:]
    /// Tasks that a program without sync has changed: everything in them is new then.
    private var unjudged: Set<UUID> = []
    /// Tasks that were deleted on a device.
    private var deleted: Set<UUID> = []

    /// The texts of all tasks of a device.
    static func values(in store: RecordStore) throws -> [UUID: [Field: String]] {
        try store.read { transaction in
            var values: [UUID: [Field: String]] = [:]
            for task in try transaction[TaskItem.self].page(limit: 1000) {
                values[task.id] = [.text: task.text, .notes: task.notes ?? ""]
            }
            return values
        }
    }

    /// Notes what an operation on a device has changed.
    mutating func note(
        _ before: [UUID: [Field: String]], _ after: [UUID: [Field: String]], on device: Int, step: Int
    ) {
        deleted.formUnion(before.keys.filter { after[$0] == nil })
        for (task, values) in after where before[task] != values {
            for (field, value) in values where before[task]?[field] != value {
                let place = Place(task: task, field: field)
                var known = edits[place, default: []]
                if let old = before[task]?[field] {
                    let seen = known.indices.filter { known[$0].value == old }
                    // Of a text that was restored it is not known which of the two was seen.
                    if seen.count == 1 { known[seen[0]].successors.append(known.count) }
                }
                known.append(Edit(value: value, device: device, step: step))
                edits[place] = known
            }
        }
    }

    /// What differs between two states of a store is not judged any more.
    mutating func ignore(_ before: [UUID: [Field: String]], _ after: [UUID: [Field: String]]) {
        for (task, values) in after where before[task] != values { unjudged.insert(task) }
    }

    /// Forgets that a device has replaced something since a step: an earlier copy of it was restored.
    mutating func forget(device: Int, after step: Int) {
        for (place, known) in edits {
            for index in known.indices {
                edits[place]?[index].successors.removeAll { known[$0].device == device && known[$0].step >= step }
            }
        }
    }

    /// Notes that some texts are sent once more with new stamps, which follow whatever has replaced them.
    mutating func renew(_ values: [UUID: [Field: String]]) {
        for (task, fields) in values {
            for (field, value) in fields {
                let place = Place(task: task, field: field)
                for index in (edits[place] ?? []).indices where edits[place]?[index].value == value {
                    edits[place]?[index].isRenewed = true
                }
            }
        }
    }

    private static func text(of edits: [Edit]) -> String {
        edits.map { "'\($0.value)' on \($0.device) at step \($0.step), replaced by \($0.successors)" }
            .joined(separator: "; ")
    }

    /// Compares the texts that a device has.
    ///
    /// - Parameter isHubWhole: whether the hub has lost nothing. What it has lost of a task that its author has deleted is gone,
    ///   even if another device brings the task back.
    func problems(of values: [UUID: [Field: String]], isHubWhole: Bool) -> [String] {
        var problems: [String] = []
        for (task, fields) in values where !unjudged.contains(task) && (isHubWhole || !deleted.contains(task)) {
            for (field, value) in fields {
                let all = edits[Place(task: task, field: field), default: []]
                let known = all.filter { $0.value == value }
                if known.isEmpty {
                    problems.append("task \(task.lowercased): nobody has written its \(field) '\(value)'")
                } else if known.allSatisfy({ !$0.successors.isEmpty && !$0.isRenewed }) {
                    problems.append(
                        "task \(task.lowercased): the \(field) '\(value)' was replaced, and came back: \(Self.text(of: all))"
                    )
                }
            }
        }
        return problems
    }
}
