import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// The interpretation of Taskwarrior's attributes.
///
/// An attribute with an exact field becomes that field. Others, and values that an export would write differently, are kept
/// unchanged in `extra` under `taskwarrior`, and exported again as long as they agree with the task's fields. So nothing is
/// lost on the way through Daybook, and changes in Daybook take precedence.
enum Taskwarrior {
    /// Our own attribute, with the fields for which Taskwarrior has none, as JSON text. Taskwarrior keeps
    /// unknown attributes.
    static let ownKey = "daybook"

    /// The status in Taskwarrior.
    enum Status: String, CaseIterable {
        case pending, waiting, completed, deleted, recurring
    }

    /// Reads a task from its attributes.
    static func document(
        of attributes: [JSONMember], zone: Zone, now: Instant?
    ) throws(RecordProblem) -> ImportedTask {
        let attributes = attributes.sortedByKey()
        let said = try meaning(of: attributes, zone: zone, now: now)
        let written = plainAttributes(of: said, zone: zone)
        var document = said
        // Links are kept as links, however they were spelled, so that what is unlinked later does not come back.
        var kept = attributes.filter { written[$0.key] != $0.value && $0.key != "depends" }
        if case .string(let own)? = attributes[ownKey], try document.applyOwnFields(own) {
            kept.removeAll { $0.key == ownKey }
            let days = try document.takeTaskwarriorDays()
            if let wait = try attributes.instant("wait", zone), let day = days.day(of: .waitUntil, at: wait) {
                document.waitUntil = day
            }
            if let scheduled = try attributes.instant("scheduled", zone),
                let day = days.day(of: .scheduledDate, at: scheduled)
            {
                document.scheduledDate = day
            }
            // Ours has these only if we wrote no attribute, so an attribute is newer.
            if let due = said.dueAt, let day = document.dueDay, due != zone.start(of: day),
                days.day(of: .dueDay, at: due) != day
            {
                (document.dueAt, document.dueIsAllDay, document.dueDay) = (due, false, nil)
            } else {
                document.dueAt = document.dueDay == nil ? said.dueAt ?? document.dueAt : nil
            }
            document.expiresAt = said.expiresAt ?? document.expiresAt
            document.recurringPattern = said.recurringPattern ?? document.recurringPattern
            // Taskwarrior completed it after we wrote our attribute.
            if document.completedAt != nil { document.state = .completed }
            document.closeGaps(since: said)
        } else {
            // Instants of Taskwarrior, which stay those instants: ours come with their days.
            for name in ["scheduled", "wait"] where kept[name] == nil {
                if let value = attributes.present(name) { kept.append(JSONMember(key: name, value: value)) }
            }
        }
        if !kept.isEmpty { try document.keep(.object(kept), of: .taskwarrior) }
        try document.settle()
        return document
    }

    /// Returns the task that the attributes with a field describe.
    static func meaning(of attributes: [JSONMember], zone: Zone, now: Instant?) throws(RecordProblem) -> ImportedTask {
        let entry = try attributes.instant("entry", zone)
        let modified = try attributes.instant("modified", zone)
        let end = try attributes.instant("end", zone)
        guard let createdAt = entry ?? modified ?? end ?? now else { throw RecordProblem("`entry` is missing") }

        var document = ImportedTask(
            id: try attributes.present("uuid")?.id("uuid") ?? ContentIdentifier.id(of: attributes),
            text: try attributes.present("description")?.text("description") ?? "",
            createdAt: createdAt, updatedAt: modified ?? end ?? createdAt)
        document.gaps.id = attributes.present("uuid") == nil
        document.gaps.createdAt = entry == nil
        document.isUndated = entry == nil && modified == nil && end == nil
        document.scheduledDate = try attributes.instant("scheduled", zone).map(zone.day)
        document.dueAt = try attributes.instant("due", zone)
        document.dueIsAllDay = document.dueAt == nil
        document.expiresAt = try attributes.instant("until", zone)
        document.category = try attributes.present("project")?.text("project")
        document.task.tags = try tags(of: attributes)
        document.priority = priorities[try attributes.present("priority")?.text("priority") ?? ""] ?? .none
        document.waitUntil = try attributes.instant("wait", zone).map(zone.day)
        // They stay attributes as well; as notes they are shown and found.
        document.notes = annotations(of: attributes)
        let day = document.task.anchor(in: zone)
        document.recurringPattern = (try attributes.present("recur")?.text("recur")).map {
            TaskwarriorRecurrence.pattern(of: $0, from: day)
        }
        document.parentRecurringID = try attributes.present("parent")?.id("parent")
        document.blockedBy = try attributes.present("depends")?.ids("depends") ?? []

        switch try attributes.present("status")?.choice("status") ?? Status.pending {
        case .pending:
            if attributes.present("start") != nil { document.state = .active }
        case .waiting:
            break
        case .completed:
            document.state = .completed
            document.completedAt = end ?? document.updatedAt
            document.gaps.completedAt = end == nil
        case .deleted:
            document.archivedAt = end ?? document.updatedAt
            document.gaps.archivedAt = end == nil
        case .recurring:
            document.isRecurring = true
            document.archivedAt = end ?? document.updatedAt
            document.gaps.archivedAt = end == nil
        }
        return document
    }
}

extension Taskwarrior {
    /// The levels of its priorities. Others, which a configuration can define, stay attributes.
    static let priorities: [String: TaskPriority] = ["H": .high, "M": .medium, "L": .low]

    static func annotations(of attributes: [JSONMember]) -> String? {
        guard case .array(let values)? = attributes.present("annotations") else { return nil }
        let texts = values.compactMap { value -> String? in
            guard case .object(let members) = value, case .string(let text)? = members["description"] else {
                return nil
            }
            return text
        }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private static func tags(of attributes: [JSONMember]) throws(RecordProblem) -> [String] {
        switch attributes.present("tags") {
        case nil: return []
        case .string(let text)?: return text.split(separator: ",").map(String.init)
        case .array(let values)?:
            var tags: [String] = []
            for value in values { tags.append(try value.text("tags")) }
            return tags
        default: throw RecordProblem("`tags` must be an array of texts")
        }
    }
}

extension ImportedTask {
    /// Returns the days that our attribute has for attributes that are instants, and removes those.
    fileprivate mutating func takeTaskwarriorDays() throws(RecordProblem) -> FileDays {
        let days = FileDays(of: self)
        var rest = days
        rest.remove(.scheduledDate)
        rest.remove(.dueDay)
        rest.remove(.waitUntil)
        try set(rest)
        return days
    }
}

extension [JSONMember] {
    /// The value of a key, unless it is null.
    func present(_ key: String) -> JSONValue? {
        guard let value = self[key], value != .null else { return nil }
        return value
    }

    /// Reads a date of Taskwarrior (`20150723T234931Z`, or the seconds since 1970), or in ISO 8601.
    func instant(_ key: String, _ zone: Zone) throws(RecordProblem) -> Instant? {
        switch present(key) {
        case nil: return nil
        case .number(let digits)?:
            if let instant = Instant(epoch: digits) { return instant }
        case .string(let text)?:
            if let instant = Instant(epoch: text) { return instant }
            if let instant = try? Instant(text) { return instant }
            if let day = try? Day(text) { return zone.beginning(of: day) }
        default: break
        }
        throw RecordProblem("`\(key)` must be a date that exists, such as 20260210T091500Z or seconds since 1970")
    }
}

extension Instant {
    /// Seconds since 1970 as decimal digits, within the years 1 to 9999.
    fileprivate init?(epoch digits: String) {
        guard let seconds = Int64(digits), (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
        self.init(secondsSince1970: seconds)
    }
}
