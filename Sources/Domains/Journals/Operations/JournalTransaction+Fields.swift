import FoundationEssentials
import Records

extension JournalTransaction {
    /// Adds a field to a thread.
    ///
    /// - Parameters:
    ///   - order: its place among the fields of the thread, from 0; nil, and a number beyond the last, for after all others.
    ///   - isGroup: whether it is a group of fields, which has no values.
    ///   - group: the group that it is put into; nil for none.
    /// - Throws: `JournalError`: `noSuchThread`, `badFieldName`, `duplicateField`, `duplicateID`, `noSuchField` for the
    ///   group, `notAGroup`; for a negative order.
    @discardableResult
    public func createField(
        _ name: String, in thread: UUID, order: Int? = nil, isGroup: Bool = false, group: UUID? = nil, id: UUID? = nil
    ) throws -> CustomField {
        try touchThread(thread)
        try check(name: name, in: thread)
        var field = CustomField(id: id ?? transaction.identifiers.next(), threadID: thread, name: name)
        field.isGroup = isGroup
        field.position = try transaction[CustomField.order].last(in: thread)
        let inserted = field
        do {
            try transaction.insert(inserted)
        } catch RecordsError.duplicate {
            throw JournalError.duplicateID
        }
        if let group { try put(inserted.id, into: group) }
        guard let order else { return inserted }
        return try reorderField(inserted.id, to: .index(order))
    }

    /// Gives a field another name.
    ///
    /// - Throws: `JournalError`: `noSuchField`, `badFieldName`, `duplicateField`.
    @discardableResult
    public func renameField(_ id: UUID, to name: String) throws -> CustomField {
        var field = try field(id)
        guard field.name != name else { return field }
        try check(name: name, in: field.threadID)
        field.name = name
        return try save(field)
    }

    /// Makes a group of a field that no entry has a value for.
    ///
    /// - Throws: `JournalError`: `noSuchField`, `groupWithValue`.
    @discardableResult
    public func makeGroup(_ id: UUID) throws -> CustomField {
        var field = try field(id)
        guard !field.isGroup else { return field }
        guard try transaction[EntryFieldValue.ofField].prefix(id, limit: 1).isEmpty else {
            throw JournalError.groupWithValue
        }
        field.isGroup = true
        return try save(field)
    }

    /// Puts a field into a group of the same thread, or out of any group.
    ///
    /// - Throws: `JournalError`: `noSuchField` for either, `foreignField`, `notAGroup`, `groupCycle`.
    public func put(_ id: UUID, into group: UUID?) throws {
        let field = try field(id)
        guard let group else {
            if try transaction.delete(CustomFieldGroup.self, id: id) { try touchThread(field.threadID) }
            return
        }
        let parent = try self.field(group)
        guard parent.threadID == field.threadID else { throw JournalError.foreignField }
        guard parent.isGroup else { throw JournalError.notAGroup }
        var above: UUID? = group
        var passed: Set<UUID> = []
        // Devices that group fields while they are apart can make a circle.
        while let next = above, passed.insert(next).inserted {
            guard next != id else { throw JournalError.groupCycle }
            above = try transaction[CustomFieldGroup.self].get(next)?.parentID
        }
        try transaction.put(CustomFieldGroup(child: id, parent: group))
        try touchThread(field.threadID)
    }

    /// Moves a field to another place among the fields of its thread.
    ///
    /// - Throws: `JournalError`: `noSuchField` for either field, `foreignField`.
    @discardableResult
    public func reorderField(_ id: UUID, to place: OrderPosition<UUID>) throws -> CustomField {
        let field = try field(id)
        switch place {
        case .before(let other), .after(let other):
            guard try self.field(other).threadID == field.threadID else { throw JournalError.foreignField }
        case .index(let index) where index < 0: throw JournalError.noSuchField
        case .first, .last, .index: break
        }
        try touchThread(field.threadID)
        return try transaction.move(field, to: place, in: CustomField.order) { _ in }
    }

    /// Puts fields of a thread before its others, in the given order.
    ///
    /// - Throws: `JournalError`: `noSuchField`, `foreignField`.
    public func orderFields(_ ids: [UUID], in thread: UUID) throws {
        for id in ids where try field(id).threadID != thread { throw JournalError.foreignField }
        for id in ids.reversed() { try reorderField(id, to: .first) }
    }

    /// Deletes a field. Values that entries have for it are kept and shown. The fields of a deleted group are in none.
    ///
    /// - Throws: `JournalError.noSuchField`.
    @discardableResult
    public func deleteField(_ id: UUID) throws -> CustomField {
        let field = try field(id)
        var deleted = field
        deleted.deletedAt = now
        _ = try save(deleted)
        return field
    }

    /// Returns the field of an id that is not deleted, and whose thread is not deleted.
    ///
    /// - Throws: `JournalError.noSuchField`.
    public func field(_ id: UUID) throws -> CustomField {
        guard let field = try transaction[CustomField.self].get(id), !field.isDeleted,
            try reading.thread(field.threadID) != nil
        else { throw JournalError.noSuchField }
        return field
    }

    private func save(_ field: CustomField) throws -> CustomField {
        try transaction.put(field)
        try touchThread(field.threadID)
        return field
    }

    private func check(name: String, in thread: UUID) throws {
        guard CustomField.nameLengths.contains(name.count), !name.allSatisfy(\.isWhitespace) else {
            throw JournalError.badFieldName
        }
        try Self.checkUsable(name)
        guard try !transaction[CustomField.byPlace].prefix(thread).contains(where: { $0.name == name }) else {
            throw JournalError.duplicateField
        }
    }
}
