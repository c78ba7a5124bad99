import ByteStreams
import CivilTime
import Tasks

/// Reads iCalendar: each VTODO is a task. Of other components only the syntax is checked.
///
/// A component without an end, or with two, does not affect what follows.
struct ICalendarReader: TaskLineReader {
    /// The limit of nested components.
    static let depthLimit = 32
    /// The limits of a task, so that memory stays bounded.
    static let lineLimit = 100_000
    static let byteLimit = 32 << 20

    /// An open component.
    private struct Open {
        var name: String
        var line: Int
    }

    /// An open VTODO.
    private struct Task {
        var line: Int
        var lines: [ICalendarLine] = []
        var byteCount = 0
        var problem: RecordProblem?
        /// The number of open components, including itself.
        var depth: Int
    }

    private let context: ReadingContext
    private let zones = ICalendarZones()
    private var identifiers = LineIdentifiers()
    private var unfolder = ICalendarUnfolder()
    private var open: [Open] = []
    private var task: Task?
    /// The identifier of the open VTIMEZONE.
    private var zoneIdentifier: String?
    /// What it says of its clock so far.
    private var zoneRules = ICalendarZoneRules()
    private var firstLine: Int?
    private var isCalendar = false

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        guard let (line, problem) = unfolder.take(line) else { return }
        try take(line, problem, receive)
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        if let (line, problem) = unfolder.end() { try take(line, problem, receive) }
        try close(upTo: 0, receive)
        guard isCalendar else {
            let reason = "it has neither BEGIN:VCALENDAR nor a VTODO"
            throw .malformed(format: .ics, line: firstLine ?? 1, reason: reason)
        }
    }

    private mutating func take(
        _ line: ICalendarLine, _ problem: RecordProblem?, _ receive: Receive
    ) throws(FileError) {
        if firstLine == nil { firstLine = line.number }
        if let problem { return try refuse(line, problem, receive) }
        if let name = line.component(after: "BEGIN:") {
            try begin(name, line, receive)
        } else if let name = line.component(after: "END:") {
            try end(name, line, receive)
        } else if open.isEmpty {
            guard isCalendar else {
                let reason = "a calendar begins with BEGIN:VCALENDAR"
                throw .malformed(format: .ics, line: line.number, reason: reason)
            }
            try receive(line.number, .failure(RecordProblem("a line is outside of every component")))
        } else if task != nil {
            collect(line)
        } else {
            try check(line, receive)
        }
    }

    private mutating func begin(_ name: String, _ line: ICalendarLine, _ receive: Receive) throws(FileError) {
        if name == "VTODO" || name == "VCALENDAR", let task {
            // These cannot be nested in a task, so the end of the task is missing.
            try close(upTo: task.depth - 1, receive)
        }
        guard open.count < Self.depthLimit else {
            let reason = "components are nested deeper than \(Self.depthLimit)"
            throw .malformed(format: .ics, line: line.number, reason: reason)
        }
        open.append(Open(name: name, line: line.number))
        if task != nil { return collect(line) }
        if name == "VCALENDAR" || name == "VTODO" || name == "VJOURNAL" { isCalendar = true }
        if name == "VTIMEZONE" { (zoneIdentifier, zoneRules) = (nil, ICalendarZoneRules()) }
        if name == "STANDARD" || name == "DAYLIGHT" { zoneRules.begin(name) }
        if name == "VTODO", open.dropLast().allSatisfy({ $0.name == "VCALENDAR" }) {
            task = Task(line: line.number, depth: open.count)
        }
    }

    private mutating func end(_ name: String, _ line: ICalendarLine, _ receive: Receive) throws(FileError) {
        guard let index = open.lastIndex(where: { $0.name == name }) else {
            return try refuse(line, RecordProblem("line \(line.number) ends a component that is not open"), receive)
        }
        try close(upTo: index + 1, receive)
        open.removeLast()
        if name == "VTIMEZONE", let zoneIdentifier { zones.define(zoneIdentifier, by: zoneRules) }
        guard let done = task else { return }
        if open.count >= done.depth { return collect(line) }
        task = nil
        if let problem = done.problem { return try receive(done.line, .failure(problem)) }
        let record = ReadTask { () throws(RecordProblem) in try document(of: done.lines) }
        try receive(done.line, record)
    }

    /// Closes components that are open inside others which end.
    private mutating func close(upTo count: Int, _ receive: Receive) throws(FileError) {
        guard open.count > count else { return }
        let lost = open[count]
        let problem = Self.hasNoEnd(lost.line)
        open.removeSubrange(count...)
        if let given = task {
            if count >= given.depth {
                if given.problem == nil { task?.problem = problem }
                return
            }
            task = nil
            if lost.line != given.line { try receive(given.line, .failure(given.problem ?? Self.hasNoEnd(given.line))) }
        }
        try receive(lost.line, .failure(problem))
    }

    private static func hasNoEnd(_ line: Int) -> RecordProblem {
        RecordProblem("the component that begins in line \(line) has no end")
    }

    private mutating func collect(_ line: ICalendarLine) {
        guard var given = task, given.problem == nil else { return }
        task = nil
        given.byteCount += line.text.utf8.count
        if given.lines.count < Self.lineLimit, given.byteCount <= Self.byteLimit {
            given.lines.append(line)
        } else {
            given.lines = []
            given.problem = RecordProblem("the task has more than \(Self.lineLimit) lines or 32 MiB")
        }
        task = given
    }

    private mutating func refuse(
        _ line: ICalendarLine, _ problem: RecordProblem, _ receive: Receive
    ) throws(FileError) {
        if let given = task {
            if given.problem == nil { task?.problem = problem }
        } else {
            try receive(line.number, .failure(problem))
        }
    }

    /// Checks a line of a component that is not a task.
    private mutating func check(_ line: ICalendarLine, _ receive: Receive) throws(FileError) {
        do throws(RecordProblem) {
            let property = try ICalendarProperty(line)
            if property.name == "RRULE" || property.name == "EXRULE",
                let problem = RecurrenceGrammar.problem(in: property.value)
            {
                throw property.problem(problem)
            }
            switch open.last?.name {
            case "VTIMEZONE": noteZone(property)
            case "STANDARD", "DAYLIGHT": zoneRules.take(property)
            default: break
            }
        } catch {
            try receive(line.number, .failure(error))
        }
    }

    private mutating func noteZone(_ property: ICalendarProperty) {
        switch property.name {
        case "TZID": zoneIdentifier = property.value
        case "X-LIC-LOCATION": if let zoneIdentifier { zones.define(zoneIdentifier, as: property.value) }
        default: break
        }
    }

    private mutating func document(of lines: [ICalendarLine]) throws(RecordProblem) -> ImportedTask {
        let todo = try ICalendarTodo(lines)
        var surroundings = ICalendarSurroundings(zone: context.zone, zones: zones, now: context.now)
        if todo["UID"]?.value.isEmpty ?? true {
            // The time of an export is not part of the content.
            let content = lines.filter { !$0.text.uppercased().hasPrefix("DTSTAMP") }.map(\.text)
            surroundings.id = identifiers.next(for: content.joined(separator: "\n"), in: .ics)
        }
        var document = try todo.document(in: surroundings)
        document.gaps.id = surroundings.id != nil
        try document.settle()
        let written = ICalendarTodo.linesOfFields(of: document, zone: context.zone, zones: zones)
        if written.count != lines.count || !zip(written, lines).allSatisfy({ $0.isWritten(as: $1) }) {
            try document.keep(.array(lines.map(\.kept)), of: .ics)
        }
        return document
    }
}

extension ICalendarLine {
    /// The name of the component that begins or ends here, in capitals.
    fileprivate func component(after word: String) -> String? {
        guard text.utf8.count > word.utf8.count,
            zip(text.utf8, word.utf8).allSatisfy({ $0 == $1 || $0 == $1 | 0x20 && $1 != UInt8(ascii: ":") })
        else { return nil }
        return Substring(text.utf8.dropFirst(word.utf8.count)).uppercased()
    }
}
