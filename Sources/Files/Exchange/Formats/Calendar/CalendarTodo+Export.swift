import ByteStreams
import CivilTime
import FoundationEssentials

extension CalendarTodo {
    /// The lines of a task: what its fields say, and what an import kept, as long as that means the same.
    static func lines(of document: TaskDocument, zone: Zone, zones: CalendarZones) -> [CalendarLine] {
        let plain = linesOfFields(of: document, zone: zone, zones: zones)
        guard let kept = kept(of: document) else { return plain }
        var target = document
        target.sortOrder = 0
        target.extra = document.extra(without: .ics)

        var surroundings = CalendarSurroundings(zone: zone, zones: zones, id: document.id, now: document.createdAt)
        if kept.means(target, in: surroundings) { return kept.lines }
        // What it left to be understood no longer is.
        (surroundings.id, surroundings.now) = (nil, nil)
        guard let fields = try? CalendarTodo(plain) else { return plain }
        // Mostly the groups whose fields are the same can stay; each of the others costs reading the task once more.
        if let meant = try? kept.document(in: surroundings) {
            let likely = kept.lines(keeping: CalendarGroup.same(in: meant, target), else: fields)
            if let todo = try? CalendarTodo(likely), todo.means(target, in: surroundings) { return likely }
        }
        var groups: Set<CalendarGroup> = []
        for group in CalendarGroup.allCases {
            let candidate = kept.lines(keeping: groups.union([group]), else: fields)
            if let todo = try? CalendarTodo(candidate), todo.means(target, in: surroundings) { groups.insert(group) }
        }
        return kept.lines(keeping: groups, else: fields)
    }

    /// The lines that the fields alone call for.
    static func linesOfFields(of document: TaskDocument, zone: Zone, zones: CalendarZones) -> [CalendarLine] {
        var lines = plainLines(of: document, zone: zone)
        let surroundings = CalendarSurroundings(zone: zone, zones: zones, id: document.id)
        if let meant = try? CalendarTodo(lines).plainDocument(in: surroundings) {
            var rest = document
            rest.sortOrder = 0
            rest.extra = document.extra(without: .ics)
            if let own = rest.ownFields(beyond: meant) {
                // JSON lets DEL stand, iCalendar does not.
                let text = own.replacing("\u{7F}", with: "\\u007f")
                let line = CalendarLine("\(ownName):\(CalendarText.escaped(text))")
                let alarm = lines.firstIndex { $0.text == "BEGIN:VALARM" } ?? lines.count
                lines.insert(line, at: alarm)
            }
        }
        return lines
    }

    /// The lines that RFC 5545 has for the fields, as exactly as it can say them.
    static func plainLines(of document: TaskDocument, zone: Zone) -> [CalendarLine] {
        var lines: [CalendarLine] = []
        func add(_ name: String, _ value: String?) {
            if let value { lines.append(CalendarLine("\(name):\(value)")) }
        }
        add("UID", document.id.lowercased)
        add("DTSTAMP", CalendarDate.text(document.updatedAt))
        add("CREATED", CalendarDate.text(document.createdAt))
        add("LAST-MODIFIED", CalendarDate.text(document.updatedAt))
        add("SUMMARY", CalendarText.escaped(document.text))
        add("DESCRIPTION", document.notes.map(CalendarText.escaped))
        let (start, due) = startAndDue(of: document, zone)
        add("DTSTART;VALUE=DATE", start)
        add(document.dueIsAllDay ? "DUE;VALUE=DATE" : "DUE", due)
        add("CATEGORIES", document.category.map(CalendarText.escaped))
        add("RRULE", document.recurringPattern.flatMap { RecurrenceRule.problem(in: $0) == nil ? $0 : nil })
        add("STATUS", status(of: document))
        add("COMPLETED", document.completedAt.map(CalendarDate.text))
        if let reminder = document.reminderAt {
            add("BEGIN", "VALARM")
            add("ACTION", "DISPLAY")
            add("DESCRIPTION", CalendarText.escaped(document.text))
            add("TRIGGER;VALUE=DATE-TIME", CalendarDate.text(reminder))
            add("END", "VALARM")
        }
        return lines
    }

    /// RFC 5545 wants both to be days or both to be times, and the due date not to be the earlier one. Where they are
    /// not, the day that the task is planned for travels in our own property.
    private static func startAndDue(of document: TaskDocument, _ zone: Zone) -> (start: String?, due: String?) {
        guard let dueAt = document.dueAt else { return (document.scheduledDate.map(CalendarDate.text), nil) }
        guard document.dueIsAllDay else { return (nil, CalendarDate.text(dueAt)) }
        let due = zone.day(of: dueAt)
        let start = document.scheduledDate.flatMap { $0 <= due ? $0 : nil }
        return (start.map(CalendarDate.text), CalendarDate.text(due))
    }

    private static func status(of document: TaskDocument) -> String {
        switch document.state {
        case .completed: "COMPLETED"
        case _ where document.archivedAt != nil: "CANCELLED"
        case .active: "IN-PROCESS"
        case .notStarted: "NEEDS-ACTION"
        }
    }
}

// What was kept of the file that the task came from.
extension CalendarTodo {
    private static func kept(of document: TaskDocument) -> CalendarTodo? {
        guard case .array(let values)? = document.kept(of: .ics) else { return nil }
        var lines: [CalendarLine] = []
        for value in values {
            guard let line = CalendarLine(kept: value) else { return nil }
            lines.append(line)
        }
        return try? CalendarTodo(lines)
    }

    private func means(_ target: TaskDocument, in surroundings: CalendarSurroundings) -> Bool {
        guard var meaning = try? document(in: surroundings) else { return false }
        meaning.isUndated = target.isUndated
        return meaning == target
    }

    /// These lines, but those of other groups as the fields of the task want them.
    private func lines(keeping groups: Set<CalendarGroup>, else fields: CalendarTodo) -> [CalendarLine] {
        var missing = Set(CalendarGroup.allCases).subtracting(groups)
        var properties: [CalendarLine] = []
        var components: [CalendarLine] = []
        for part in parts {
            let isComponent = part.component != nil
            var lines = self.lines[part.lines][...]
            if let group = part.group, !groups.contains(group) {
                lines = missing.remove(group) == nil ? [] : replacement(for: group, from: fields)[...]
                // Of several reminders only the first one is a field.
                if group == .reminder, lines.isEmpty, fields.hasReminder { lines = self.lines[part.lines] }
            }
            if isComponent { components += lines } else { properties += lines }
        }
        for group in CalendarGroup.allCases where missing.contains(group) {
            let lines = replacement(for: group, from: fields)
            if group == .reminder { components += lines } else { properties += lines }
        }
        return properties + components
    }

    private var hasReminder: Bool { parts.contains { $0.group == .reminder } }

    private func replacement(for group: CalendarGroup, from fields: CalendarTodo) -> [CalendarLine] {
        let lines = fields.parts.filter { $0.group == group }.flatMap { fields.lines[$0.lines] }
        // Categories beyond the first have no field.
        guard group == .category, let category = fields.categories.first else { return lines }
        let others = categories.dropFirst().filter { $0 != category }
        return [CalendarLine("CATEGORIES:" + ([category] + others).map(CalendarText.escaped).joined(separator: ","))]
    }
}
