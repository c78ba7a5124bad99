import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A project of Todoist as CSV: a section is a category, a label a tag, a comment a part of the notes, the date a due date.
///
/// A date is what a person typed, and counts from the day of the import, as in Todoist's own import.
struct TodoistTable: ForeignTable {
    static let marks: Set = ["TYPE", "CONTENT", "PRIORITY", "INDENT"]
    static let format = ImportFormat.todoist

    private let context: ReadingContext
    private let dates: DatePattern?
    private var identifiers = LineIdentifiers()
    private var outline = Outline()
    private var section: String?
    private var waiting: ForeignTask?
    private var comments: [JSONValue] = []

    init(_ context: ReadingContext, _ dates: DatePattern?) {
        (self.context, self.dates) = (context, dates)
    }

    mutating func take(_ row: ForeignRow) throws(RecordProblem) -> ImportedTask? {
        switch row["TYPE"]?.lowercased() {
        case "section":
            let task = try end()
            section = row["CONTENT"]
            outline.end()
            return task
        case "note":
            takeComment(row["CONTENT"] ?? "")
            return nil
        case "task":
            let task = try end()
            waiting = self.task(of: row)
            return task
        default: return nil
        }
    }

    mutating func end() throws(RecordProblem) -> ImportedTask? {
        defer { (waiting, comments) = (nil, []) }
        if !comments.isEmpty { waiting?.keep("comments", .array(comments)) }
        return try waiting?.finished()
    }

    private mutating func takeComment(_ text: String) {
        // A file is a name and a place that only Todoist has.
        if text.isEmpty || text.hasPrefix("[[file") {
            comments.append(.string(text))
        } else if let notes = waiting?[\.notes] {
            waiting?[\.notes] = notes + "\n\n" + text
        } else {
            waiting?[\.notes] = text
        }
    }

    private mutating func task(of row: ForeignRow) -> ForeignTask {
        var (text, labels) = Self.labels(of: row["CONTENT"] ?? "")
        if text.isEmpty { (text, labels) = (row["CONTENT"] ?? "", []) }
        let id = identifiers.next(for: (section ?? "") + "\n" + row.content, in: Self.format)
        var task = ForeignTask(text, identity: id.lowercased, of: Self.format, in: context)
        task[\.gaps.id] = true
        task[\.notes] = row["DESCRIPTION"]
        task[\.category] = section
        task[\.task.tags] = labels
        task[\.priority] = ["1": .high, "2": .medium, "3": .low][row["PRIORITY"] ?? ""] ?? TaskPriority.none
        task[\.task.parentTaskID] = outline.parent(of: id, onLevel: row["INDENT"].flatMap { Int($0) } ?? 1)
        if let date = row["DATE"], !takeDate(date, row, into: &task) { task.keep("DATE", date) }
        row.keep(
            allBut: ["TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "DATE", "DATE_LANG"], in: &task)
        return task
    }

    /// The labels at the end of a text: `@outdoors`.
    private static func labels(of content: String) -> (text: String, labels: [String]) {
        var words = content.split(separator: " ", omittingEmptySubsequences: false)
        var labels: [String] = []
        while let word = words.last, word.hasPrefix("@"), word.count > 1 {
            labels.insert(String(word.dropFirst()), at: 0)
            words.removeLast()
        }
        return (words.joined(separator: " ").trimmingBlanks, labels)
    }

    /// Sets what a date means; returns false if it is not understood.
    private func takeDate(_ text: String, _ row: ForeignRow, into task: inout ForeignTask) -> Bool {
        let zone = row["TIMEZONE"].flatMap { try? Zone($0) } ?? context.zone
        if let moment = ForeignDate.moment(of: text, dates) {
            task.set(due: moment)
            return true
        }
        guard row["DATE_LANG"] ?? "en" == "en", let now = context.now else { return false }
        let today = zone.day(of: now)
        if let moment = try? CivilMoment(parsing: text, today: today, now: now) {
            task.set(due: moment)
            return true
        }
        let parts = text.lowercased().split(separator: " starting ", maxSplits: 1).map(String.init)
        let anchor = parts.count == 2 ? try? Day(parsing: parts[1], today: today) : nil
        let (phrase, time) = Self.time(atEndOf: parts[0], today: today)
        // "every!" counts from the completion.
        let words = phrase.hasPrefix("every!") ? "every" + phrase.dropFirst(6) + " after completion" : phrase
        guard parts.count == 1 || anchor != nil,
            let rule = try? RecurrenceRule(phrase: words, today: today, weekStart: .monday).anchored(
                at: anchor ?? today),
            let day = rule.days(from: anchor ?? today).first(where: { _ in true })
        else { return false }
        task.set(due: time.map { .time(day, secondsIntoDay: $0) } ?? .day(day))
        task.set(rule: rule.rrule)
        task[\.task.occurrenceDay] = day
        return true
    }

    /// Splits "every day at 9am" into the rule and the time.
    private static func time(atEndOf text: String, today: Day) -> (rule: String, seconds: Int?) {
        let words = text.split(separator: " ")
        guard let place = words.lastIndex(of: "at"), place + 1 < words.count,
            case .time(_, let seconds)? = try? CivilMoment(
                parsing: words[place...].joined(separator: " "), today: today)
        else { return (text, nil) }
        return (words[..<place].joined(separator: " "), seconds)
    }
}
