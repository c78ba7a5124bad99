import ByteStreams
import CivilTime
import FoundationEssentials

extension TodoTextLine {
    /// The line as Daybook writes it: mark, days, text, keys in their order, the id, and behind it what the text would
    /// say wrongly.
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
        for key in none { bytes += " \(key.rawValue):".utf8 }
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
        values[.id] = id?.lowercased
        if let category, needsKey(category, beside: words) { values[.category] = PercentText.encode(category) }
        return values
    }

    private func needsKey(_ category: String, beside words: TodoTextWords) -> Bool {
        if words.keys[.category] != nil { return true }
        if Self.isSaid(category, by: words, of: text) { return false }
        // One word without another before it can stand behind the id.
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
