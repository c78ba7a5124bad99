import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A parsed line of todo.txt.
struct TodoTextLine: Equatable {
    /// `A` to `Z`.
    var priority: String?
    var isCompleted = false
    var completedOn: Day?
    var createdOn: Day?
    var text: String
    var due: Day?
    var threshold: Day?
    var recurrence: String?
    var isActive = false
    var archivedOn: Day?
    var notes: String?
    var category: String?
    var tags: [String] = []
    var wait: Day?
    /// The id of the task that it is a part of.
    var parent: UUID?
    /// The name of its list.
    var list: String?
    /// Whether the line says that it is in no list: a line without the key, as other programs write it, leaves that open.
    var isUnlisted = false
    var id: UUID?
    /// The ids of the tasks that wait for it, ascending.
    var blocked: [UUID] = []
}

extension TodoTextLine {
    /// Parses a line. Every text is a line of todo.txt.
    init(_ line: String) {
        self.init(text: "")
        var rest = Array(line.utf8)[...].withoutBlanksAtEnds
        if rest.starts(with: "x ".utf8) {
            isCompleted = true
            rest = rest.dropFirst(2)
            // todo.txt has the priority before the days, some programs have it between them. After both it is text, because
            // Daybook always writes both days.
            priority = Self.takePriority(&rest)
            completedOn = Self.takeDay(&rest)
            if completedOn != nil, priority == nil { priority = Self.takePriority(&rest) }
        } else {
            priority = Self.takePriority(&rest)
        }
        createdOn = Self.takeDay(&rest)
        takeWords(TodoTextWords(rest, isCompleted: isCompleted), of: rest)
    }

    private mutating func takeWords(_ words: TodoTextWords, of bytes: ArraySlice<UInt8>) {
        func text(_ key: TodoTextKey) -> String? { words.value(key).flatMap { PercentText.decode($0) } }
        due = words.value(.due)?.day
        threshold = words.value(.threshold)?.day
        recurrence = text(.recurrence)
        if let letter = text(.priority) { priority = letter }
        isActive = words.value(.state) != nil
        archivedOn = words.value(.archived)?.day
        notes = text(.note)
        wait = words.value(.wait)?.day
        parent = text(.parent).flatMap(UUID.init(strict:))
        tags = words.keys[.tags] == nil ? Self.tags(words) : text(.tags).map(NameList.names) ?? []
        list = text(.list)
        isUnlisted = words.keys[.list] != nil && list == nil
        id = text(.id).flatMap(UUID.init(strict:))
        blocked = words.parents
        if let project = words.ownProject {
            category = String(decoding: bytes[project].dropFirst(), as: UTF8.self)
        } else if words.keys[.category] != nil {
            category = text(.category)
        } else if let project = words.firstProject {
            category = String(decoding: bytes[project].dropFirst(), as: UTF8.self)
        }
        self.text = bytes.text(without: words.ranges)
    }

    /// The tags that the text of a task states.
    private static func tags(_ words: TodoTextWords) -> [String] {
        var task = TaskItem(id: ContentIdentifier.placeholder, text: "", createdAt: Instant(secondsSince1970: 0))
        task.tags = words.contexts
        return task.tags
    }

    private static func takePriority(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.count > 3, let letter = rest.dropFirst().first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter),
            rest.starts(with: [UInt8(ascii: "("), letter, UInt8(ascii: ")"), UInt8(ascii: " ")])
        else { return nil }
        rest = rest.dropFirst(4)
        return String(UnicodeScalar(letter))
    }

    private static func takeDay(_ rest: inout ArraySlice<UInt8>) -> Day? {
        let word = rest.prefix(10)
        guard let day = word.day, rest.count == 10 || rest[word.endIndex].isBlank else { return nil }
        rest = rest.dropFirst(11)
        return day
    }
}

extension TodoTextLine {
    /// Creates the line of the fields of a task, with days for its instants.
    init(_ document: ImportedTask, zone: Zone) {
        self.init(text: document.text.onOneLine)
        isCompleted = document.state == .completed
        let days = FileDays(of: document)
        completedOn = days.day(of: .completedAt, in: document, zone)
        createdOn = days.day(of: .createdAt, in: document, zone)
        due = document.dayOfDue(in: zone)
        threshold = document.scheduledDate
        recurrence = document.recurringPattern.withoutEmpty.map {
            TodoTextRecurrence.value(of: $0, from: threshold ?? due)
        }
        isActive = document.state == .active
        archivedOn = days.day(of: .archivedAt, in: document, zone)
        notes = document.notes.withoutEmpty
        category = document.category.withoutEmpty
        priority = PriorityLevels.letter(of: document.priority)
        tags = document.task.tags
        wait = document.waitUntil
        parent = document.parentTaskID
        list = document.listName.withoutEmpty
        id = document.id
        blocked = document.gaps.links.blocked.compactMap(UUID.init(strict:)).sorted { $0.lowercased < $1.lowercased }
    }

    /// The words of the text with a key of other programs, without it: `1` of `id:1`.
    static func names(_ key: String, in text: String) -> [String] {
        let words = Array(text.utf8).split(whereSeparator: \.isBlank)
        return words.compactMap { word in
            guard word.starts(with: key.utf8), word.count > key.utf8.count else { return nil }
            return String(decoding: word.dropFirst(key.utf8.count), as: UTF8.self)
        }
    }

    /// The name that another program gave the task.
    static func label(of text: String) -> String? { names("id:", in: text).first }

    /// Returns the task of the line. Instants are the starts of its days.
    func document(id: UUID, _ context: ReadingContext) throws(RecordProblem) -> ImportedTask {
        let completedAt = completedOn.map(context.zone.beginning)
        guard let createdAt = createdOn.map(context.zone.beginning) ?? completedAt ?? context.now else {
            throw RecordProblem("the day of creation is missing")
        }
        var document = ImportedTask(id: id, text: text, createdAt: createdAt, updatedAt: completedAt ?? createdAt)
        document.isUndated = true
        document.gaps.createdAt = createdOn == nil
        if isCompleted {
            document.state = .completed
            document.completedAt = completedAt
        } else if isActive {
            document.state = .active
        }
        document.scheduledDate = threshold
        document.dueDay = due
        document.recurringPattern = recurrence.map { TodoTextRecurrence.pattern(of: $0, from: threshold ?? due) }
        document.archivedAt = archivedOn.map(context.zone.beginning)
        document.notes = notes
        document.category = category
        document.priority = priority.map(PriorityLevels.priority(ofLetter:)) ?? .none
        document.task.tags = tags
        document.waitUntil = wait
        document.parentTaskID = parent
        document.gaps.links.parent = parent == nil ? Self.names("parent:", in: text).first : nil
        document.setList(list, isUnlisted: isUnlisted)
        document.gaps.links.label = Self.label(of: text)
        let names = Self.names("p:", in: text).filter { UUID(strict: $0) == nil }
        document.gaps.links.blocked = blocked.map(\.lowercased) + names
        try document.settle()
        try document.note(
            [.createdAt: createdOn, .completedAt: completedOn, .archivedAt: archivedOn].compactMapValues(\.self),
            in: context.zone)
        return document
    }
}

extension String? {
    /// Nil for an empty text, which formats with keys cannot express.
    var withoutEmpty: String? {
        self?.isEmpty == true ? nil : self
    }
}

extension TodoTextLine {
    /// The line as Daybook writes it: mark, days, text, keys in their order, the id, and after it the corrections of what the
    /// text would mean.
    var line: String {
        var bytes: [UInt8] = []
        if isCompleted {
            bytes += "x ".utf8
            bytes.append(completedOn, " ")
        } else if let priority {
            bytes += "(\(priority)) ".utf8
        }
        bytes.append(createdOn, " ")
        bytes += text.utf8

        let words = TodoTextWords(Array(text.utf8)[...], isCompleted: isCompleted, isText: true)
        let values = values(beside: words)
        var none: [TodoTextKey] = []
        for key in TodoTextKey.allCases {
            if let value = values[key] {
                bytes += " \(key.rawValue):\(value)".utf8
            } else if words.keys[key] != nil {
                none.append(key)
            }
        }
        if let category, values[.category] == nil, !Self.isSaid(category, by: words, of: text) {
            bytes += " +\(category)".utf8
        } else if category == nil, words.firstProject != nil, !none.contains(.category) {
            none.append(.category)
        }
        if tags.isEmpty, !words.contexts.isEmpty, !none.contains(.tags) { none.append(.tags) }
        for key in none { bytes += " \(key.rawValue):".utf8 }
        // A word for each, as other programs have it.
        for id in blocked { bytes += " p:\(id.lowercased)".utf8 }
        if blocked.isEmpty, !words.parents.isEmpty { bytes += " p:".utf8 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func values(beside words: TodoTextWords) -> [TodoTextKey: String] {
        var values: [TodoTextKey: String] = [:]
        values[.due] = due?.description
        values[.threshold] = threshold?.description
        values[.recurrence] = recurrence.map { PercentText.encode($0) }
        if isCompleted { values[.priority] = priority }
        if isActive { values[.state] = "active" }
        values[.archived] = archivedOn?.description
        values[.note] = notes.map { PercentText.encode($0) }
        values[.list] = list.map { PercentText.encode($0) }
        values[.id] = id?.lowercased
        values[.wait] = wait?.description
        values[.parent] = parent?.lowercased
        if !tags.isEmpty, words.keys[.tags] != nil || tags != Self.tags(words) {
            values[.tags] = PercentText.encode(NameList.text(of: tags))
        }
        if let category, needsKey(category, beside: words) { values[.category] = PercentText.encode(category) }
        return values
    }

    private func needsKey(_ category: String, beside words: TodoTextWords) -> Bool {
        if words.keys[.category] != nil { return true }
        if Self.isSaid(category, by: words, of: text) { return false }
        // A single word without a project before it can follow the id.
        return words.firstProject != nil || category.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
    }

    private static func isSaid(_ category: String, by words: TodoTextWords, of text: String) -> Bool {
        guard let project = words.firstProject else { return false }
        return Array(text.utf8)[project].dropFirst().elementsEqual(category.utf8)
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ day: Day?, _ separator: String) {
        guard let day else { return }
        append(day)
        self += separator.utf8
    }
}
