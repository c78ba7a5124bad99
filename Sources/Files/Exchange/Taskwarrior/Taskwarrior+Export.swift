import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

extension Taskwarrior {
    /// The attributes of a task, by name: what its fields say, and what an import kept.
    static func attributes(of document: ImportedTask, zone: Zone) -> [JSONMember] {
        var attributes = plainAttributes(of: document, zone: zone)
        let kept = keptAttributes(of: document)
        // A period in words that are not known here came from Taskwarrior, which takes it back.
        if canRecur(document), let pattern = document.recurringPattern, kept["recur"] == .string(pattern) {
            attributes.set("recur", .string(pattern))
        }
        let meant = try? meaning(of: attributes, zone: zone, now: nil)
        if let meant, let own = ownAttribute(of: document, beyond: meant) { attributes.append(own) }
        // What `start` and `end` mean depends on the status, so that one is decided first.
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
        let taken = Set(names + attributes.map(\.key))
        attributes += kept.filter { !taken.contains($0.key) }
        return attributes.sortedByKey()
    }

    /// The attributes that the fields alone call for.
    static func plainAttributes(of document: ImportedTask, zone: Zone) -> [JSONMember] {
        var attributes: [JSONMember] = []
        func add(_ key: String, _ value: String?) {
            if let value { attributes.append(JSONMember(key: key, value: .string(value))) }
        }
        let (status, end) = statusAndEnd(of: document)
        add("description", document.text)
        add("due", document.dueAt.flatMap(textIfTaken))
        add("end", end.map(nearestText))
        add("entry", nearestText(document.createdAt))
        add("modified", nearestText(document.updatedAt))
        add("parent", document.parentRecurringID?.lowercased)
        add("project", document.category)
        add("recur", canRecur(document) ? document.recurringPattern.flatMap(TaskwarriorPeriod.known) : nil)
        add("scheduled", document.scheduledDate.flatMap { textIfTaken(zone.start(of: $0)) })
        add("start", document.state == .active && status == .pending ? nearestText(document.updatedAt) : nil)
        add("status", status.rawValue)
        add("until", document.expiresAt.flatMap(textIfTaken))
        add("uuid", document.id.lowercased)
        return attributes
    }

    private static let attributesWithMeaning = [
        "description", "due", "end", "entry", "modified", "parent", "project", "recur", "scheduled", "start", "until",
        "uuid",
    ]

    private static func statusAndEnd(of document: ImportedTask) -> (Status, Instant?) {
        if document.state == .completed { return (.completed, document.completedAt) }
        guard let archivedAt = document.archivedAt else { return (.pending, nil) }
        guard document.isRecurring else { return (.deleted, archivedAt) }
        // Taskwarrior's patterns have no end.
        return (.recurring, nearestText(archivedAt) == nearestText(document.updatedAt) ? nil : archivedAt)
    }

    /// Whether Taskwarrior takes `recur` as it is: it refuses a file with one that is not due, and makes an open task that
    /// stands alone a pattern, which is no task to be done any more.
    private static func canRecur(_ document: ImportedTask) -> Bool {
        guard let dueAt = document.dueAt, isTaken(dueAt) else { return false }
        return document.parentRecurringID != nil || statusAndEnd(of: document).0 != .pending
    }

    private static func keptAttributes(of document: ImportedTask) -> [JSONMember] {
        guard case .object(let kept)? = document.kept(of: .taskwarrior) else { return [] }
        return kept
    }

    /// The fields that say more than the attributes do, except positions: the order of the file is the order.
    private static func ownAttribute(of document: ImportedTask, beyond meant: ImportedTask) -> JSONMember? {
        var rest = document
        // These have attributes; what those cut off are fractions of a second.
        if isTaken(rest.createdAt) { rest.createdAt = meant.createdAt }
        if isTaken(rest.updatedAt) { rest.updatedAt = meant.updatedAt }
        if rest.completedAt.map(isTaken) ?? true { rest.completedAt = meant.completedAt }
        if rest.dueAt.map(isTaken) ?? true { rest.dueAt = meant.dueAt }
        if rest.expiresAt.map(isTaken) ?? true { rest.expiresAt = meant.expiresAt }
        if meant.archivedAt != nil, rest.archivedAt.map(isTaken) ?? true { rest.archivedAt = meant.archivedAt }
        rest.listOrder = meant.listOrder
        rest.planOrder = meant.planOrder
        rest.extra = document.extraText(without: .taskwarrior)
        return rest.ownFields(beyond: meant).map { JSONMember(key: ownKey, value: .string($0)) }
    }

    // Taskwarrior takes dates from 1980 to 9999, and refuses a whole file for one that lies beyond.
    private static let earliest = Instant(secondsSince1970: 315_532_800)
    private static let latest = Instant(secondsSince1970: 253_402_214_400)

    private static func isTaken(_ instant: Instant) -> Bool {
        earliest <= instant && instant <= latest
    }

    private static func textIfTaken(_ instant: Instant) -> String? {
        isTaken(instant) ? text(instant) : nil
    }

    /// Of dates that a task needs, as near as Taskwarrior takes it.
    private static func nearestText(_ instant: Instant) -> String {
        text(min(max(instant, earliest), latest))
    }

    /// `20150723T234931Z`: whole seconds, without signs between the numbers.
    private static func text(_ instant: Instant) -> String {
        instant.basicText
    }
}
