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
}
