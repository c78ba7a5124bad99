/// The properties of a VTODO that say something together, so that they are written anew or given back together.
enum CalendarGroup: CaseIterable {
    case identity, stamps, text, notes, dates, category, recurrence, state, reminder, own

    /// The group of a property's name; nil for those that mean nothing here.
    init?(_ name: String) {
        switch name {
        case "UID", "RECURRENCE-ID": self = .identity
        case "CREATED", "DTSTAMP", "LAST-MODIFIED": self = .stamps
        case "SUMMARY": self = .text
        case "DESCRIPTION": self = .notes
        case "DTSTART", "DUE", "DURATION": self = .dates
        case "CATEGORIES": self = .category
        case "RRULE": self = .recurrence
        case "STATUS", "COMPLETED", "PERCENT-COMPLETE": self = .state
        case CalendarTodo.ownName: self = .own
        default: return nil
        }
    }

    /// The groups whose fields two tasks have in common; never our own property, which depends on all others.
    static func same(in one: TaskDocument, _ other: TaskDocument) -> Set<CalendarGroup> {
        Set(
            allCases.filter { group in
                switch group {
                case .identity: one.id == other.id && one.parentRecurringID == other.parentRecurringID
                case .stamps: one.createdAt == other.createdAt && one.updatedAt == other.updatedAt
                case .text: one.text == other.text
                case .notes: one.notes == other.notes
                case .dates:
                    one.dueAt == other.dueAt && one.dueIsAllDay == other.dueIsAllDay
                        && one.scheduledDate == other.scheduledDate
                case .category: one.category == other.category
                case .recurrence: one.recurringPattern == other.recurringPattern
                case .state:
                    one.state == other.state && one.completedAt == other.completedAt
                        && (one.archivedAt == nil) == (other.archivedAt == nil)
                case .reminder: one.reminderAt == other.reminderAt
                case .own: false
                }
            })
    }
}
