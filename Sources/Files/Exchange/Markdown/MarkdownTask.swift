import ByteStreams
import CivilTime
import FoundationEssentials
import Tasks

/// A parsed task in Markdown.
struct MarkdownTask: Equatable {
    var lead = ""
    var bullet = "-"
    var box: MarkdownBox
    var text: String
    var category: String?
    /// The name of its list.
    var list: String?
    var tags: [String] = []
    /// The symbol of its priority.
    var priority: String?
    /// The id of the task that it is a part of.
    var parent: UUID?
    /// The names of the tasks that it waits for, ascending: ids, and names of other programs.
    var blockers: [String] = []
    /// The symbols without a field, unchanged.
    var others: [String] = []
    var recurrence: String?
    var id: UUID?
    var createdOn: Day?
    /// The day until which it is hidden.
    var start: Day?
    var scheduled: Day?
    var due: Day?
    var archivedOn: Day?
    var completedOn: Day?
    /// The block link, with the blanks before it.
    var link = ""
    var notes: String?
}

extension MarkdownTask {
    /// Parses the lines of a task.
    init(_ item: MarkdownItem) {
        let signs = MarkdownSigns(item.bullet.rest)
        lead = item.bullet.lead
        bullet = item.bullet.bullet
        box = MarkdownBox(item.bullet.box)
        text = MarkdownEscapes.unescape(signs.text)
        category = signs.text(.category)
        list = signs.text(.list)
        tags = signs.text(.tags).map(NameList.names) ?? Self.tags(in: text)
        // In brackets a priority has a name.
        priority = signs.text(.priority).flatMap(PriorityLevels.priority(ofSymbol:)).flatMap { level in
            let text = signs.text(.priority)
            return text?.utf8.first.map { $0 < 0x80 } == true ? PriorityLevels.symbol(of: level) : text
        }
        parent = signs.text(.parent).flatMap(UUID.init(strict:))
        start = signs.day(.start)
        others = signs.otherTexts
        let names = Array((signs.text(.dependsOn) ?? "").utf8).split(separator: UInt8(ascii: ","))
        blockers = Self.ascending(
            names.map { name in
                let name = String(decoding: name.withoutBlanksAtEnds, as: UTF8.self)
                return UUID(strict: name)?.lowercased ?? name
            })
        recurrence = signs.text(.recurrence)
        id = signs.text(.id).flatMap(UUID.init(strict:))
        createdOn = signs.day(.created)
        scheduled = signs.day(.scheduled)
        due = signs.day(.due)
        archivedOn = signs.day(.cancelled)
        completedOn = signs.day(.done)
        if let range = signs.link { link = String(decoding: item.bullet.rest[range], as: UTF8.self) }
        notes = MarkdownNotes.text(of: item.notes.map(MarkdownNotes.unescape))
    }
}

extension MarkdownTask {
    /// The name that another program gave the task: of several ids Obsidian Tasks takes the first.
    var label: String? {
        guard let sign = others.first(where: { $0.unicodeScalars.first == MarkdownSign.id.scalars.first }) else {
            return nil
        }
        let name = sign.unicodeScalars.dropFirst().drop { $0 == "\u{FE0F}" || $0 == " " || $0 == "\t" }
        return String(String.UnicodeScalarView(name))
    }

    /// The tags that a text states: its words that begin with `#`, but not the numbers of issues.
    static func tags(in text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: "#")) else { return [] }
        var task = TaskItem(id: ContentIdentifier.placeholder, text: "", createdAt: Instant(secondsSince1970: 0))
        task.tags = text.split(whereSeparator: \.isWhitespace).compactMap { word in
            guard word.first == "#" else { return nil }
            let name = word.dropFirst().prefix { $0.isLetter || $0.isNumber || "_-/".contains($0) }
            return name.contains { !$0.isNumber } ? String(name) : nil
        }
        return task.tags
    }

    /// Returns each name once, ascending.
    static func ascending(_ names: [String]) -> [String] { Set(names).sorted() }

    /// Creates the lines of the fields of a task, with days for its instants.
    init(_ document: ImportedTask, zone: Zone) {
        let meaning: MarkdownBox.Meaning =
            switch document.state {
            case .notStarted, .unknown: document.archivedAt == nil ? .notStarted : .cancelled
            case .active: .active
            case .completed: .completed
            }
        box = MarkdownBox(meaning)
        text = document.text.onOneLine
        category = document.category.withoutEmpty
        list = document.listName.withoutEmpty
        tags = document.task.tags
        priority = PriorityLevels.symbol(of: document.priority)
        parent = document.parentTaskID
        start = document.waitUntil
        blockers = Self.ascending(document.blockedBy.map(\.lowercased) + document.gaps.links.blockers)
        id = document.id
        let days = FileDays(of: document)
        createdOn = days.day(of: .createdAt, in: document, zone)
        scheduled = document.scheduledDate
        due = document.dayOfDue(in: zone)
        recurrence = document.recurringPattern.withoutEmpty.map {
            MarkdownRecurrence.rule(of: $0, from: scheduled ?? due)
        }
        archivedOn = days.day(of: .archivedAt, in: document, zone)
        completedOn = days.day(of: .completedAt, in: document, zone)
        notes = document.notes.flatMap { MarkdownNotes.text(of: MarkdownNotes.lines(of: $0)) }
    }

    /// Returns the task of the lines. Instants are the starts of its days.
    func document(id: UUID, _ context: ReadingContext) throws(RecordProblem) -> ImportedTask {
        let completedAt = box.meaning == .completed ? completedOn.map(context.zone.beginning) : nil
        guard let createdAt = createdOn.map(context.zone.beginning) ?? completedAt ?? context.now else {
            throw RecordProblem("the day of creation is missing")
        }
        var document = ImportedTask(id: id, text: text, createdAt: createdAt, updatedAt: completedAt ?? createdAt)
        document.isUndated = true
        document.gaps.createdAt = createdOn == nil
        document.archivedAt = archivedOn.map(context.zone.beginning)
        switch box.meaning {
        case .notStarted: break
        case .active: document.state = .active
        case .completed:
            document.state = .completed
            document.completedAt = completedAt
        case .cancelled:
            document.gaps.archivedAt = archivedOn == nil
            document.archivedAt = document.archivedAt ?? createdAt
        }
        document.scheduledDate = scheduled
        document.dueDay = due
        document.recurringPattern = recurrence.map { MarkdownRecurrence.pattern(of: $0, from: scheduled ?? due) }
        document.category = category
        document.task.tags = tags
        document.priority = priority.flatMap(PriorityLevels.priority(ofSymbol:)) ?? .none
        document.parentTaskID = parent
        document.waitUntil = start
        document.setList(list, isUnlisted: false)
        document.notes = notes
        document.blockedBy = blockers.compactMap(UUID.init(strict:))
        document.gaps.links.blockers = blockers.filter { UUID(strict: $0) == nil }
        document.gaps.links.label = label
        try document.settle()
        try document.note(
            [.createdAt: createdOn, .completedAt: completedOn, .archivedAt: archivedOn].compactMapValues(\.self),
            in: context.zone)
        return document
    }
}

extension MarkdownTask {
    /// The task as Daybook writes it: the symbols in the order of Obsidian Tasks, so that it can read them, and the
    /// notes
    /// below.
    var lines: String {
        var line = "\(lead)\(bullet) [\(box.character)] \(MarkdownEscapes.escape(text))"
        // Of tags that the text states nothing else is written; an empty list says that it means none.
        let tagText = tags == Self.tags(in: text) ? nil : tags.isEmpty ? "," : NameList.text(of: tags)
        let names = [
            (MarkdownSign.category, category), (.list, list), (.tags, tagText), (.parent, parent?.lowercased),
        ]
        for (sign, value) in names {
            guard let value, let start = sign.bracket else { continue }
            line += " \(start) \(PercentText.encode(value, keepingSpaces: true) { "[]()".utf8.contains($0) })]"
        }
        if let priority { line += " \(priority)" }
        line += Self.sign(.start, start?.description)
        for other in others { line += " \(other)" }
        // Ours follows that of another program, because Obsidian Tasks uses the first.
        line += Self.sign(.id, id?.lowercased)
        line += Self.sign(.dependsOn, blockers.isEmpty ? nil : blockers.joined(separator: ","))
        line += Self.sign(.recurrence, recurrence.map(Self.rule))
        line += Self.sign(.created, createdOn?.description)
        line += Self.sign(.scheduled, scheduled?.description)
        line += Self.sign(.due, due?.description)
        line += Self.sign(.cancelled, archivedOn?.description)
        line += Self.sign(.done, completedOn?.description)
        line += link
        guard let notes else { return line }
        for note in MarkdownNotes.lines(of: notes) {
            line += "\n" + (note.isEmpty ? blankLead : "\(lead)    \(MarkdownNotes.escape(note))")
        }
        return line
    }

    /// Returns the lines of a file with an id added.
    static func identified(_ item: MarkdownItem, by id: UUID) -> String {
        var first = Array((item.lines.first ?? "").utf8)
        let place = MarkdownSigns(item.bullet.rest).link?.lowerBound ?? first.endIndex
        first.insert(contentsOf: sign(.id, id.lowercased).utf8, at: place)
        return ([String(decoding: first, as: UTF8.self)] + item.lines.dropFirst()).joined(separator: "\n")
    }

    private static func sign(_ sign: MarkdownSign, _ value: String?) -> String {
        guard let value, let scalar = sign.scalars.first else { return "" }
        return " \(scalar) \(value)"
    }

    /// Blank lines of a quotation are part of it; others are empty.
    private var blankLead: String {
        guard let last = lead.lastIndex(of: ">") else { return "" }
        return String(lead[...last])
    }

    /// A rule of Obsidian Tasks begins with "every". Any other is written with a `%`, so that "🔁" in a text is not a
    /// rule.
    private static func rule(_ pattern: String) -> String {
        let isRule = pattern.utf8.starts(with: "every".utf8)
        var encoded = PercentText.encode(pattern, keepingSpaces: true) { $0 >= 0x80 || "#[]".utf8.contains($0) }
        if !isRule, let first = encoded.utf8.first, first != UInt8(ascii: "%") {
            var digits: [UInt8] = [UInt8(ascii: "%")]
            digits.appendHexadecimal(first)
            encoded = String(decoding: digits, as: UTF8.self) + String(encoded.dropFirst())
        }
        return encoded
    }
}
