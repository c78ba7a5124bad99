import CivilTime
import FoundationEssentials
import Records

/// An offer to undo a change of tasks.
public struct UndoNotice: UndoOffer {
    /// The change that can be undone.
    public enum Action: Sendable, Hashable {
        /// The tasks have a new state.
        case changedState(TaskState)
        /// The tasks were scheduled and are now in this view.
        case scheduled(TaskView)
        /// The tasks were placed and are now in this region.
        case placed(TaskRegion)
        /// The task has another position.
        case reordered
        /// The tasks were carried from past days to another one.
        case carried
        /// The tasks are in another list, or in none any more.
        case movedToList
        /// The tasks were deleted, with those below them.
        case deleted
    }

    /// What was done.
    public let action: Action
    /// The sequence number of the change.
    public let sequence: UInt64
    /// The tasks that it was done to, as they were given.
    public let tasks: [UUID]
    /// The end of the offer.
    public let deadline: MonotonicTime
}

extension TaskList {
    /// Undoes the last operation on this store, whoever did it; can be repeated. Returns the kind of the operation.
    @discardableResult
    public func undo() async throws(TaskError) -> TaskOperation {
        let operation = try await write(.several) { try $0.undo() }
        offer.make(nil)
        return operation
    }

    /// Redoes the operation that was undone last. Any other change ends the chance.
    @discardableResult
    public func redo() async throws(TaskError) -> TaskOperation {
        let operation = try await write(.several) { try $0.redo() }
        offer.make(nil)
        return operation
    }

    /// The offer to undo the last move or change of state, for 3 seconds, or as ``TaskSettings/undoSeconds`` says; deletions are
    /// offered as ``TaskSettings/undoSecondsOfDeletion`` says.
    public var undoNotice: UndoNotice? { offer.current }

    /// Follows the offer: each new one, and nil when it ends.
    public func observeUndoNotice() -> LiveOffer<UndoNotice> { LiveOffer(of: offer) }

    /// Undoes the change of a notice, even if there are later changes. Throws `undoExpired` after its deadline, and if the
    /// change is undone already.
    public func undo(_ notice: UndoNotice) async throws(TaskError) {
        try await offer.use(notice, orThrow: .undoExpired, retryingAfter: \.isOfStore) { () async throws(TaskError) in
            try await write(.several) { try $0.undo(notice.sequence) }
        }
    }

    /// Runs an operation that can be undone by a notice.
    func writeNoticed<Result: Sendable>(
        _ operation: TaskOperation, reclaims: Bool = false,
        _ body: @escaping @Sendable (TaskTransaction) throws -> (Result, UndoNotice.Action, [UUID])
    ) async throws(TaskError) -> Result {
        let ((result, action, tasks), sequence) = try await writeNumbered(operation, reclaims: reclaims, body)
        if sequence != 0 {
            let (store, now) = (store, store.context.clock.monotonic)
            let isDeclared = store.undoDeadline(of: operation.rawValue) != nil
            offer.make(isCertain: isDeclared) {
                Self.undoDeadline(of: operation, madeAt: now, in: store).map {
                    UndoNotice(action: action, sequence: sequence, tasks: tasks, deadline: $0)
                }
            }
        }
        return result
    }

    /// The end of the offer to undo an operation; nil for an operation that is not offered.
    private static func undoDeadline(
        of operation: TaskOperation, madeAt moment: MonotonicTime, in store: RecordStore
    ) -> MonotonicTime? {
        // Where the settings cannot be read, what is declared holds.
        let settings = try? store.read { try $0[TaskSettings.self].get(0) }
        let chosen = operation == .delete ? settings?.undoSecondsOfDeletion : settings?.undoSeconds
        guard let chosen else { return store.undoDeadline(of: operation.rawValue, madeAt: moment) }
        return chosen == 0 ? nil : moment.advanced(byMicroseconds: Int64(chosen) * 1_000_000)
    }
}
