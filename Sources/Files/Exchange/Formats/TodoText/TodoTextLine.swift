import CivilTime
import FoundationEssentials

/// What one line of todo.txt says.
struct TodoTextLine: Equatable {
    /// `A` to `Z`. Daybook has no field for it.
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
    var id: UUID?
}

extension TodoTextLine {
    /// Reads a line. Every text is a line of todo.txt; whether it is a task, its text says.
    init(_ line: String) {
        self.init(text: "")
        var rest = Array(line.utf8)[...].withoutBlanksAtEnds
        if rest.starts(with: "x ".utf8) {
            isCompleted = true
            rest = rest.dropFirst(2)
            completedOn = Self.takeDay(&rest)
        } else if rest.count > 3, let letter = rest.dropFirst().first,
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter),
            rest.starts(with: [UInt8(ascii: "("), letter, UInt8(ascii: ")"), UInt8(ascii: " ")])
        {
            priority = String(UnicodeScalar(letter))
            rest = rest.dropFirst(4)
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
        id = text(.id).flatMap(UUID.init(strict:))
        if let project = words.ownProject {
            category = String(decoding: bytes[project].dropFirst(), as: UTF8.self)
        } else if words.keys[.category] != nil {
            category = text(.category)
        } else if let project = words.firstProject {
            category = String(decoding: bytes[project].dropFirst(), as: UTF8.self)
        }
        self.text = bytes.text(without: words.ranges)
    }

    private static func takeDay(_ rest: inout ArraySlice<UInt8>) -> Day? {
        let word = rest.prefix(10)
        guard let day = word.day, rest.count == 10 || rest[word.endIndex].isBlank else { return nil }
        rest = rest.dropFirst(11)
        return day
    }
}
