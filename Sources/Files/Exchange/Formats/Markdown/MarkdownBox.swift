/// What stands in a box.
struct MarkdownBox: Equatable {
    /// What it says of a task.
    enum Meaning {
        case notStarted, active, completed, cancelled
    }

    var character: String

    init(_ character: String) {
        self.character = character
    }

    init(_ meaning: Meaning) {
        character =
            switch meaning {
            case .notStarted: " "
            case .active: "/"
            case .completed: "x"
            case .cancelled: "-"
            }
    }

    /// People give other characters meanings of their own; a task that has one is not started.
    var meaning: Meaning {
        switch character {
        case "/": .active
        case "x", "X": .completed
        case "-": .cancelled
        default: .notStarted
        }
    }
}
