import ByteStreams
import CivilTime

extension TombstoneDocument: JSONWritable {
    /// Writes the tombstone as an object; what is not known is left out.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    /// Writes the fields into an object that is open.
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("deletedAt", deletedAt)
        writer.field("completedAt", completedAt, unless: nil)
        writer.field("completedZone", completedZone, unless: nil)
        writer.field("completedOffsetSeconds", completedOffsetSeconds, unless: nil)
    }

    /// Reads a tombstone from the members of an object.
    init(json members: [JSONMember]) throws(RecordProblem) {
        guard let id = members["id"] else { throw RecordProblem("`id` is missing") }
        guard let deletedAt = members["deletedAt"] else { throw RecordProblem("`deletedAt` is missing") }
        self.init(id: try id.id("id"), deletedAt: try deletedAt.instant("deletedAt"))
        completedAt = try members["completedAt"]?.optional("completedAt", JSONValue.instant)
        completedZone = try members["completedZone"]?.optional("completedZone", JSONValue.text)
        completedOffsetSeconds = try members["completedOffsetSeconds"]?.optional(
            "completedOffsetSeconds", JSONValue.integer)
        try completedOffsetSeconds?.checkOffset("completedOffsetSeconds")
        try self.deletedAt.checkYear("deletedAt")
        try completedAt?.checkYear("completedAt")
    }
}
