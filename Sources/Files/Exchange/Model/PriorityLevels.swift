import Tasks

/// The priorities of files with finer scales. Daybook has three; what a file says stays as it is until the priority is changed here.
enum PriorityLevels {
    /// The priority of a letter of todo.txt or Org: A is high, B medium, every other letter low.
    static func priority(ofLetter letter: String) -> TaskPriority {
        switch letter.uppercased() {
        case "A": .high
        case "B": .medium
        default: .low
        }
    }

    /// The letter that is written for a priority; nil for none.
    static func letter(of priority: TaskPriority) -> String? { [.high: "A", .medium: "B", .low: "C"][priority] }

    /// The priority of a number of iCalendar (RFC 5545, 3.8.1.9): 1 to 4 are high, 5 is medium, 6 to 9 are low, 0 is none.
    static func priority(ofNumber number: Int) -> TaskPriority? {
        switch number {
        case 0: TaskPriority.none
        case 1...4: .high
        case 5: .medium
        case 6...9: .low
        default: nil
        }
    }

    /// The priority of a symbol or a name of Obsidian Tasks; nil for any other text.
    static func priority(ofSymbol symbol: String) -> TaskPriority? {
        switch symbol {
        case "🔺", "⏫", "highest", "high": .high
        case "🔼", "medium": .medium
        case "🔽", "⏬", "low", "lowest": .low
        default: nil
        }
    }

    /// The symbol that is written for a priority; nil for none.
    static func symbol(of priority: TaskPriority) -> String? { [.high: "⏫", .medium: "🔼", .low: "🔽"][priority] }

    /// The number that is written for a priority; nil for none.
    static func number(of priority: TaskPriority) -> Int? { [.high: 1, .medium: 5, .low: 9][priority] }
}
