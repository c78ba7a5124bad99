import FoundationEssentials
import Records

/// What becomes of a record that a file has.
public enum ImportVerdict: Sendable {
    /// The store has it as new or newer, or deleted it later: nothing is written.
    case staysAsItIs
    /// It takes the place of this task.
    case replaces(TaskItem)
    /// It was deleted here, and changed after that.
    case comesBack
    /// The store does not know it.
    case isNew
}

extension TaskReading {
    /// What becomes of a task that a file has: of two versions the newer stays. Cost: one look-up or two.
    public func verdict(on imported: ImportedTask) throws(TaskError) -> ImportVerdict {
        let (id, updatedAt) = (imported.task.id, imported.task.updatedAt)
        if let stored = try get(id) { return stored.updatedAt < updatedAt ? .replaces(stored) : .staysAsItIs }
        guard let tombstone = try tombstone(of: id) else { return .isNew }
        return tombstone.deletedAt < updatedAt ? .comesBack : .staysAsItIs
    }

    /// What becomes of a tombstone that a file has: it deletes a task that was not changed after it. Cost: as above.
    public func verdict(on tombstone: Tombstone) throws(TaskError) -> ImportVerdict {
        guard try self.tombstone(of: tombstone.id) == nil else { return .staysAsItIs }
        guard let stored = try get(tombstone.id) else { return .isNew }
        return stored.updatedAt <= tombstone.deletedAt ? .replaces(stored) : .staysAsItIs
    }

    /// What is left of a deleted task; nil when none of this id was deleted. Cost: one look-up.
    public func tombstone(of id: UUID) throws(TaskError) -> Tombstone? {
        try rethrowing { try transaction[Tombstone.self].get(id) }
    }
}
