import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Why the options of a table cannot be used.
public struct TableOptionProblem: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what to give instead.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// How a table of any program is read: which of its columns is which field, and how it writes dates.
public struct TableOptions: Sendable, Hashable {
    /// The columns of the table by the fields of a task.
    private let columns: [String: String]
    /// How dates are written; nil for ISO 8601.
    public let dates: DatePattern?
    /// The character between two cells; nil to find it in the header.
    public let delimiter: Character?

    /// The names that fields have here beside those of `csv`.
    private static let fields = [
        "due": "dueDate", "on": "scheduledDate", "scheduled": "scheduledDate", "date": "scheduledDate",
        "list": "listName",
        "done": "state", "remind": "reminderDate", "reminder": "reminderDate", "created": "createdAt",
        "completed": "completedAt", "repeat": "recurrence", "wait": "waitUntil", "title": "text", "notes": "note",
    ]

    /// Creates the options.
    ///
    /// - Parameters:
    ///   - columns: pairs such as `text=Title,due=Deadline`. A column whose name has a comma is put in quotation marks.
    ///   - dates: an order such as `d.m.y`.
    ///   - delimiter: one character; `tab` for a tab.
    /// - Throws: `TableOptionProblem`.
    public init(columns: String? = nil, dates: String? = nil, delimiter: String? = nil) throws(TableOptionProblem) {
        var found: [String: String] = [:]
        for pair in columns.map(NameList.names) ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).trimmingBlanks }
            guard parts.count == 2, !parts[1].isEmpty else {
                throw TableOptionProblem("--columns needs pairs such as text=Title,due=Deadline.")
            }
            let name = Self.fields[parts[0].lowercased()] ?? parts[0]
            guard let column = CSVColumn(header: name) else {
                let names = [
                    "text", "due", "on", "list", "tags", "priority", "category", "note", "done", "repeat", "wait",
                ]
                throw TableOptionProblem(
                    "--columns names a field that tasks do not have. Fields are \(names.joined(separator: ", ")), and the "
                        + "columns of 'export --format csv'.")
            }
            found[column.name] = parts[1]
        }
        self.columns = found
        if let dates {
            guard let pattern = DatePattern(dates) else {
                throw TableOptionProblem("--dates needs the order of day, month and year, such as d.m.y or m/d/y.")
            }
            self.dates = pattern
        } else {
            self.dates = nil
        }
        guard let delimiter else {
            self.delimiter = nil
            return
        }
        let character = delimiter.lowercased() == "tab" || delimiter == "\\t" ? "\t" : delimiter
        guard character.utf8.count == 1, let first = character.first, first != "\"", !first.isLetter, !first.isNumber
        else {
            throw TableOptionProblem("--delimiter needs one character, such as ';', or tab.")
        }
        self.delimiter = first
    }

    /// The separator of a table, if it was named.
    var separator: UInt8? { delimiter?.asciiValue }

    /// The header with the columns that were named under the names of their fields. A column that has the name of such a field and
    /// was not named is none.
    func renamed(_ header: [String]) throws(RecordProblem) -> [String] {
        if columns.isEmpty { return header }
        var names = header.map(\.trimmingBlanks)
        let found = names
        for (field, column) in columns {
            guard let place = found.firstIndex(where: { $0.lowercased() == column.lowercased() }) else {
                throw RecordProblem("it has no column of a name in --columns. It has \(CSVHeader.list(found))")
            }
            names[place] = field
        }
        for (place, name) in found.enumerated() where names[place] == name {
            if let column = CSVColumn(header: name), columns[column.name] != nil {
                names[place] = "\(name) (of the table)"
            }
        }
        return names
    }

    /// A cell as `csv` has it.
    func converted(_ cell: String, of column: CSVColumn, in context: ReadingContext) throws(RecordProblem) -> String {
        let text = cell.trimmingBlanks
        if text.isEmpty { return cell }
        switch column.name {
        case "state":
            if TaskState(name: text) != nil { return text }
            if let isDone = Booleans.value(text) ?? Self.states[text.lowercased()] {
                return isDone ? TaskState.completed.name : TaskState.notStarted.name
            }
            return text
        case "priority": return Self.priorities[text.lowercased()]?.name ?? text
        case "recurrence":
            if (try? RecurrenceRule(rrule: text)) != nil { return text }
            let today = context.zone.day(of: context.now ?? Instant(secondsSince1970: 0))
            let rule = try? RecurrenceRule(phrase: text.lowercased(), today: today, weekStart: .monday)
            return rule?.rrule ?? text
        case "scheduledDate", "waitUntil", "dueDay", "occurrenceDay", "carriedFrom", "reminderDay", "dueDate", "dueAt",
            "createdAt", "updatedAt", "completedAt", "expiresAt", "archivedAt", "reminderDate":
            guard let moment = ForeignDate.moment(of: text, dates) else {
                // An object, or words that only the column defines.
                if dates == nil { return cell }
                throw RecordProblem("`\(column.name)` is no date as --dates says, nor one in ISO 8601")
            }
            if case .time(let day, let seconds) = moment {
                return column.kind == .day
                    ? day.description : "\(context.zone.instant(day: day, secondsIntoDay: seconds))"
            }
            return moment.description
        default: return cell
        }
    }

    private static let states = ["done": true, "completed": true, "finished": true, "open": false, "todo": false]

    private static let priorities: [String: TaskPriority] = [
        "high": .high, "h": .high, "1": .high, "a": .high, "p1": .high, "urgent": .high,
        "medium": .medium, "m": .medium, "2": .medium, "b": .medium, "p2": .medium, "normal": .none,
        "low": .low, "l": .low, "3": .low, "c": .low, "p3": .low, "none": .none, "0": .none, "p4": .none,
    ]
}
