/// Writes iCalendar: each task as a VTODO.
///
/// Nothing in it tells when it was written: the same tasks are the same bytes.
struct CalendarLayout: TaskLayout {
    private let context: WritingContext
    private let zones = CalendarZones()

    init(_ context: WritingContext) {
        self.context = context
    }

    mutating func begin(_ bytes: inout [UInt8]) {
        bytes.append(CalendarLine("BEGIN:VCALENDAR"))
        bytes.append(CalendarLine("VERSION:2.0"))
        bytes.append(CalendarLine("PRODID:-//Daybook//Daybook \(context.appVersion)//EN"))
    }

    mutating func append(_ task: TaskDocument, to bytes: inout [UInt8]) {
        bytes.append(CalendarLine("BEGIN:VTODO"))
        for line in CalendarTodo.lines(of: task, zone: context.zone, zones: zones) { bytes.append(line) }
        bytes.append(CalendarLine("END:VTODO"))
    }

    mutating func end(_ bytes: inout [UInt8]) {
        bytes.append(CalendarLine("END:VCALENDAR"))
    }
}
