import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// Reads a file of JSON as a whole: those of other programs nest lists and tasks, and are as large as what a person has typed.
struct ForeignJSONReader {
    /// The limit of a file, so that memory stays bounded.
    private static let limit = 256 << 20

    private var records: ArraySlice<ReadTask>
    private let format: ImportFormat
    private let skipsInvalid: Bool
    private var number = 0

    init(_ source: ByteSource, _ format: ImportFormat, _ context: ReadingContext, skipsInvalid: Bool) throws(FileError)
    {
        self.format = format
        self.skipsInvalid = skipsInvalid
        var bytes: [UInt8] = []
        while true {
            let part = try source()
            if part.isEmpty { break }
            bytes += part
            if bytes.count > Self.limit {
                throw .malformed(format: format.rawValue, line: 1, reason: "the file is larger than 256 MiB")
            }
        }
        var parser = JSONParser(bytes)
        let value: JSONValue
        do {
            value = try parser.value()
        } catch {
            throw .malformed(format: format.rawValue, line: 1, reason: error.reason)
        }
        records =
            format == .things ? ThingsFile.tasks(of: value, context)[...] : GoogleTasks.tasks(of: value, context)[...]
    }

    mutating func next() throws(FileError) -> TaskRecord? {
        guard let record = records.popFirst() else { return nil }
        number += 1
        switch record {
        case .success(let task): return .task(task)
        case .failure(let problem):
            guard skipsInvalid else {
                throw .malformed(format: format.rawValue, line: 1, reason: "task \(number): \(problem.reason)")
            }
            return .invalid(InvalidRecord(line: 1, reason: problem.reason, place: RecordPlace(number: number)))
        }
    }
}

extension [JSONMember] {
    fileprivate func text(_ key: String) -> String? {
        if case .string(let text)? = self[key], !text.isEmpty { return text }
        return nil
    }

    fileprivate func objects(_ key: String) -> [[JSONMember]] {
        guard case .array(let values)? = self[key] else { return [] }
        return values.compactMap { if case .object(let members) = $0 { members } else { nil } }
    }

    fileprivate func flag(_ key: String) -> Bool { self[key] == .bool(true) }

    fileprivate func keep(allBut names: Set<String>, in task: inout ForeignTask) {
        for member in self where !names.contains(member.key) { task.keep(member.key, member.value) }
    }
}

/// The tasks of Google's Takeout: lists of tasks, of which one can be the parent of another. A due date is a day.
enum GoogleTasks {
    private static let taken: Set = [
        "kind", "id", "title", "notes", "status", "due", "completed", "created", "updated", "parent", "task_type",
        "selfLink",
        "position", "etag",
    ]

    static func tasks(of value: JSONValue, _ context: ReadingContext) -> [ReadTask] {
        guard case .object(let top) = value else {
            return [.failure(RecordProblem("it is not the object with `items` that Takeout writes"))]
        }
        return top.objects("items").flatMap { list in
            list.objects("items").filter { !$0.flag("deleted") }.map { item in
                ReadTask { () throws(RecordProblem) in try task(of: item, in: list, context) }
            }
        }
    }

    private static func task(
        of item: [JSONMember], in list: [JSONMember], _ context: ReadingContext
    ) throws(RecordProblem) -> ImportedTask {
        guard let id = item.text("id") else { throw RecordProblem("`id` is missing") }
        var task = ForeignTask(
            item.text("title") ?? item.text("notes") ?? "", identity: id, of: .googleTasks, in: context)
        task[\.notes] = item.text("title") == nil ? nil : item.text("notes")
        task[\.listName] = list.text("title")
        task[\.task.parentTaskID] = item.text("parent").map { ForeignTask.id(of: $0, in: .googleTasks) }
        let updated = item.text("updated").flatMap(ForeignDate.instant)
        task.set(createdAt: item.text("created").flatMap(ForeignDate.instant) ?? updated, updatedAt: updated)
        // The time is always midnight in UTC.
        if let day = item.text("due").flatMap({ try? Day(String($0.prefix(10))) }) { task.set(due: .day(day)) }
        item.keep(allBut: taken, in: &task)
        if item.text("status") == "completed" { task.complete(at: item.text("completed").flatMap(ForeignDate.instant)) }
        return try task.finished()
    }
}

/// The JSON of Things: projects with headings and to-dos, to-dos with check lists. A project is a list, a check list subtasks.
enum ThingsFile {
    private static let taken: Set = [
        "title", "notes", "when", "deadline", "tags", "checklist-items", "list", "completed", "canceled",
        "creation-date",
        "completion-date", "items", "heading",
    ]

    static func tasks(of value: JSONValue, _ context: ReadingContext) -> [ReadTask] {
        let values: [JSONValue] = if case .array(let values) = value { values } else { [value] }
        var reader = Reader(context: context)
        for case .object(let item) in values { reader.take(item, list: nil) }
        return reader.tasks
    }

    private struct Reader {
        let context: ReadingContext
        var tasks: [ReadTask] = []
        private var identifiers = LineIdentifiers()

        init(context: ReadingContext) { self.context = context }

        mutating func take(_ item: [JSONMember], list: String?) {
            guard case .object(let attributes)? = item["attributes"] else { return }
            switch item.text("type") {
            case "project":
                var heading: String?
                for part in attributes.objects("items") {
                    if part.text("type") == "heading", case .object(let named)? = part["attributes"] {
                        heading = named.text("title")
                    } else {
                        takeTask(part, list: attributes.text("title"), heading: heading)
                    }
                }
                takeNotes(ofProject: attributes)
            case "to-do": takeTask(item, list: list, heading: nil)
            default: break
            }
        }

        /// What a project says of itself becomes a task of its list: lists have no notes and no dates.
        private mutating func takeNotes(ofProject attributes: [JSONMember]) {
            guard attributes.text("notes") != nil || attributes.text("deadline") != nil else { return }
            let project = attributes.filter { $0.key != "items" }
            takeTask(
                [JSONMember(key: "attributes", value: .object(project))], list: attributes.text("title"), heading: nil)
        }

        private mutating func takeTask(_ item: [JSONMember], list: String?, heading: String?) {
            guard case .object(let attributes)? = item["attributes"] else { return }
            let content = (list ?? "") + "\n" + JSONValue.canonicalText(of: attributes)
            let id =
                item.text("id") ?? identifiers.next(for: content, in: .things).lowercased
            var task = ForeignTask(attributes.text("title") ?? "", identity: id, of: .things, in: context)
            task[\.gaps.id] = item.text("id") == nil
            task[\.notes] = attributes.text("notes")
            task[\.listName] = list ?? attributes.text("list")
            task[\.category] = heading ?? attributes.text("heading")
            if case .array(let tags)? = attributes["tags"] {
                task[\.task.tags] = tags.compactMap { try? $0.text("tags") }
            }
            task.set(createdAt: attributes.text("creation-date").flatMap(ForeignDate.instant))
            if let day = attributes.text("deadline").flatMap({ try? Day(String($0.prefix(10))) }) {
                task.set(due: .day(day))
            }
            takeWhen(attributes.text("when"), into: &task)
            attributes.keep(allBut: taken, in: &task)
            if attributes.flag("completed") {
                task.complete(at: attributes.text("completion-date").flatMap(ForeignDate.instant))
            } else if attributes.flag("canceled") {
                task.archive()
            }
            let parent = task[\.task.id]
            tasks.append(task.result)
            for (index, part) in attributes.objects("checklist-items").enumerated() {
                guard case .object(let named)? = part["attributes"] else { continue }
                var step = ForeignTask(
                    named.text("title") ?? "", identity: "\(parent.lowercased)\n\(index)", of: .things, in: context)
                step[\.gaps.id] = true
                step[\.task.parentTaskID] = parent
                step[\.listName] = task[\.listName]
                if named.flag("completed") { step.complete(at: nil) }
                tasks.append(step.result)
            }
        }

        private func takeWhen(_ text: String?, into task: inout ForeignTask) {
            guard let text, let now = context.now else { return }
            let today = context.zone.day(of: now)
            switch text {
            case "today", "evening": task[\.scheduledDate] = today
            case "tomorrow": task[\.scheduledDate] = today.advanced(by: 1)
            case "anytime": break
            default:
                if let day = try? Day(String(text.prefix(10))) { task[\.scheduledDate] = day }
                if text.count != 10 { task.keep("when", text) }
            }
            if text == "evening" { task[\.region] = .evening }
        }
    }
}
