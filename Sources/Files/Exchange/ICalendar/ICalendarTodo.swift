import ByteStreams
import CivilTime
import Tasks

/// A parsed VTODO: its properties and its alarms.
struct ICalendarTodo {
    /// Our own property, with the fields for which iCalendar has none, as JSON text. Other programs preserve unknown
    /// properties.
    static let ownName = "X-DAYBOOK"

    /// A range of lines: one property or one component.
    struct Part {
        var lines: Range<Int>
        /// The properties: one, or those of the component itself.
        var properties: [ICalendarProperty]
        /// The component's name; nil for a property.
        var component: String?

        /// The group of the part; nil if Daybook does not interpret it.
        var group: ICalendarGroup? {
            if let component { return component == "VALARM" && isReminder ? .reminder : nil }
            guard let property = properties.first, let group = ICalendarGroup(property.name) else { return nil }
            if group == .links {
                switch property.parameters["RELTYPE"]?.uppercased() {
                case "DEPENDS-ON": return .links
                case "PARENT", nil: return .parent
                default: return nil
                }
            }
            return group == .own && !Self.isOurs(property) ? nil : group
        }

        /// Whether a property of our name was written by Daybook.
        private static func isOurs(_ property: ICalendarProperty) -> Bool {
            let zero = Instant(secondsSince1970: 0)
            var any = ImportedTask(id: ContentIdentifier.placeholder, text: "", createdAt: zero, updatedAt: zero)
            return (try? any.applyOwnFields(ICalendarText.plain(property.value))) == true
        }

        /// Whether the alarm notifies a person at a time.
        private var isReminder: Bool {
            let action = self["ACTION"]?.value.uppercased()
            return (action == "DISPLAY" || action == "AUDIO") && self["TRIGGER"] != nil
        }

        subscript(name: String) -> ICalendarProperty? {
            properties.first { $0.name == name }
        }
    }

    /// The lines between `BEGIN:VTODO` and `END:VTODO`.
    let lines: [ICalendarLine]
    private(set) var parts: [Part] = []

    init(_ lines: [ICalendarLine]) throws(RecordProblem) {
        self.lines = lines
        var open: [String] = []
        for (index, line) in lines.enumerated() {
            let property = try ICalendarProperty(line)
            switch property.name {
            case "BEGIN":
                // A reader would assume that the end of the task is missing.
                if ["VTODO", "VCALENDAR"].contains(property.value.uppercased()) {
                    throw RecordProblem("line \(line.number) begins a component that a task cannot contain")
                }
                if open.isEmpty {
                    parts.append(
                        Part(lines: index..<index + 1, properties: [], component: property.value.uppercased()))
                }
                open.append(property.value.uppercased())
                guard open.count <= ICalendarReader.depthLimit else {
                    throw RecordProblem("line \(line.number) begins a component inside too many others")
                }
            case "END":
                guard open.popLast() == property.value.uppercased() else {
                    throw RecordProblem("line \(line.number) ends a component that is not open")
                }
                if open.isEmpty { parts[parts.count - 1].lines = parts[parts.count - 1].lines.lowerBound..<index + 1 }
            default:
                if open.isEmpty {
                    parts.append(Part(lines: index..<index + 1, properties: [property], component: nil))
                } else if open.count == 1 {
                    parts[parts.count - 1].properties.append(property)
                }
            }
        }
        guard open.isEmpty else { throw RecordProblem("a component in it has no end") }
    }

    /// The first property of a name.
    subscript(name: String) -> ICalendarProperty? {
        for part in parts where part.component == nil && part.properties[0].name == name { return part.properties[0] }
        return nil
    }

    /// All properties of a name.
    func all(_ name: String) -> [ICalendarProperty] {
        parts.compactMap { $0.component == nil && $0.properties[0].name == name ? $0.properties[0] : nil }
    }
}

/// A group of properties of a VTODO that are kept or replaced together.
enum ICalendarGroup: CaseIterable {
    case identity, stamps, text, notes, dates, category, priority, recurrence, links, parent, state, reminder, own

    /// The group of a property; nil if Daybook does not interpret it.
    init?(_ name: String) {
        switch name {
        case "UID", "RECURRENCE-ID": self = .identity
        case "CREATED", "DTSTAMP", "LAST-MODIFIED": self = .stamps
        case "SUMMARY": self = .text
        case "DESCRIPTION": self = .notes
        case "DTSTART", "DUE", "DURATION": self = .dates
        case "CATEGORIES": self = .category
        case "PRIORITY": self = .priority
        case "RRULE", "EXDATE", "RDATE": self = .recurrence
        case "RELATED-TO": self = .links
        case "STATUS", "COMPLETED", "PERCENT-COMPLETE": self = .state
        case ICalendarTodo.ownName: self = .own
        default: return nil
        }
    }

    /// Returns the groups whose fields two tasks have in common; never our own property, which depends on all others.
    static func same(in one: ImportedTask, _ other: ImportedTask) -> Set<ICalendarGroup> {
        Set(
            allCases.filter { group in
                switch group {
                case .identity:
                    one.id == other.id && one.parentRecurringID == other.parentRecurringID
                case .stamps: one.createdAt == other.createdAt && one.updatedAt == other.updatedAt
                case .text: one.text == other.text
                case .notes: one.notes == other.notes
                case .dates:
                    one.task.hasSameDue(as: other.task) && one.scheduledDate == other.scheduledDate
                case .category: one.category == other.category && one.task.tags == other.task.tags
                case .priority: one.priority == other.priority
                case .parent: one.parentTaskID == other.parentTaskID
                case .recurrence: one.recurringPattern == other.recurringPattern
                case .links: one.blockedBy == other.blockedBy
                case .state:
                    one.state == other.state && one.completedAt == other.completedAt
                        && (one.archivedAt == nil) == (other.archivedAt == nil)
                case .reminder: one.reminderAt == other.reminderAt
                case .own: false
                }
            })
    }
}
