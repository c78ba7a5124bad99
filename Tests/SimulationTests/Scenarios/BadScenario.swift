import Testing

/// A scenario file that cannot be read, with the line of its error and a piece of what is said there.
struct BadScenario: CustomTestStringConvertible, Sendable {
    let title: String
    let text: String
    let line: Int
    let piece: String

    var testDescription: String { title }

    /// A whole file.
    init(file title: String, _ text: String, line: Int, _ piece: String) {
        self.title = title
        self.text = text
        self.line = line
        self.piece = piece
    }

    /// Steps below a good head; lines are counted from the first step.
    init(_ title: String, _ steps: String, line: Int = 1, _ piece: String) {
        let indented = steps.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }.joined()
        self.init(file: title, goodHead + "steps:\n" + indented, line: line + 4, piece)
    }
}

/// Three lines that a scenario may begin with.
let goodHead = "name: A story\nstarts: 2026-03-10 23:59\nzone: Europe/Istanbul\n"
