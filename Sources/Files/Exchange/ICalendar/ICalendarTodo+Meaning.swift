import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// The context for reading a VTODO.
struct ICalendarSurroundings {
    /// The zone of dates without one.
    var zone: Zone
    var zones: ICalendarZones
    /// The id of a task that has no UID.
    var id: UUID?
    /// The time of creation of a task without one.
    var now: Instant?
}

extension ICalendarTodo {
    /// Returns the task that the supported properties describe.
    ///
    /// Rules between fields are not checked yet.
    func document(in surroundings: ICalendarSurroundings) throws(RecordProblem) -> ImportedTask {
        let meant = try plainDocument(in: surroundings)
        var document = meant
        for own in all(Self.ownName) {
            // Another program may have a property of that name.
            guard try document.applyOwnFields(ICalendarText.plain(own.value)) else { continue }
            if document.text.allSatisfy(\.isWhitespace) { throw RecordProblem("the text is missing or blank") }
            document.preserveUnchanged(meant, in: surroundings)
            document.closeGaps(since: meant)
            return document
        }
        return meant
    }

    /// Returns the task that the properties of RFC 5545 describe.
    func plainDocument(in surroundings: ICalendarSurroundings) throws(RecordProblem) -> ImportedTask {
        let created = try date("CREATED", surroundings)?.instant
        let stamp = try date("DTSTAMP", surroundings)?.instant
        let modified = try date("LAST-MODIFIED", surroundings)?.instant ?? stamp
        guard let createdAt = created ?? modified ?? surroundings.now else {
            throw RecordProblem("`CREATED` and `DTSTAMP` are missing")
        }
        var document = ImportedTask(
            id: ContentIdentifier.placeholder, text: "", createdAt: createdAt, updatedAt: modified ?? createdAt)
        document.isUndated = modified == nil
        document.gaps.createdAt = created == nil
        try identify(&document, surroundings)
        describe(&document)
        try addDates(&document, surroundings)
        try addState(&document, surroundings)
        try addRecurrence(&document, surroundings)
        try addReminder(&document, surroundings)
        document.blockedBy = blockers
        // A task that names itself is a part of none.
        document.parentTaskID = parent.flatMap { $0 == document.id ? nil : $0 }
        document.gaps.links.parts = children
        return document
    }

    private func identify(
        _ document: inout ImportedTask, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) {
        let uid = self["UID"].map { ICalendarText.plain($0.value) } ?? ""
        guard !uid.isEmpty else {
            document.id = surroundings.id ?? ContentIdentifier.placeholder
            return
        }
        document.id = Self.id(of: uid)
        // A changed occurrence is a separate task, for one day of the series.
        if let occurrence = self["RECURRENCE-ID"] {
            document.parentRecurringID = document.id
            document.id = ContentIdentifier.id(of: "ics\nUID\n\(uid)\n\(occurrence.value)")
            document.task.occurrenceDay = try? located(occurrence, surroundings).day(surroundings.zone)
        }
    }

    /// The text of a task without SUMMARY and DESCRIPTION.
    static let untitled = "Untitled"

    private func describe(_ document: inout ImportedTask) {
        document.notes = self["DESCRIPTION"].map { ICalendarText.plain($0.value) }
        document.text = self["SUMMARY"].map { ICalendarText.plain($0.value) } ?? ""
        if document.text.allSatisfy(\.isWhitespace), let notes = document.notes {
            let lines = notes.split(whereSeparator: \.isNewline)
            document.text = lines.first { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? ""
        }
        // SUMMARY is optional (RFC 5545, 3.6.2), a task's text is not. The lines are kept, so none is exported.
        if self["SUMMARY"] == nil, document.text.allSatisfy(\.isWhitespace) { document.text = Self.untitled }
        document.category = categories.first
        document.task.tags = Array(categories.dropFirst())
        document.priority =
            self["PRIORITY"].flatMap { Int($0.value) }.flatMap(PriorityLevels.priority(ofNumber:)) ?? .none
    }

    /// The task that it is a part of: a `RELATED-TO` without a type, or of the type PARENT.
    private var parent: UUID? {
        let property = parts.first { $0.group == .parent }?.properties.first
        return property.map { Self.id(of: ICalendarText.plain($0.value)) }
    }

    /// The ids of tasks that are parts of it by `RELATED-TO` of the type CHILD.
    private var children: [String] {
        all("RELATED-TO").filter { $0.parameters["RELTYPE"]?.uppercased() == "CHILD" }
            .map { Self.id(of: ICalendarText.plain($0.value)).lowercased }
    }

    /// The tasks that it depends on: `RELATED-TO` of this type (RFC 9253). Other relations have no field.
    private var blockers: [UUID] {
        let ids = parts.filter { $0.group == .links }.flatMap(\.properties).map {
            Self.id(of: ICalendarText.plain($0.value))
        }
        return Set(ids).sorted { $0.lowercased < $1.lowercased }
    }

    /// Returns the id of the task with a UID.
    private static func id(of uid: String) -> UUID {
        let prefix = "urn:uuid:"
        let bare = uid.lowercased().hasPrefix(prefix) ? String(uid.dropFirst(prefix.count)) : uid
        return UUID(strict: bare) ?? ContentIdentifier.id(of: "ics\nUID\n\(uid)")
    }

    /// All categories: the first is the task's category, the others are its tags.
    var categories: [String] {
        all("CATEGORIES").flatMap { ICalendarText.list($0.value) }.filter { !$0.isEmpty }
    }

    private func addDates(
        _ document: inout ImportedTask, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) {
        let start = try date("DTSTART", surroundings)
        document.scheduledDate = start?.day(surroundings.zone)
        guard let due = try due(start, surroundings) else { return }
        let date: TaskDue =
            switch due.date {
            case .day(let day): .day(day)
            case .local(let day, let seconds): .time(day, secondsIntoDay: seconds)
            case .instant(let instant): .at(instant)
            }
        document.task.set(date, in: due.zone, clock: due.hasZone ? due.zone : nil)
    }

    private func due(
        _ start: Located?, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) -> Located? {
        if let due = try date("DUE", surroundings) { return due }
        guard let property = self["DURATION"] else { return nil }
        let duration = try Self.duration(property)
        guard let start else { return nil }
        return Located(date: duration.after(start.date, in: start.zone), zone: start.zone, hasZone: start.hasZone)
    }

    private func addState(
        _ document: inout ImportedTask, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) {
        let completed = try date("COMPLETED", surroundings)?.instant
        switch self["STATUS"]?.value.uppercased() {
        case "NEEDS-ACTION": break
        case "IN-PROCESS": document.state = .active
        case "COMPLETED": document.state = .completed
        case "CANCELLED":
            document.archivedAt = document.updatedAt
            document.gaps.archivedAt = true
        case nil: if completed != nil { document.state = .completed }
        default:
            throw self["STATUS"]?.problem("must be one of NEEDS-ACTION, IN-PROCESS, COMPLETED, CANCELLED")
                ?? RecordProblem("`STATUS` is missing")
        }
        if document.state == .completed {
            document.completedAt = completed ?? document.updatedAt
            document.gaps.completedAt = completed == nil
        }
    }

    /// The rule of days that the properties mean, with the days that they leave out or add; a rule that has no such meaning stays
    /// as it is written.
    private func addRecurrence(
        _ document: inout ImportedTask, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) {
        for rule in all("RRULE") {
            if let problem = RecurrenceGrammar.problem(in: rule.value) { throw rule.problem(problem) }
        }
        let (exceptions, additions) = (try days("EXDATE", surroundings), try days("RDATE", surroundings))
        // Days that are only named follow the first one.
        guard let text = self["RRULE"]?.value ?? (additions.isEmpty ? nil : "FREQ=DAILY;COUNT=1") else { return }
        document.recurringPattern = text
        var start = try date("DTSTART", surroundings)
        if start == nil { start = try date("DUE", surroundings) }
        let zone = start?.zone ?? surroundings.zone
        let time = start.flatMap { $0.date.isDay ? nil : ClockTime(of: $0.instant, in: zone).secondsIntoDay }
        guard let rule = try? RecurrenceRule(rrule: text, at: time, in: zone) else { return }
        let day = document.task.anchor(in: zone) ?? zone.day(of: surroundings.now ?? document.createdAt)
        let meant = rule.excepting(exceptions, adding: additions, from: day)
        // What says the same in days stays as it is written.
        let isInDays = text.uppercased().split(separator: ";").allSatisfy { part in
            !["HOUR", "MINUTE", "SECOND"].contains { part.contains($0) }
                && (!part.hasPrefix("UNTIL=") || part.count < 15)
        }
        if !isInDays || (try? RecurrenceRule(rrule: text)) != meant { document.recurringPattern = meant.rrule }
    }

    private func addReminder(
        _ document: inout ImportedTask, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) {
        for alarm in parts where alarm.group == .reminder {
            guard let trigger = alarm["TRIGGER"], let instant = try instant(of: trigger, surroundings) else { continue }
            document.reminderAt = instant
            return
        }
    }

    /// Returns the time of an alarm; nil if it is relative to a date that the task does not have.
    private func instant(
        of trigger: ICalendarProperty, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) -> Instant? {
        if trigger.parameters["VALUE"]?.uppercased() == "DATE-TIME" || ICalendarDate(trigger.value) != nil {
            return try located(trigger, surroundings).instant
        }
        let duration = try Self.duration(trigger)
        let start = try date("DTSTART", surroundings)
        // Programs that have no start write an alarm before the due date without RELATED, too.
        let isRelatedToEnd = start == nil || trigger.parameters["RELATED"]?.uppercased() == "END"
        let anchor = isRelatedToEnd ? try due(start, surroundings) : start
        guard let anchor else { return nil }
        return duration.after(anchor.date, in: anchor.zone).instant(in: anchor.zone)
    }
}

// Dates with their zones.
extension ICalendarTodo {
    /// A date with its zone.
    struct Located {
        var date: ICalendarDate
        var zone: Zone
        /// Whether the file names the zone.
        var hasZone = false

        var instant: Instant { date.instant(in: zone) }

        /// Returns the day, or the day of an instant in the reader's zone.
        func day(_ reader: Zone) -> Day { date.day(in: reader) }
    }

    private func date(_ name: String, _ surroundings: ICalendarSurroundings) throws(RecordProblem) -> Located? {
        guard let property = self[name] else { return nil }
        return try located(property, surroundings)
    }

    private func located(
        _ property: ICalendarProperty, as value: String? = nil, _ surroundings: ICalendarSurroundings
    ) throws(RecordProblem) -> Located {
        guard let date = ICalendarDate(value ?? property.value) else {
            throw property.problem("must be a date that exists, such as 20260210T091500Z or 20260210")
        }
        if property.parameters["VALUE"]?.uppercased() == "DATE", !date.isDay {
            throw property.problem("must be a day that exists, such as 20260210")
        }
        guard case .local = date, let identifier = property.parameters["TZID"] else {
            return Located(date: date, zone: surroundings.zone)
        }
        guard let zone = surroundings.zones.zone(identifier) else {
            throw property.problem("has a `TZID` that is no IANA time zone")
        }
        return Located(date: date, zone: zone, hasZone: true)
    }

    /// The dates of all properties of a name, each with one or more; of a period its start.
    private func days(_ name: String, _ surroundings: ICalendarSurroundings) throws(RecordProblem) -> [Day] {
        var days: [Day] = []
        for property in all(name) {
            for value in property.value.split(separator: ",") {
                let date = String(value.prefix { $0 != "/" })
                days.append(try located(property, as: date, surroundings).day(surroundings.zone))
            }
        }
        return days
    }

    private static func duration(_ property: ICalendarProperty) throws(RecordProblem) -> ICalendarDuration {
        guard let duration = ICalendarDuration(property.value) else {
            throw property.problem("must be a duration, such as PT15M or -P1D")
        }
        return duration
    }
}

extension ImportedTask {
    /// Restores fields of RFC 5545 that another program has changed since our own property was written: those for which
    /// the lines that we would have written beside our property are no longer there.
    mutating func preserveUnchanged(_ meant: ImportedTask, in surroundings: ICalendarSurroundings) {
        var surroundings = surroundings
        surroundings.id = task.id
        guard !hasSameStandardFields(as: meant.task) else { return }
        let lines = ICalendarTodo.plainLines(of: self, zone: surroundings.zone)
        guard let then = try? ICalendarTodo(lines).plainDocument(in: surroundings).task else { return self = meant }
        let meant = meant.task
        if then.text != meant.text { task.text = meant.text }
        if then.notes != meant.notes { task.notes = meant.notes }
        if then.category != meant.category { task.category = meant.category }
        if then.tags != meant.tags { task.tags = meant.tags }
        if then.priority != meant.priority { task.priority = meant.priority }
        if then.parentTaskID != meant.parentTaskID { task.parentTaskID = meant.parentTaskID }
        if then.createdAt != meant.createdAt { task.createdAt = meant.createdAt }
        if then.updatedAt != meant.updatedAt { task.updatedAt = meant.updatedAt }
        if then.recurringPattern != meant.recurringPattern { task.recurringPattern = meant.recurringPattern }
        if then.reminderAt != meant.reminderAt {
            // A time of day is ours; an alarm that was moved or removed since replaces it.
            (task.reminderAt, task.reminderDay, task.reminderSecondsIntoDay) = (meant.reminderAt, nil, nil)
        }
        if then.scheduledDate != meant.scheduledDate { task.scheduledDate = meant.scheduledDate }
        if !then.hasSameDue(as: meant) {
            (task.dueAt, task.dueIsAllDay, task.dueDay) = (meant.dueAt, meant.dueIsAllDay, meant.dueDay)
            (task.dueZone, task.dueSecondsIntoDay) = (meant.dueZone, meant.dueSecondsIntoDay)
        }
        // A task is archived at its last change unless our property has a time, so only whether it is archived counts.
        if then.state != meant.state || then.completedAt != meant.completedAt
            || (then.archivedAt == nil) != (meant.archivedAt == nil)
        {
            (task.state, task.completedAt, task.archivedAt) = (meant.state, meant.completedAt, meant.archivedAt)
        }
    }

    /// Whether the fields for which RFC 5545 has properties are the same.
    private func hasSameStandardFields(as other: TaskItem) -> Bool {
        task.text == other.text && task.notes == other.notes && task.category == other.category
            && task.tags == other.tags && task.priority == other.priority && task.parentTaskID == other.parentTaskID
            && task.createdAt == other.createdAt && task.updatedAt == other.updatedAt
            && task.recurringPattern == other.recurringPattern && task.reminderAt == other.reminderAt
            && task.scheduledDate == other.scheduledDate && task.hasSameDue(as: other) && task.state == other.state
            && task.completedAt == other.completedAt && task.archivedAt == other.archivedAt
    }
}

extension TaskItem {
    /// Whether both are due at the same time, stated in the same way.
    func hasSameDue(as other: TaskItem) -> Bool {
        dueAt == other.dueAt && dueIsAllDay == other.dueIsAllDay && dueDay == other.dueDay && dueZone == other.dueZone
            && dueSecondsIntoDay == other.dueSecondsIntoDay
    }
}
