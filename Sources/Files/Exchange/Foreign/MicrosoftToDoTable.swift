import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Tasks of Microsoft To Do or Outlook as CSV. Dates are `m/d/y` unless a pattern says otherwise.
struct MicrosoftToDoTable: ForeignTable {
    static let marks: Set = ["Subject", "Due Date", "Status", "Priority"]
    static let format = ImportFormat.microsoftToDo

    private let context: ReadingContext
    private let dates: DatePattern?
    private var identifiers = LineIdentifiers()

    init(_ context: ReadingContext, _ dates: DatePattern?) {
        (self.context, self.dates) = (context, dates ?? DatePattern("m/d/y"))
    }

    private static let taken: Set = [
        "Subject", "Start Date", "Due Date", "Reminder On/Off", "Reminder Date", "Reminder Time", "Date Completed",
        "% Complete", "Status", "Priority", "Categories", "Notes",
    ]

    mutating func take(_ row: ForeignRow) throws(RecordProblem) -> ImportedTask? {
        let identity = identifiers.next(for: row.content, in: Self.format).lowercased
        var task = ForeignTask(row["Subject"] ?? "", identity: identity, of: Self.format, in: context)
        task[\.gaps.id] = true
        task[\.notes] = row["Notes"]
        task[\.task.tags] = row["Categories"].map { $0.split { $0 == ";" || $0 == "," }.map(String.init) } ?? []
        task[\.priority] = ["high": .high, "low": .low][row["Priority"]?.lowercased() ?? ""] ?? TaskPriority.none
        task.set(due: try moment("Due Date", row))
        if case .day(let day)? = try moment("Start Date", row) { task[\.scheduledDate] = day }
        if Booleans.value(row["Reminder On/Off"] ?? "") == true, case .day(let day)? = try moment("Reminder Date", row),
            case .time(_, let seconds)? = ForeignDate.moment(on: day, (row["Reminder Time"] ?? "")[...])
        {
            task[\.task.reminderDay] = day
            task[\.task.reminderSecondsIntoDay] = Int32(clamping: seconds)
            task[\.task.reminderAt] = context.zone.instant(day: day, secondsIntoDay: seconds)
        }
        row.keep(allBut: Self.taken, in: &task)
        switch row["Status"]?.lowercased() {
        case "completed":
            let time = try moment("Date Completed", row).flatMap { moment in
                if case .day(let day) = moment {
                    context.zone.beginning(of: day)
                } else {
                    moment.instant(in: context.zone)
                }
            }
            task.complete(at: time)
        case "in progress": task[\.state] = .active
        case "not started", nil: break
        default: task.keep("Status", row["Status"])
        }
        return try task.finished()
    }

    private func moment(_ name: String, _ row: ForeignRow) throws(RecordProblem) -> CivilMoment? {
        guard let text = row[name] else { return nil }
        guard let moment = ForeignDate.moment(of: text, dates) else {
            throw RecordProblem("`\(name)` is no date as m/d/y: name the order with --dates, such as --dates d.m.y")
        }
        return moment
    }
}

/// Booleans as spreadsheets write them in several languages.
enum Booleans {
    static func value(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1", "x", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "vero", "sì", "verdadeiro", "sim",
            "waar", "prawda", "doğru", "evet":
            true
        case "false", "no", "0", "falsch", "nein", "faux", "non", "falso", "onwaar", "nee", "fałsz", "nie", "yanlış",
            "hayır", "não":
            false
        default: nil
        }
    }
}
