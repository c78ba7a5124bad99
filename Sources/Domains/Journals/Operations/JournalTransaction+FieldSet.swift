import FoundationEssentials
import Records

/// A custom field as a person has edited it, for ``JournalTransaction/saveCustomFields(_:of:)``.
public struct EditedField: Sendable, Hashable {
    /// The field; of a new one, an id of the caller's choice, by which other fields can name it as their group.
    public var id: UUID
    /// The name: 1 to 50 characters.
    public var name: String
    /// Whether it is a group: it has other fields below it, and no values.
    public var isGroup: Bool
    /// The group that it is in; nil for none.
    public var groupID: UUID?

    /// Describes a new field, or an existing one by its id.
    public init(id: UUID, name: String, isGroup: Bool = false, groupID: UUID? = nil) {
        self.id = id
        self.name = name
        self.isGroup = isGroup
        self.groupID = groupID
    }

    /// Describes a field as it is.
    public init(_ summary: FieldSummary) {
        self.init(
            id: summary.field.id, name: summary.field.name, isGroup: summary.field.isGroup, groupID: summary.groupID)
    }
}

extension JournalTransaction {
    /// Saves all custom fields of a thread, in the given order: those that the thread lacks are added, those that differ are changed,
    /// and those that are missing are deleted, which keeps the values that entries have. Writes only what differs.
    ///
    /// - Parameters:
    ///   - fields: Every field that the thread is to have. Names can be exchanged.
    /// - Returns: The fields as they are now.
    /// - Throws: `JournalError`, and nothing is changed: `noSuchThread`, `badFieldName`, `duplicateField`, `unusableText`,
    ///   `duplicateID` for a field that is given twice, `noSuchField` for a deleted field and for a group that is not given,
    ///   `foreignField`, `notAGroup`, `groupCycle`, `groupWithValue` for a field with values that is to become a group.
    @discardableResult
    public func saveCustomFields(_ fields: [EditedField], of thread: UUID) throws -> [FieldSummary] {
        _ = try self.thread(thread)
        try Self.check(fields)
        let before = try reading.fields(of: thread)
        let known = Dictionary(before.map { ($0.field.id, $0) }, uniquingKeysWith: { $1 })
        for field in fields where known[field.id] == nil {
            guard let other = try transaction[CustomField.self].get(field.id) else { continue }
            throw other.threadID == thread ? JournalError.noSuchField : .foreignField
        }
        var isChanged = false
        let given = Set(fields.map(\.id))
        for summary in before where !given.contains(summary.field.id) {
            var deleted = summary.field
            deleted.deletedAt = now
            try transaction.put(deleted)
            isChanged = true
        }
        for field in fields where try save(field, of: thread, knownAs: known[field.id]) { isChanged = true }
        if try putInOrder(fields.map(\.id), in: thread) { isChanged = true }
        if isChanged { try touchThread(thread) }
        return try reading.fields(of: thread)
    }

    /// Checks what the fields say by themselves and of each other.
    private static func check(_ fields: [EditedField]) throws {
        var (names, byID) = (Set<String>(), [UUID: EditedField]())
        for field in fields {
            guard CustomField.nameLengths.contains(field.name.count), !field.name.allSatisfy(\.isWhitespace) else {
                throw JournalError.badFieldName
            }
            try checkUsable(field.name)
            guard names.insert(field.name).inserted else { throw JournalError.duplicateField }
            guard byID.updateValue(field, forKey: field.id) == nil else { throw JournalError.duplicateID }
        }
        for field in fields {
            var (above, passed) = (field.groupID, Set([field.id]))
            while let id = above {
                guard let group = byID[id] else { throw JournalError.noSuchField }
                guard group.isGroup else { throw JournalError.notAGroup }
                guard passed.insert(id).inserted else { throw JournalError.groupCycle }
                above = group.groupID
            }
        }
    }

    /// Writes a field and its group; returns whether anything differed.
    private func save(_ edited: EditedField, of thread: UUID, knownAs known: FieldSummary?) throws -> Bool {
        var field = known?.field ?? CustomField(id: edited.id, threadID: thread, name: edited.name)
        if known == nil { field.position = try transaction[CustomField.order].last(in: thread) }
        if known != nil, edited.isGroup, !field.isGroup,
            try !transaction[EntryFieldValue.ofField].prefix(field.id, limit: 1).isEmpty
        {
            throw JournalError.groupWithValue
        }
        if field.isGroup, !edited.isGroup {
            // Also deleted fields leave it; the others say where they are.
            for link in try transaction[CustomFieldGroup.ofParent].prefix(field.id) {
                try transaction.delete(CustomFieldGroup.self, id: link.id)
            }
        }
        (field.name, field.isGroup) = (edited.name, edited.isGroup)
        let saved = field
        let hasOtherGroup = edited.groupID != known?.groupID
        guard saved != known?.field || hasOtherGroup else { return false }
        if saved != known?.field { try transaction.put(saved) }
        guard hasOtherGroup else { return true }
        if let group = edited.groupID {
            try transaction.put(CustomFieldGroup(child: edited.id, parent: group))
        } else {
            try transaction.delete(CustomFieldGroup.self, id: edited.id)
        }
        return true
    }

    /// Moves the fields of a thread that are not at their places; returns whether there was one.
    private func putInOrder(_ ids: [UUID], in thread: UUID) throws -> Bool {
        var order = try transaction[CustomField.byPlace].prefix(thread).map(\.id)
        var isChanged = false
        for (place, id) in ids.enumerated() where order[place] != id {
            guard let field = try transaction[CustomField.self].get(id) else { throw JournalError.noSuchField }
            _ = try transaction.move(field, to: .before(order[place]), in: CustomField.order) { _ in }
            order.removeAll { $0 == id }
            order.insert(id, at: place)
            isChanged = true
        }
        return isChanged
    }
}
