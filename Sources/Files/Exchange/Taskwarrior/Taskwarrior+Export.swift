import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

extension Taskwarrior {
    /// Returns the attributes of a task by name: those of its fields and those kept of an import.
    static func attributes(of document: ImportedTask, zone: Zone) -> [JSONMember] {
        var attributes = plainAttributes(of: document, zone: zone)
        let kept = keptAttributes(of: document)
        // A period that is unknown here came from Taskwarrior, which accepts it.
        if canRecur(document, zone), let pattern = document.recurringPattern, kept["recur"] == .string(pattern) {
            attributes.set("recur", .string(pattern))
        }
        let meant = try? meaning(of: attributes, zone: zone, now: nil)
        if let meant, let own = ownAttribute(of: document, beyond: meant) { attributes.append(own) }
        // The meaning of `start` and `end` depends on the status, which comes first.
        let names = ["status"] + attributesWithMeaning
        for name in names {
            guard let value = kept[name] else { continue }
            var candidate = attributes
            candidate.set(name, value)
            if let meaning = try? meaning(of: candidate, zone: zone, now: nil),
                meant.map(meaning.hasSameContent) ?? false
            {
                attributes = candidate
            }
        }
        let ours = attributes.filter {
            $0.key == "due" || ["scheduled", "wait"].contains($0.key) && $0.value != kept[$0.key]
        }
        if let meant, let own = ownAttribute(of: document.noting(ours, zone), beyond: meant) {
            attributes.set(ownKey, own.value)
        }
        let taken = Set(names + attributes.map(\.key))
        attributes += kept.filter { !taken.contains($0.key) }
        return attributes.sortedByKey()
    }

    /// Returns the attributes of the fields alone.
    static func plainAttributes(of document: ImportedTask, zone: Zone) -> [JSONMember] {
        var attributes: [JSONMember] = []
        func add(_ key: String, _ value: String?) {
            if let value { attributes.append(JSONMember(key: key, value: .string(value))) }
        }
        let (status, end) = statusAndEnd(of: document)
        if !document.blockedBy.isEmpty {
            let ids = document.blockedBy.map { JSONValue.string($0.lowercased) }
            attributes.append(JSONMember(key: "depends", value: .array(ids)))
        }
        add("description", document.text)
        add("due", dueAt(of: document, zone).flatMap(textIfTaken))
        add("end", end.map(nearestText))
        add("entry", nearestText(document.createdAt))
        add("modified", nearestText(document.updatedAt))
        add("parent", document.parentRecurringID?.lowercased)
        add("priority", priorities.first { $0.value == document.priority }?.key)
        add("project", document.category)
        let day = document.task.anchor(in: zone)
        let period = document.recurringPattern.flatMap { TaskwarriorRecurrence.period(of: $0, from: day) }
        add("recur", canRecur(document, zone) ? period : nil)
        add("scheduled", document.scheduledDate.flatMap { textIfTaken(zone.start(of: $0)) })
        add("start", document.state == .active && status == .pending ? nearestText(document.updatedAt) : nil)
        add("status", status.rawValue)
        let tags = document.task.tags
        // A tag of Taskwarrior is one word.
        if !tags.isEmpty, tags.allSatisfy(isTaken) {
            attributes.append(JSONMember(key: "tags", value: .array(tags.map { .string($0) })))
        }
        add("until", document.expiresAt.flatMap(textIfTaken))
        add("uuid", document.id.lowercased)
        add("wait", document.waitUntil.flatMap { textIfTaken(zone.start(of: $0)) })
        return attributes
    }

    private static let attributesWithMeaning = [
        "description", "due", "end", "entry", "modified", "parent", "priority", "project", "recur", "scheduled",
        "start",
        "tags", "until", "uuid", "wait",
    ]

    private static func statusAndEnd(of document: ImportedTask) -> (Status, Instant?) {
        if document.state == .completed { return (.completed, document.completedAt) }
        guard let archivedAt = document.archivedAt else { return (.pending, nil) }
        guard document.isRecurring else { return (.deleted, archivedAt) }
        // Recurring tasks have no end in Taskwarrior.
        return (.recurring, nearestText(archivedAt) == nearestText(document.updatedAt) ? nil : archivedAt)
    }

    /// Whether Taskwarrior accepts `recur`: it refuses a file with a recurring task without a due date, and turns an open
    /// single task into a template.
    private static func canRecur(_ document: ImportedTask, _ zone: Zone) -> Bool {
        guard let dueAt = dueAt(of: document, zone), isTaken(dueAt) else { return false }
        return document.parentRecurringID != nil || statusAndEnd(of: document).0 != .pending
    }

    /// The instant of `due`: of a day its start, as of `scheduled`.
    static func dueAt(of document: ImportedTask, _ zone: Zone) -> Instant? {
        document.dueDay.map(zone.start) ?? document.dueAt
    }

    private static func keptAttributes(of document: ImportedTask) -> [JSONMember] {
        guard case .object(let kept)? = document.kept(of: .taskwarrior) else { return [] }
        // Without the day that it waits for it is waiting no longer.
        return kept.filter { $0 != JSONMember(key: "status", value: .string("waiting")) || document.waitUntil != nil }
    }

    /// Returns the fields that the attributes do not express, except positions.
    private static func ownAttribute(of document: ImportedTask, beyond meant: ImportedTask) -> JSONMember? {
        var rest = document
        // These have attributes, which lack fractions of a second.
        if isTaken(rest.createdAt) { rest.createdAt = meant.createdAt }
        if isTaken(rest.updatedAt) { rest.updatedAt = meant.updatedAt }
        if rest.completedAt.map(isTaken) ?? true { rest.completedAt = meant.completedAt }
        if rest.dueAt.map(isTaken) ?? true { rest.dueAt = meant.dueAt }
        if rest.expiresAt.map(isTaken) ?? true { rest.expiresAt = meant.expiresAt }
        if meant.archivedAt != nil, rest.archivedAt.map(isTaken) ?? true { rest.archivedAt = meant.archivedAt }
        // The annotations say it.
        if rest.notes == annotations(of: keptAttributes(of: document)) { rest.notes = meant.notes }
        rest.listOrder = meant.listOrder
        rest.planOrder = meant.planOrder
        rest.extra = document.extraText(without: .taskwarrior)
        return rest.ownFields(beyond: meant).map { JSONMember(key: ownKey, value: .string($0)) }
    }

    // Taskwarrior accepts dates from 1980 to 9999, and refuses a file with others.
    private static let earliest = Instant(secondsSince1970: 315_532_800)
    private static let latest = Instant(secondsSince1970: 253_402_214_400)

    private static func isTaken(_ tag: String) -> Bool {
        tag.allSatisfy { $0.isLetter || $0.isNumber || "_.-@".contains($0) } && tag.first?.isNumber == false
    }

    private static func isTaken(_ instant: Instant) -> Bool {
        earliest <= instant && instant <= latest
    }

    private static func textIfTaken(_ instant: Instant) -> String? {
        isTaken(instant) ? text(instant) : nil
    }

    /// Returns the nearest date that Taskwarrior accepts, for required dates.
    private static func nearestText(_ instant: Instant) -> String {
        text(min(max(instant, earliest), latest))
    }

    /// Returns `20150723T234931Z`: whole seconds.
    private static func text(_ instant: Instant) -> String {
        instant.basicText
    }
}

extension ImportedTask {
    /// The task with the days for which attributes stand that are instants: another zone reads other days from those.
    fileprivate func noting(_ attributes: [JSONMember], _ zone: Zone) -> ImportedTask {
        var days = FileDays(of: self)
        if let day = task.scheduledDate, let instant = try? attributes.instant("scheduled", zone) {
            days.set(.scheduledDate, instant, to: day)
        }
        if let day = task.dueDay, let instant = try? attributes.instant("due", zone) {
            days.set(.dueDay, instant, to: day)
        }
        if let day = task.waitUntil, let instant = try? attributes.instant("wait", zone) {
            days.set(.waitUntil, instant, to: day)
        }
        var result = self
        try? result.set(days)
        return result
    }
}
