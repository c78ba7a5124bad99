import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

extension ICalendarTodo {
    /// Returns the lines of a task: those of its fields, and kept lines of an import that still mean the same.
    static func lines(of document: ImportedTask, zone: Zone, zones: ICalendarZones) -> [ICalendarLine] {
        let plain = linesOfFields(of: document, zone: zone, zones: zones)
        guard let kept = kept(of: document) else { return plain }
        var target = document
        target.sortOrder = 0
        target.extra = document.extraText(without: .ics)

        var surroundings = ICalendarSurroundings(zone: zone, zones: zones, id: document.id, now: document.createdAt)
        if kept.means(target, in: surroundings) { return kept.lines }
        // Defaults of the imported lines no longer apply.
        (surroundings.id, surroundings.now) = (nil, nil)
        guard let fields = try? ICalendarTodo(plain) else { return plain }
        // Usually all groups with equal fields can be kept. Otherwise each group costs reading the task once more.
        if let meant = try? kept.document(in: surroundings) {
            let likely = kept.lines(keeping: ICalendarGroup.same(in: meant, target), else: fields)
            if let todo = try? ICalendarTodo(likely), todo.means(target, in: surroundings) { return likely }
        }
        var groups: Set<ICalendarGroup> = []
        for group in ICalendarGroup.allCases {
            let candidate = kept.lines(keeping: groups.union([group]), else: fields)
            if let todo = try? ICalendarTodo(candidate), todo.means(target, in: surroundings) { groups.insert(group) }
        }
        return kept.lines(keeping: groups, else: fields)
    }

    /// Returns the lines of the fields alone.
    static func linesOfFields(of document: ImportedTask, zone: Zone, zones: ICalendarZones) -> [ICalendarLine] {
        var lines = plainLines(of: document, zone: zone)
        let surroundings = ICalendarSurroundings(zone: zone, zones: zones, id: document.id)
        if var meant = try? ICalendarTodo(lines).plainDocument(in: surroundings) {
            // With a time of day goes its instant, which shows whether the alarm was moved since.
            if document.reminderDay != nil { meant.reminderAt = nil }
            var rest = document
            rest.sortOrder = 0
            rest.extra = document.extraText(without: .ics)
            if let own = rest.ownFields(beyond: meant) {
                // JSON allows DEL, iCalendar does not.
                let text = own.replacing("\u{7F}", with: "\\u007f")
                let line = ICalendarLine("\(ownName):\(ICalendarText.escaped(text))")
                let alarm = lines.firstIndex { $0.text == "BEGIN:VALARM" } ?? lines.count
                lines.insert(line, at: alarm)
            }
        }
        return lines
    }

    /// Returns the lines that RFC 5545 has for the fields.
    static func plainLines(of document: ImportedTask, zone: Zone) -> [ICalendarLine] {
        var lines: [ICalendarLine] = []
        func add(_ name: String, _ value: String?) {
            if let value { lines.append(ICalendarLine("\(name):\(value)")) }
        }
        add("UID", document.id.lowercased)
        add("DTSTAMP", ICalendarDate.text(document.updatedAt))
        add("CREATED", ICalendarDate.text(document.createdAt))
        add("LAST-MODIFIED", ICalendarDate.text(document.updatedAt))
        add("SUMMARY", ICalendarText.escaped(document.text))
        add("DESCRIPTION", document.notes.map(ICalendarText.escaped))
        let (start, due) = startAndDue(of: document, zone)
        add("DTSTART;VALUE=DATE", start)
        add(document.dueIsAllDay ? "DUE;VALUE=DATE" : "DUE" + clock(of: document), due)
        let categories = (document.category.map { [$0] } ?? []) + document.task.tags
        // Without a category the first of the tags would be one, so our own property has them.
        if document.category != nil {
            add("CATEGORIES", categories.map(ICalendarText.escaped).joined(separator: ","))
        }
        add("PRIORITY", PriorityLevels.number(of: document.priority).map { "\($0)" })
        if let rule = document.task.recurrence {
            let isTimed = document.dueAt != nil && !document.dueIsAllDay
            if !rule.isAfterCompletion {
                // The end has to be a time where the task has one, and then in UTC (RFC 5545, 3.3.10).
                var end = ""
                if isTimed, case .until(let day) = rule.end { end = dueText(of: document, on: day, zone, inUTC: true) }
                add("RRULE", end.isEmpty ? rule.standardRule : rule.standardRule(until: end))
            }
            for (name, days) in [("EXDATE", rule.exceptions), ("RDATE", rule.additions)] where !days.isEmpty {
                let dates = days.map { day in isTimed ? dueText(of: document, on: day, zone) : ICalendarDate.text(day) }
                add(name + (isTimed ? clock(of: document) : ";VALUE=DATE"), dates.joined(separator: ","))
            }
        } else {
            add("RRULE", document.recurringPattern.flatMap { RecurrenceGrammar.problem(in: $0) == nil ? $0 : nil })
        }
        add("RELATED-TO", document.parentTaskID?.lowercased)
        for blocker in document.blockedBy { add("RELATED-TO;RELTYPE=DEPENDS-ON", blocker.lowercased) }
        add("STATUS", status(of: document))
        add("COMPLETED", document.completedAt.map(ICalendarDate.text))
        if let reminder = document.reminderAt {
            add("BEGIN", "VALARM")
            add("ACTION", "DISPLAY")
            add("DESCRIPTION", ICalendarText.escaped(document.text))
            add("TRIGGER;VALUE=DATE-TIME", ICalendarDate.text(reminder))
            add("END", "VALARM")
        }
        return lines
    }

    /// RFC 5545 requires both to be days or both to be times, and the due date not to be earlier. Otherwise the scheduled
    /// day is in our own property.
    private static func startAndDue(of document: ImportedTask, _ zone: Zone) -> (start: String?, due: String?) {
        if let dueAt = document.dueAt, !document.dueIsAllDay {
            guard document.dueZone != nil else { return (nil, ICalendarDate.text(dueAt)) }
            let zone = document.task.clockZone(or: zone)
            let time = ClockTime(of: dueAt, meant: document.dueSecondsIntoDay, in: zone)
            return (nil, ICalendarDate.text(time))
        }
        guard let due = document.dayOfDue(in: zone) else {
            return (document.scheduledDate.map(ICalendarDate.text), nil)
        }
        let start = document.scheduledDate.flatMap { $0 <= due ? $0 : nil }
        return (start.map(ICalendarDate.text), ICalendarDate.text(due))
    }

    /// The parameter for the zone whose clock the due time follows; empty for a time in UTC.
    private static func clock(of document: ImportedTask) -> String {
        document.dueZone.map { ";TZID=\($0)" } ?? ""
    }

    /// The due time on another day.
    private static func dueText(
        of document: ImportedTask, on day: Day, _ zone: Zone, inUTC: Bool = false
    ) -> String {
        let zone = document.task.clockZone(or: zone)
        guard let dueAt = document.dueAt else { return ICalendarDate.text(day) }
        let time = ClockTime(of: dueAt, meant: document.dueSecondsIntoDay, in: zone)
        let other = time.advanced(by: time.day.distance(to: day))
        return inUTC || document.dueZone == nil
            ? ICalendarDate.text(other.instant(in: zone)) : ICalendarDate.text(other)
    }

    private static func status(of document: ImportedTask) -> String {
        switch document.state {
        case .completed: "COMPLETED"
        case _ where document.archivedAt != nil: "CANCELLED"
        case .active: "IN-PROCESS"
        case .notStarted, .unknown: "NEEDS-ACTION"
        }
    }
}

// Lines of the imported file.
extension ICalendarTodo {
    private static func kept(of document: ImportedTask) -> ICalendarTodo? {
        guard case .array(let values)? = document.kept(of: .ics) else { return nil }
        var lines: [ICalendarLine] = []
        for value in values {
            guard let line = ICalendarLine(kept: value) else { return nil }
            lines.append(line)
        }
        return try? ICalendarTodo(lines)
    }

    private func means(_ target: ImportedTask, in surroundings: ICalendarSurroundings) -> Bool {
        guard var meaning = try? document(in: surroundings) else { return false }
        meaning.isUndated = target.isUndated
        return meaning.hasSameContent(as: target)
    }

    /// Returns these lines, with the other groups replaced by those of the fields.
    private func lines(keeping groups: Set<ICalendarGroup>, else fields: ICalendarTodo) -> [ICalendarLine] {
        var missing = Set(ICalendarGroup.allCases).subtracting(groups)
        var properties: [ICalendarLine] = []
        var components: [ICalendarLine] = []
        for part in parts {
            let isComponent = part.component != nil
            var lines = self.lines[part.lines][...]
            if let group = part.group, !groups.contains(group) {
                lines = missing.remove(group) == nil ? [] : replacement(for: group, from: fields)[...]
                // Only the first of several reminders is a field.
                if group == .reminder, lines.isEmpty, fields.hasReminder { lines = self.lines[part.lines] }
            }
            if isComponent { components += lines } else { properties += lines }
        }
        for group in ICalendarGroup.allCases where missing.contains(group) {
            let lines = replacement(for: group, from: fields)
            if group == .reminder { components += lines } else { properties += lines }
        }
        return properties + components
    }

    private var hasReminder: Bool { parts.contains { $0.group == .reminder } }

    private func replacement(for group: ICalendarGroup, from fields: ICalendarTodo) -> [ICalendarLine] {
        let lines = fields.parts.filter { $0.group == group }.flatMap { fields.lines[$0.lines] }
        return lines
    }
}

/// Writes iCalendar: each task as a VTODO.
///
/// The file does not contain the time of the export: the same tasks give the same bytes.
struct ICalendarLayout: TaskLayout {
    private let context: WritingContext
    private let zones = ICalendarZones()

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {
        bytes.append(ICalendarLine("BEGIN:VCALENDAR"))
        bytes.append(ICalendarLine("VERSION:2.0"))
        bytes.append(ICalendarLine("PRODID:-//Daybook//Daybook \(context.appVersion)//EN"))
    }

    mutating func append(_ task: ImportedTask, to bytes: inout [UInt8]) {
        bytes.append(ICalendarLine("BEGIN:VTODO"))
        for line in ICalendarTodo.lines(of: task, zone: context.zone, zones: zones) { bytes.append(line) }
        bytes.append(ICalendarLine("END:VTODO"))
    }

    mutating func end(_ bytes: inout [UInt8]) {
        bytes.append(ICalendarLine("END:VCALENDAR"))
    }
}
