import ByteStreams
import CivilTime
import Tasks

/// Attributes of files that have no field go from one occurrence of a recurring task to the next unread, since only this target
/// knows their formats; by how many days their dates lie behind is noted beside them. Here they are moved.
extension ImportedTask {
    /// The task with the attributes that its day has: what every file shows.
    func withShiftedExtra(in zone: Zone) -> ImportedTask {
        let days = Int(task.extraShiftDays)
        guard days != 0 else { return self }
        var result = self
        result.task.extraShiftDays = 0
        let zone = task.clockZone(or: zone)
        let members = extraMembers.map { member in
            var member = member
            switch TaskFormat(rawValue: member.key) {
            case .ics: member.value = ICalendarTodo.shifted(member.value, by: days, in: zone)
            case .markdown: member.value = MarkdownTask.shifted(member.value, by: days)
            case .taskwarrior: member.value = Taskwarrior.shifted(member.value, by: days, in: zone)
            case .todotxt, .csv, .json, .ndjson, nil: break
            }
            return member
        }
        if !members.isEmpty { result.task.extra = JSONValue.canonicalText(of: members) }
        return result
    }
}

extension ICalendarTodo {
    /// Moves the dates of kept lines: the dates of the task itself, and alarms at a time.
    fileprivate static func shifted(_ kept: JSONValue, by days: Int, in zone: Zone) -> JSONValue {
        guard case .array(let values) = kept else { return kept }
        return .array(
            values.map { value in
                guard let line = ICalendarLine(kept: value), let property = try? ICalendarProperty(line),
                    ["DTSTART", "DUE", "TRIGGER"].contains(property.name), let date = ICalendarDate(property.value)
                else { return value }
                return ICalendarLine(line.text.dropLast(property.value.count) + date.text(movedBy: days, in: zone)).kept
            })
    }
}

extension ICalendarDate {
    /// The text of the same time of day some days later.
    fileprivate func text(movedBy days: Int, in zone: Zone) -> String {
        switch self {
        case .day(let day): Self.text(day.advanced(by: days))
        case .local(let day, let seconds):
            Self.text(ClockTime(day: day.advanced(by: days), secondsIntoDay: seconds))
        case .instant(let instant): Self.text(ClockTime(of: instant, in: zone).advanced(by: days).instant(in: zone))
        }
    }
}

extension MarkdownTask {
    /// Moves the day of 🛫 in the kept lines of a task. Its names, which may occur once, stay with the first task.
    fileprivate static func shifted(_ kept: JSONValue, by days: Int) -> JSONValue {
        guard case .string(let lines) = kept, var item = MarkdownItem(whole: lines).map(MarkdownTask.init) else {
            return kept
        }
        (item.link, item.id, item.blockers) = ("", nil, [])
        item.others = item.others.filter { $0.unicodeScalars.first != MarkdownSign.id.scalars.first }.map { other in
            guard other.unicodeScalars.first == MarkdownSign.start.scalars.first,
                let day = try? Day(String(other.suffix(10)))
            else { return other }
            return other.dropLast(10) + day.advanced(by: days).description
        }
        return .string(item.lines)
    }
}

extension Taskwarrior {
    /// What Taskwarrior says of one occurrence only.
    private static let ofOccurrence: Set = [
        "end", "entry", "id", "imask", "mask", "modified", "start", "urgency", "uuid",
    ]
    private static let dates: Set = ["due", "scheduled", "until", "wait"]

    /// Moves the dates of kept attributes.
    fileprivate static func shifted(_ kept: JSONValue, by days: Int, in zone: Zone) -> JSONValue {
        guard case .object(let members) = kept else { return kept }
        return .object(
            members.filter { !ofOccurrence.contains($0.key) }.map { member in
                guard dates.contains(member.key), let instant = try? [member].instant(member.key, zone) else {
                    return member
                }
                let moved = ClockTime(of: instant, in: zone).advanced(by: days).instant(in: zone)
                return JSONMember(key: member.key, value: .string(moved.basicText))
            })
    }
}
