import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Reads Org mode: a heading with a keyword such as TODO is a task, one below it a subtask, and so is a box of a list in its text. A
/// heading without a keyword is the category of the tasks below it.
///
/// The text of a heading is the task's note; properties, warnings and what else has no field are kept.
struct OrgReader: TaskLineReader {
    private struct Heading {
        let line: Int
        let level: Int
        var task: ForeignTask
        let id: UUID
        var notes: [String] = []
        var boxes: [Box] = []
        var isInDrawer = false
        var properties: [JSONMember] = []
        var isDone: Bool
        var closedAt: Instant?
    }

    /// A box of a list: `- [X] socks`.
    private struct Box {
        let level: Int
        let text: String
        let isDone: Bool
    }

    private let context: ReadingContext
    private var identifiers = LineIdentifiers()
    private var open: Set<String> = ["TODO", "NEXT", "WAITING", "STARTED", "HOLD", "PROJ"]
    private var closed: Set<String> = ["DONE", "CANCELLED", "CANCELED"]
    private var outline = Outline()
    private var categories: [(level: Int, name: String)] = []
    private var fileTags: [String] = []
    private var heading: Heading?
    private var hasHeadings = false
    private var isInBlock = false

    init(_ context: ReadingContext) {
        self.context = context
    }

    mutating func take(_ line: TextLine, _ receive: Receive) throws(FileError) {
        if let problem = line.problem { return try receive(line.number, .failure(problem)) }
        let text = line.text
        let upper = text.trimmingBlanks.uppercased()
        if upper.hasPrefix("#+BEGIN_") { isInBlock = true }
        defer { if upper.hasPrefix("#+END_") { isInBlock = false } }
        let stars = text.prefix { $0 == "*" }.count
        if !isInBlock, stars > 0, text.dropFirst(stars).first?.isWhitespace == true {
            try end(receive)
            begin(text.dropFirst(stars), level: stars, line.number)
        } else if heading == nil, upper.hasPrefix("#+") {
            takeKeyword(text.trimmingBlanks)
        } else {
            takeBody(text)
        }
    }

    mutating func end(_ receive: Receive) throws(FileError) {
        guard let heading else { return }
        self.heading = nil
        for record in finish(heading) { try receive(heading.line, record) }
    }

    // MARK: Headings

    /// `#+TODO: TODO NEXT | DONE`, `#+FILETAGS: :home:`.
    private mutating func takeKeyword(_ text: String) {
        let parts = text.dropFirst(2).split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        switch parts[0].uppercased() {
        case "TODO", "SEQ_TODO", "TYP_TODO":
            let words = parts[1].split(separator: " ").map { word in String(word.prefix { $0 != "(" }) }
            let bar = words.firstIndex(of: "|") ?? max(words.count - 1, 0)
            open.formUnion(words[..<bar])
            closed.formUnion(words[bar...].filter { $0 != "|" })
        case "FILETAGS": fileTags = parts[1].split { $0 == ":" || $0 == " " }.map(String.init)
        default: break
        }
    }

    private mutating func begin(_ text: Substring, level: Int, _ line: Int) {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).drop { $0.isEmpty }
        let keyword = words.first.map(String.init) ?? ""
        categories.removeAll { $0.level >= level }
        guard open.contains(keyword) || closed.contains(keyword) else {
            outline.end(ofLevel: level)
            let name = Self.tags(atEndOf: words.joined(separator: " ")).text
            if !name.isEmpty { categories.append((level, name)) }
            return
        }
        words.removeFirst()
        var priority: String?
        if let cookie = words.first, cookie.hasPrefix("[#"), cookie.hasSuffix("]"), cookie.count == 4 {
            priority = String(cookie.dropFirst(2).dropLast())
            words.removeFirst()
        }
        var (title, tags) = Self.tags(atEndOf: words.joined(separator: " "))
        // How many boxes are done is counted, not stated.
        if let counter = title.split(separator: " ").last, counter.hasPrefix("["), counter.hasSuffix("]"),
            counter.count > 2,
            counter.dropFirst().dropLast().allSatisfy({ $0.isNumber || $0 == "/" || $0 == "%" })
        {
            title = String(title.dropLast(counter.count)).trimmingBlanks
        }
        let id = identifiers.next(for: "\(level)\n\(title)", in: .org)
        var task = ForeignTask(title, identity: id.lowercased, of: .org, in: context)
        task[\.gaps.id] = true
        task[\.task.tags] = fileTags + tags
        task[\.category] = categories.last?.name
        if let priority {
            task[\.priority] = PriorityLevels.priority(ofLetter: priority)
            if !"ABC".contains(priority) { task.keep("priority", priority) }
        }
        if !["TODO", "DONE"].contains(keyword) { task.keep("keyword", keyword) }
        if ["NEXT", "STARTED"].contains(keyword) { task[\.state] = .active }
        heading = Heading(line: line, level: level, task: task, id: id, isDone: closed.contains(keyword))
        hasHeadings = true
    }

    /// `Renew the passport :office:travel:`
    private static func tags(atEndOf text: String) -> (text: String, tags: [String]) {
        let trimmed = text.trimmingBlanks
        guard trimmed.hasSuffix(":"), let space = trimmed.lastIndex(where: \.isWhitespace) else { return (trimmed, []) }
        let word = trimmed[trimmed.index(after: space)...]
        let names = word.split(separator: ":").map(String.init)
        guard word.hasPrefix(":"), word.count > 2, names.allSatisfy({ !$0.isEmpty }) else { return (trimmed, []) }
        return (String(trimmed[..<space]).trimmingBlanks, names)
    }

    // MARK: Below a heading

    private mutating func takeBody(_ text: String) {
        guard heading != nil else { return }
        let trimmed = text.trimmingBlanks
        if heading?.isInDrawer == true {
            if trimmed.uppercased() == ":END:" { heading?.isInDrawer = false } else { takeProperty(trimmed) }
        } else if trimmed.hasPrefix(":"), trimmed.hasSuffix(":"), trimmed.count > 2,
            trimmed.dropFirst().dropLast().allSatisfy({ $0.isLetter || $0 == "_" || $0 == "-" })
        {
            heading?.isInDrawer = true
        } else if !isInBlock, let box = Self.box(text) {
            heading?.boxes.append(box)
        } else if !takePlanning(trimmed) {
            if !trimmed.isEmpty || heading?.notes.isEmpty == false { heading?.notes.append(trimmed) }
        }
    }

    private mutating func takeProperty(_ text: String) {
        let parts = text.dropFirst().split(separator: ":", maxSplits: 1).map { String($0).trimmingBlanks }
        guard text.hasPrefix(":"), let name = parts.first, !name.isEmpty else {
            heading?.notes.append(text)
            return
        }
        heading?.properties.append(JSONMember(key: name, value: .string(parts.count == 2 ? parts[1] : "")))
    }

    private static func box(_ text: String) -> Box? {
        let level = text.prefix(while: \.isWhitespace).reduce(0) { $0 + ($1 == "\t" ? 8 : 1) }
        let item = text.dropFirst(text.prefix(while: \.isWhitespace).count)
        guard let mark = item.first, "-+".contains(mark) || mark.isNumber,
            let space = item.firstIndex(of: " "), item[..<space].count <= 4
        else { return nil }
        let rest = item[space...].drop { $0 == " " }
        guard rest.count > 4, rest.first == "[", rest.dropFirst(2).hasPrefix("] "), let state = rest.dropFirst().first,
            " Xx-".contains(state)
        else { return nil }
        return Box(level: level, text: String(rest.dropFirst(4)).trimmingBlanks, isDone: state == "X" || state == "x")
    }

    /// `DEADLINE: <2026-03-01 Sun -7d> SCHEDULED: <2026-02-12 Thu 10:00>`; returns false for any other line.
    private mutating func takePlanning(_ text: String) -> Bool {
        var rest = text[...]
        var found = false
        while let name = ["DEADLINE:", "SCHEDULED:", "CLOSED:"].first(where: { rest.hasPrefix($0) }) {
            rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
            let close: Character = rest.first == "[" ? "]" : ">"
            guard rest.first == "<" || rest.first == "[", let end = rest.firstIndex(of: close),
                let stamp = OrgTimestamp(String(rest.dropFirst().prefix(upTo: end)))
            else { return found }
            takeStamp(stamp, named: name)
            rest = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
            found = true
        }
        return found
    }

    private mutating func takeStamp(_ stamp: OrgTimestamp, named name: String) {
        guard var task = heading?.task else { return }
        switch name {
        case "DEADLINE:":
            task.set(due: stamp.moment)
            stamp.keepRest(as: "deadline", in: &task)
        case "SCHEDULED:":
            task[\.scheduledDate] = stamp.day
            if case .time(_, let seconds) = stamp.moment {
                task[\.task.reminderDay] = stamp.day
                task[\.task.reminderSecondsIntoDay] = Int32(clamping: seconds)
                task[\.task.reminderAt] = context.zone.instant(day: stamp.day, secondsIntoDay: seconds)
            }
            stamp.keepRest(as: "scheduled", in: &task)
        default: heading?.closedAt = stamp.moment.instant(in: context.zone) ?? context.zone.beginning(of: stamp.day)
        }
        if let repeater = stamp.repeater {
            task.set(rule: TodoTextRecurrence.pattern(of: repeater, from: stamp.day))
            task[\.task.occurrenceDay] = task[\.isRecurring] ? stamp.day : nil
        }
        heading?.task = task
    }

    // MARK: Results

    private mutating func finish(_ heading: Heading) -> [ReadTask] {
        var task = heading.task
        var id = heading.id
        for property in heading.properties {
            if property.key.uppercased() == "ID", case .string(let text) = property.value,
                let known = UUID(strict: text)
            {
                id = known
                task[\.task.id] = known
                task[\.gaps.id] = false
            } else {
                task.keep(property.key, property.value)
            }
        }
        var notes = heading.notes
        while notes.last?.isEmpty == true { notes.removeLast() }
        task[\.notes] = notes.isEmpty ? nil : notes.joined(separator: "\n")
        task[\.task.parentTaskID] = outline.parent(of: id, onLevel: heading.level)
        if heading.isDone {
            task[\.state] = .notStarted
            task.complete(at: heading.closedAt)
        }
        var results = [task.result]
        var boxes = Outline()
        for (index, box) in heading.boxes.enumerated() {
            let boxID = ForeignTask.id(of: "\(id.lowercased)\n\(index)\n\(box.text)", in: .org)
            var step = ForeignTask(box.text, identity: boxID.lowercased, of: .org, in: context)
            step[\.gaps.id] = true
            step[\.category] = task[\.category]
            step[\.task.parentTaskID] = boxes.parent(of: boxID, onLevel: box.level) ?? id
            if box.isDone { step.complete(at: nil) }
            results.append(step.result)
        }
        return results
    }
}

/// A timestamp of Org: `2026-02-12 Thu 10:00 +1w -2d`.
private struct OrgTimestamp {
    let moment: CivilMoment
    let day: Day
    /// The repeater as todo.txt writes it: `+1m` from the day, `1m` from the completion.
    let repeater: String?
    /// What has no field: a warning, the end of a range, a repeater of hours.
    private let rest: [String]

    init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first, let day = try? Day(first) else { return nil }
        self.day = day
        var moment = CivilMoment.day(day)
        var repeater: String?
        var rest: [String] = []
        for word in words.dropFirst() {
            if word.first?.isNumber == true, let time = ForeignDate.moment(on: day, word.prefix { $0 != "-" }) {
                moment = time
                if word.contains("-") { rest.append(word) }
            } else if word.hasPrefix(".+") || word.hasPrefix("+") {
                let interval = word.drop { $0 == "." || $0 == "+" }.prefix { $0 != "/" }
                repeater = (word.hasPrefix(".") ? "" : "+") + interval
                if word.hasPrefix("++") || word.contains("/") { rest.append(word) }
            } else if word.first?.isLetter != true {
                rest.append(word)
            }
        }
        (self.moment, self.repeater, self.rest) = (moment, repeater, rest)
    }

    func keepRest(as name: String, in task: inout ForeignTask) {
        if !rest.isEmpty { task.keep(name, rest.joined(separator: " ")) }
    }
}
