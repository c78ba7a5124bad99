import ArgumentParser
import CommandSupport
import Daybook

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo the last change of the store; repeat to go further back.",
        discussion: """
            With --json it prints what was undone, the affected tasks as they are afterwards, and the ids of those that \
            no longer exist: {"undone": "schedule", "tasks": [...], "removed": [], "kept": 0, "passedOver": []}. What \
            another device, a rollover or an expiry has changed since stays; "kept" is of how many records. An operation of \
            which nothing else is left is passed over, for the one before it.

            Examples:
              daybook undo
              daybook undo --json
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let result = try await UndoResult.run(in: options.session(), verb: "undo") { try $0.tasks.undo() }
        try result.report("Undid", key: "undone", asJSON: options.json)
    }
}

struct Redo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Redo what was undone last, until something else changes.",
        discussion: """
            With --json it prints {"redone": "schedule", "tasks": [...], "removed": [], "kept": 0, "passedOver": []}.

            Examples:
              daybook redo
            """)

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let result = try await UndoResult.run(in: options.session(), verb: "redo") { try $0.tasks.redo() }
        try result.report("Redid", key: "redone", asJSON: options.json)
    }
}

/// The result of an undo or a redo.
private struct UndoResult {
    /// The name of the operation, as the change log has it.
    var operation: String
    /// The affected tasks that exist afterwards.
    var tasks: [ShownTask] = []
    /// The ids of affected tasks that do not exist afterwards.
    var removed: [UUID] = []
    /// The number of records that keep fields which sync, a rollover or an expiry has changed since.
    var kept = 0
    /// The operations that had no effect left to revert.
    var passedOver: [String] = []

    static func run(
        in session: Session, verb: String, _ body: @escaping @Sendable (WriteTransaction) throws -> TaskOperation
    ) async throws -> UndoResult {
        do {
            return try await session.write { daybook in
                // The change of this undo follows the last one that its transaction saw.
                var (result, before) = try await daybook.write {
                    let operation = try body($0).rawValue
                    let passedOver = $0.passedOverByUndo.map(\.operation)
                    return (
                        UndoResult(operation: operation, kept: $0.keptByUndo, passedOver: passedOver),
                        try $0.lastSequence()
                    )
                }
                for try await change in daybook.changes(after: before) {
                    try daybook.read { try result.add(change, in: $0) }
                    break
                }
                return result
            }
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.nothing(to: verb, path: session.path)
        }
    }

    private mutating func add(_ change: Change, in transaction: ReadTransaction) throws {
        operation = change.label.operation
        for entry in change.entries where entry.collection == TaskItem.collection.name {
            let id = try entry.id(as: UUID.self)
            if let task = try transaction.tasks.get(id) {
                tasks.append(try transaction.shown(task))
            } else {
                removed.append(id)
            }
        }
    }

    private static func name(of operation: String) -> String {
        JournalOperation(rawValue: operation)?.name ?? (TaskOperation(rawValue: operation) ?? .several).name
    }

    func report(_ verb: String, key: String, asJSON: Bool) throws {
        guard asJSON else {
            for operation in passedOver {
                try Output.standard.write(
                    "Passed over: \(Self.name(of: operation)). Sync, a rollover or an expiry has changed all of it since.\n"
                )
            }
            try Output.standard.write("\(verb): \(Self.name(of: operation))\n")
            guard kept > 0 else { return }
            return try Output.standard.write(
                "Sync, a rollover or an expiry has changed something of \(kept) of the records since; that stays.\n")
        }
        try Output.standard.json { writer in
            writer.object { writer in
                writer.field(key, Self.name(of: operation))
                writer.field("tasks", tasks)
                writer.field("removed", removed)
                writer.field("kept", kept)
                writer.field("passedOver", passedOver.map(Self.name(of:)))
            }
        }
    }
}

extension TaskOperation {
    /// The name of the command that does it, if there is one.
    fileprivate var name: String {
        switch self {
        case .several: "several changes"
        case .create: "add"
        case .changeState: "change of state"
        case .schedule: "schedule"
        case .reorder: "reorder"
        case .edit: "edit"
        case .carry: "carry"
        case .delete: "delete"
        case .importing: "import"
        case .purge: "purge"
        case .remind: "remind"
        case .due: "due"
        case .setRecurrence: "repeat"
        case .skip: "skip"
        case .move: "move"
        case .createList: "list add"
        case .editList: "change of a list"
        case .reorderList: "list reorder"
        case .deleteList: "list delete"
        case .place: "place"
        case .setSticky: "sticky"
        case .setAutoCarry: "auto-carry"
        case .setExpiry: "expires"
        case .rollover: "rollover"
        case .expire: "expire"
        case .unarchive: "unarchive"
        case .block: "block"
        case .tag: "tag"
        case .setPriority: "priority"
        case .wait: "wait"
        case .setParent: "move"
        }
    }
}

extension JournalOperation {
    /// The name of the command that does it, if there is one.
    fileprivate var name: String {
        switch self {
        case .several, .keep: "several changes"
        case .createThread: "journal new"
        case .renameThread: "journal rename"
        case .deleteThread: "journal delete-thread"
        case .restoreThread: "journal restore"
        case .purgeThread: "journal purge-thread"
        case .addEntry, .placeEntry: "journal write"
        case .editEntry: "journal edit"
        case .deleteEntries: "journal delete"
        case .editFields: "change of journal fields"
        case .importing: "journal import"
        }
    }
}
