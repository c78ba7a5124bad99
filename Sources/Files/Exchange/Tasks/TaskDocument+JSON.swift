import ByteStreams
import CivilTime
import FoundationEssentials

extension TaskDocument: JSONWritable {
    /// Writes the task as an object: eight fields always, the others while they are not the default.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    /// Writes the fields into an object that is open.
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("text", text)
        writer.field("state", state.rawValue)
        writer.field("createdAt", createdAt)
        writer.field("updatedAt", updatedAt)
        writer.field("completedAt", completedAt)
        writer.field("scheduledDate", scheduledDate)
        writer.field("sortOrder", sortOrder)
        writeOptionalFields(to: &writer, unless: Self.standard)
    }

    /// Writes those of the other fields that differ from another task's.
    func writeOptionalFields(to writer: inout JSONWriter, unless other: TaskDocument) {
        writer.field("notes", notes, unless: other.notes)
        writer.field("category", category, unless: other.category)
        writer.field("completedZone", completedZone, unless: other.completedZone)
        writer.field("completedOffsetSeconds", completedOffsetSeconds, unless: other.completedOffsetSeconds)
        writer.field("completionEpoch", completionEpoch, unless: other.completionEpoch)
        writer.field("dueAt", dueAt, unless: other.dueAt)
        writer.field("dueIsAllDay", dueIsAllDay, unless: other.dueIsAllDay)
        writer.field("reminderAt", reminderAt, unless: other.reminderAt)
        writer.field("listID", listID, unless: other.listID)
        writer.field("listOrder", listOrder, unless: other.listOrder)
        writer.field("region", region.rawValue, unless: other.region.rawValue)
        writer.field("bucket", bucket.rawValue, unless: other.bucket.rawValue)
        writer.field("planOrder", planOrder, unless: other.planOrder)
        writer.field("autoCarry", autoCarry, unless: other.autoCarry)
        writer.field("isSticky", isSticky, unless: other.isSticky)
        writer.field("expiresAt", expiresAt, unless: other.expiresAt)
        writer.field("archivedAt", archivedAt, unless: other.archivedAt)
        writer.field("isRecurring", isRecurring, unless: other.isRecurring)
        writer.field("recurringPattern", recurringPattern, unless: other.recurringPattern)
        writer.field("parentRecurringID", parentRecurringID, unless: other.parentRecurringID)
        writer.field("carriedFromDay", carriedFromDay, unless: other.carriedFromDay)
        writer.field("carryCount", carryCount, unless: other.carryCount)
        if let extra, extra != other.extra {
            writer.key("extra")
            writer.raw(extra)
        }
    }

    /// A task whose optional fields are all the default.
    private static let standard = TaskDocument(
        id: ContentIdentifier.placeholder, text: "", createdAt: Instant(secondsSince1970: 0),
        updatedAt: Instant(secondsSince1970: 0))
}

extension Int {
    /// The store keeps offsets in 32 bits.
    func checkOffset(_ field: String) throws(RecordProblem) {
        if Int32(exactly: self) == nil {
            throw RecordProblem("`\(field)` must be a whole number from \(Int32.min) to \(Int32.max)")
        }
    }
}

extension TaskDocument {
    /// Reads a task from the members of an object; keys without a field go to `extra`.
    ///
    /// - Parameter now: what stands in for a missing `createdAt`; without it such a record is refused.
    init(json members: [JSONMember], now: Instant?) throws(RecordProblem) {
        let zero = Instant(secondsSince1970: 0)
        self.init(id: ContentIdentifier.placeholder, text: "", createdAt: now ?? zero, updatedAt: now ?? zero)
        var unknown: [JSONMember] = []
        for member in members where try !apply(member) { unknown.append(member) }
        gaps.id = members["id"] == nil
        if gaps.id { id = ContentIdentifier.id(of: members) }
        if members["createdAt"] == nil, now == nil { throw RecordProblem("`createdAt` is missing") }
        gaps.createdAt = members["createdAt"] == nil
        if members["updatedAt"] == nil {
            updatedAt = createdAt
            isUndated = gaps.createdAt
        }
        if isUndated { gaps.given = Set(members.map(\.key)) }
        if members["state"] == nil, completedAt != nil { state = .completed }
        try addExtra(unknown)
        try settle()
    }

    /// Takes the value of one key; false if there is no field of that name.
    mutating func apply(_ member: JSONMember) throws(RecordProblem) -> Bool {
        let (key, value) = (member.key, member.value)
        switch key {
        case "id": id = try value.id(key)
        case "text": text = try value.text(key)
        case "state": state = try value.choice(key)
        case "createdAt": createdAt = try value.instant(key)
        case "updatedAt": updatedAt = try value.instant(key)
        case "completedAt": completedAt = try value.optional(key, JSONValue.instant)
        case "scheduledDate": scheduledDate = try value.optional(key, JSONValue.day)
        case "sortOrder": sortOrder = try value.integer(key)
        default: return try applyOptional(key, value)
        }
        return true
    }

    private mutating func applyOptional(_ key: String, _ value: JSONValue) throws(RecordProblem) -> Bool {
        switch key {
        case "notes": notes = try value.optional(key, JSONValue.text)
        case "category": category = try value.optional(key, JSONValue.text)
        case "completedZone": completedZone = try value.optional(key, JSONValue.text)
        case "completedOffsetSeconds": completedOffsetSeconds = try value.optional(key, JSONValue.integer)
        case "completionEpoch": completionEpoch = try value.integer(key)
        case "dueAt": dueAt = try value.optional(key, JSONValue.instant)
        case "dueIsAllDay": dueIsAllDay = try value.bool(key)
        case "reminderAt": reminderAt = try value.optional(key, JSONValue.instant)
        case "listID": listID = try value.optional(key, JSONValue.id)
        case "listOrder": listOrder = try value.integer(key)
        case "region": region = try value.choice(key)
        case "bucket": bucket = try value.choice(key)
        case "planOrder": planOrder = try value.integer(key)
        default: return try applyPlanning(key, value)
        }
        return true
    }

    private mutating func applyPlanning(_ key: String, _ value: JSONValue) throws(RecordProblem) -> Bool {
        switch key {
        case "autoCarry": autoCarry = try value.bool(key)
        case "isSticky": isSticky = try value.bool(key)
        case "expiresAt": expiresAt = try value.optional(key, JSONValue.instant)
        case "archivedAt": archivedAt = try value.optional(key, JSONValue.instant)
        case "isRecurring": isRecurring = try value.bool(key)
        case "recurringPattern": recurringPattern = try value.optional(key, JSONValue.text)
        case "parentRecurringID": parentRecurringID = try value.optional(key, JSONValue.id)
        case "carriedFromDay": carriedFromDay = try value.optional(key, JSONValue.day)
        case "carryCount": carryCount = try value.integer(key)
        case "extra":
            guard case .object(let members) = value else { throw RecordProblem("`extra` must be an object") }
            try addExtra(members)
        default: return false
        }
        return true
    }

    /// Adds members to `extra`, with room left for the levels around it in every format.
    mutating func addExtra(_ members: [JSONMember]) throws(RecordProblem) {
        if members.isEmpty { return }
        let members = extraMembers + members
        guard JSONValue.object(members).fits(levels: 48, values: 60_000) else { throw .tooComplex }
        extra = JSONValue.canonicalText(of: members)
    }

    /// The members of `extra`; none where it is not the text of an object.
    var extraMembers: [JSONMember] {
        guard let extra else { return [] }
        var parser = JSONParser(Array(extra.utf8))
        guard case .object(let members)? = try? parser.value() else { return [] }
        return members
    }

    /// Checks the rules that hold between fields, and completes what follows from them.
    mutating func settle() throws(RecordProblem) {
        if text.allSatisfy(\.isWhitespace) { throw RecordProblem("the text is missing or blank") }
        if text.utf8.count > 16 << 20 { throw RecordProblem("the text is longer than 16 MiB") }
        if state == .completed {
            if completedAt == nil {
                completedAt = updatedAt
                gaps.completedAt = true
            }
        } else if completedAt != nil {
            throw RecordProblem("`completedAt` is given but the task is not completed")
        }
        try completedOffsetSeconds?.checkOffset("completedOffsetSeconds")
        try createdAt.checkYear("createdAt")
        try updatedAt.checkYear("updatedAt")
        try completedAt?.checkYear("completedAt")
        try dueAt?.checkYear("dueAt")
        try reminderAt?.checkYear("reminderAt")
        try expiresAt?.checkYear("expiresAt")
        try archivedAt?.checkYear("archivedAt")
    }
}
