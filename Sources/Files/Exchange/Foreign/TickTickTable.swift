import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A backup of TickTick as CSV. A day is an instant at midnight in the zone of the task.
struct TickTickTable: ForeignTable {
    static let marks: Set = ["List Name", "Title", "Status", "Priority"]
    static let format = ImportFormat.ticktick

    private let context: ReadingContext
    private var identifiers = LineIdentifiers()

    init(_ context: ReadingContext, _ dates: DatePattern?) {
        self.context = context
    }

    private static let taken: Set = [
        "List Name", "Title", "Tags", "Content", "Due Date", "Priority", "Status", "Created Time", "Completed Time",
        "Timezone", "Is All Day", "taskId", "parentId", "Repeat", "Order",
    ]

    mutating func take(_ row: ForeignRow) throws(RecordProblem) -> ImportedTask? {
        let identity = row["taskId"] ?? identifiers.next(for: row.content, in: Self.format).lowercased
        var task = ForeignTask(row["Title"] ?? row["Content"] ?? "", identity: identity, of: Self.format, in: context)
        task[\.gaps.id] = row["taskId"] == nil
        task[\.notes] = row["Title"] == nil ? nil : row["Content"]
        task[\.task.tags] = row["Tags"].map(NameList.names) ?? []
        // The Inbox is no list.
        task[\.listName] = row["List Name"].flatMap { $0.lowercased().hasPrefix("inbox") ? nil : $0 }
        task[\.priority] = ["1": .low, "3": .medium, "5": .high][row["Priority"] ?? ""] ?? TaskPriority.none
        task[\.task.parentTaskID] = row["parentId"].map { ForeignTask.id(of: $0, in: Self.format) }
        task.set(createdAt: row["Created Time"].flatMap(ForeignDate.instant))
        let zone = row["Timezone"].flatMap { try? Zone($0) } ?? context.zone
        let isAllDay = row["Is All Day"]?.lowercased() != "false"
        let (start, due) = (
            row["Start Date"].flatMap(ForeignDate.instant), row["Due Date"].flatMap(ForeignDate.instant)
        )
        if let due {
            task.set(due: isAllDay ? .day(zone.day(of: due)) : .instant(due), clock: isAllDay ? nil : zone)
        }
        // A task of one day has it twice.
        if let start, due.map({ zone.day(of: $0) != zone.day(of: start) }) ?? true {
            task[\.scheduledDate] = zone.day(of: start)
        }
        if let trigger = row["Reminder"], let anchor = start ?? due, let reminder = Self.reminder(trigger, anchor, zone)
        {
            task[\.task.reminderAt] = reminder
        }
        task.set(rule: row["Repeat"].map { $0.hasPrefix("RRULE:") ? String($0.dropFirst(6)) : $0 })
        row.keep(allBut: Self.taken, in: &task)
        switch row["Status"] {
        case "1", "2": task.complete(at: row["Completed Time"].flatMap(ForeignDate.instant))
        case "-1": task.archive()
        default: break
        }
        return try task.finished()
    }

    /// The first reminder, by a duration before or after the start: `TRIGGER:-PT30M`.
    private static func reminder(_ text: String, _ anchor: Instant, _ zone: Zone) -> Instant? {
        let first = text.split { $0 == "," || $0.isNewline }.first.map(String.init) ?? ""
        let value = first.hasPrefix("TRIGGER:") ? String(first.dropFirst(8)) : first
        return ICalendarDuration(value)?.after(.instant(anchor), in: zone).instant(in: zone)
    }
}
