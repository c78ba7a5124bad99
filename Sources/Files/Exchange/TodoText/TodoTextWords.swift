import ByteStreams
import FoundationEssentials

/// The words of a task that are keys, and their positions.
///
/// The last of several equal keys counts, the others are words of the text. Words after the id were written by Daybook:
/// there a `+project` is the category and not part of the text, and a key without a value means none, so that a similar
/// word of the text is text.
struct TodoTextWords {
    private let bytes: ArraySlice<UInt8>
    private(set) var keys: [TodoTextKey: Range<Int>] = [:]
    /// The `+project` directly after the id.
    private(set) var ownProject: Range<Int>?
    /// The first `+project` of the text.
    private(set) var firstProject: Range<Int>?
    /// The `@words` of the text: its tags.
    private(set) var contexts: [String] = []
    /// The words `p:` with the id of a task that waits for this one; those after the id, where there are some.
    private var parentWords: [Range<Int>] = []

    /// Finds the keys of a task.
    ///
    /// - Parameters:
    ///   - isCompleted: Whether the line is marked as completed: only then `pri:` is a key.
    ///   - isText: Whether the bytes are the text alone, without keys and id.
    init(_ bytes: ArraySlice<UInt8>, isCompleted: Bool, isText: Bool = false) {
        self.bytes = bytes
        let idEnd = isText ? Int.max : findId() ?? Int.max
        forEachWord { word, isBehindId in
            if bytes[word.lowerBound] == UInt8(ascii: "+"), word.count > 1 {
                if isBehindId {
                    ownProject = word
                } else if firstProject == nil {
                    firstProject = word
                }
            } else if bytes[word.lowerBound] == UInt8(ascii: "@"), word.count > 1 {
                contexts.append(String(decoding: bytes[word].dropFirst(), as: UTF8.self))
            } else if bytes[word].starts(with: Self.parentKey.utf8) {
                takeParent(word, isAfterId: word.lowerBound > idEnd, idEnd)
            } else if let key = key(of: word), key != .id {
                let value = value(of: key, at: word)
                let isNone = value.isEmpty && word.lowerBound > idEnd
                if isNone || key.takes(value, isCompleted: isCompleted) { keys[key] = word }
            }
        }
    }

    /// Returns the value of a key; nil if it has none.
    func value(_ key: TodoTextKey) -> ArraySlice<UInt8>? {
        guard let word = keys[key] else { return nil }
        let value = value(of: key, at: word)
        return value.isEmpty ? nil : value
    }

    private static let parentKey = "p:"

    /// The ids of the tasks that wait for this one, ascending, each once.
    var parents: [UUID] {
        Set(parentWords.compactMap(parent)).sorted { $0.lowercased < $1.lowercased }
    }

    private func parent(of word: Range<Int>) -> UUID? {
        let value = bytes[word].dropFirst(Self.parentKey.utf8.count)
        return value.count == 36 ? UUID(strict: String(decoding: value, as: UTF8.self)) : nil
    }

    private mutating func takeParent(_ word: Range<Int>, isAfterId: Bool, _ idEnd: Int) {
        let isNone = isAfterId && word.count == Self.parentKey.utf8.count
        guard isNone || parent(of: word) != nil else { return }
        // Daybook writes them after the id, so those before it are words of the text then.
        if isAfterId { parentWords.removeAll { $0.lowerBound < idEnd } }
        parentWords.append(word)
    }

    /// The words that are not part of the text, in order.
    var ranges: [Range<Int>] {
        var ranges = keys.values + parentWords
        if let ownProject { ranges.append(ownProject) }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }
    }

    private mutating func findId() -> Int? {
        var found: Range<Int>?
        forEachWord { word, _ in
            if key(of: word) == .id, TodoTextKey.id.takes(value(of: .id, at: word), isCompleted: false) { found = word }
        }
        keys[.id] = found
        return found?.upperBound
    }

    private func value(of key: TodoTextKey, at word: Range<Int>) -> ArraySlice<UInt8> {
        bytes[word].dropFirst(key.rawValue.utf8.count + 1)
    }

    private func key(of word: Range<Int>) -> TodoTextKey? {
        // The longest key has eight letters.
        guard let colon = bytes[word].prefix(9).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return TodoTextKey(rawValue: String(decoding: bytes[word.lowerBound..<colon], as: UTF8.self))
    }

    /// Calls a closure with each word, and whether the word before it is the id.
    private func forEachWord(_ body: (Range<Int>, Bool) -> Void) {
        let id = keys[.id]
        var previous: Range<Int>?
        var start = bytes.startIndex
        while start < bytes.endIndex {
            guard !bytes[start].isBlank else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.endIndex, !bytes[end].isBlank { end += 1 }
            body(start..<end, id != nil && previous == id)
            previous = start..<end
            start = end
        }
    }
}

/// The supported keys of `key:value` words, in the order in which they are written.
enum TodoTextKey: String, CaseIterable {
    /// The due day.
    case due
    /// The scheduled day; other programs hide the task before it.
    case threshold = "t"
    /// The recurrence.
    case recurrence = "rec"
    /// The priority of a task that is completed.
    case priority = "pri"
    /// `active`; the other states have their own marks.
    case state
    /// The day of archiving.
    case archived
    /// The notes, as one word.
    case note
    /// The category, if it cannot be a `+project`.
    case category
    /// The tags, if they are not the `@words` of the text.
    case tags
    /// The day until which it is hidden.
    case wait
    /// The task that it is a part of.
    case parent
    /// The name of the list.
    case list
    /// The identity, a UUID.
    case id

    /// Whether a value is valid. A word with an invalid value is a word of the text.
    func takes(_ value: ArraySlice<UInt8>, isCompleted: Bool) -> Bool {
        switch self {
        case .due, .threshold, .archived, .wait: value.day != nil
        case .recurrence, .note, .category, .list, .tags: !value.isEmpty && PercentText.decode(value) != nil
        case .priority:
            isCompleted && value.count == 1
                && value.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        case .state: value.elementsEqual("active".utf8)
        case .id, .parent: value.count == 36 && UUID(strict: String(decoding: value, as: UTF8.self)) != nil
        }
    }
}
