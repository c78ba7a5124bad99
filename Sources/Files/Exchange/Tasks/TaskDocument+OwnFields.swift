import ByteStreams

// Most formats have no place for some of our fields. Where they let programs add a text of their own, that text is a JSON
// object of these fields.
extension TaskDocument {
    /// The fields that differ from what a format says of the task, as the text of a JSON object; nil if it says all.
    func ownFields(beyond meant: TaskDocument) -> String? {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("text", text, unless: meant.text)
            writer.field("state", state.rawValue, unless: meant.state.rawValue)
            writer.field("createdAt", createdAt, unless: meant.createdAt)
            writer.field("updatedAt", updatedAt, unless: meant.updatedAt)
            writer.field("completedAt", completedAt, unless: meant.completedAt)
            writer.field("scheduledDate", scheduledDate, unless: meant.scheduledDate)
            writeOptionalFields(to: &writer, unless: meant)
        }
        if writer.bytes.count == 2 { return nil }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Puts such a text into the fields; false, and nothing done, if it is not ours: no object, or other keys.
    mutating func applyOwnFields(_ text: String) throws(RecordProblem) -> Bool {
        var parser = JSONParser(Array(text.utf8))
        guard case .object(let members)? = try? parser.value(), parser.peek() == nil else { return false }
        var changed = self
        for member in members where try !changed.apply(member) { return false }
        self = changed
        return true
    }

    /// What our own fields say is no longer open.
    mutating func closeGaps(since said: TaskDocument) {
        if updatedAt != said.updatedAt { isUndated = false }
        if createdAt != said.createdAt { gaps.createdAt = false }
        if completedAt != said.completedAt { gaps.completedAt = false }
        if archivedAt != said.archivedAt { gaps.archivedAt = false }
    }

    /// `extra` without what files of one format said.
    func extra(without format: TaskFormat) -> String? {
        let members = extraMembers.filter { $0.key != format.rawValue }
        return members.isEmpty ? nil : JSONValue.canonicalText(of: members)
    }
}
