/// What is wrong with a scenario, and in which line; the reader adds the file.
struct ScenarioProblem: Error, Equatable {
    let line: Int
    let text: String

    init(_ line: Int, _ text: String) {
        self.line = line
        self.text = text
    }
}

/// A text of the file in quotes, at most 40 characters, with control characters replaced: always safe to print.
func shown(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(40).map { scalar -> Character in
        scalar.properties.generalCategory == .control ? "?" : Character(scalar)
    }
    return "'\(String(scalars))\(text.unicodeScalars.count > 40 ? "..." : "")'"
}
