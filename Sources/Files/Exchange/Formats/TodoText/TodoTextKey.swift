import ByteStreams
import FoundationEssentials

/// The keys of todo.txt's `key:value` words that mean something here, in the order in which they are written.
enum TodoTextKey: String, CaseIterable {
    /// The day by which it is due.
    case due
    /// The day it is planned for; before it, other programs hide the task.
    case threshold = "t"
    /// How it repeats.
    case recurrence = "rec"
    /// The priority of a task that is completed.
    case priority = "pri"
    /// `active`; the other states have their own signs.
    case state
    /// The day since which it is hidden.
    case archived
    /// The notes, as one word.
    case note
    /// The category, where no `+project` says it.
    case category
    /// The identity, a UUID.
    case id

    /// Whether a value says something. A word whose value does not is a word of the text.
    func takes(_ value: ArraySlice<UInt8>, isCompleted: Bool) -> Bool {
        switch self {
        case .due, .threshold, .archived: value.day != nil
        case .recurrence, .note, .category: !value.isEmpty && PercentText.decode(value) != nil
        case .priority:
            isCompleted && value.count == 1
                && value.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        case .state: value.elementsEqual("active".utf8)
        case .id: value.count == 36 && UUID(strict: String(decoding: value, as: UTF8.self)) != nil
        }
    }
}
