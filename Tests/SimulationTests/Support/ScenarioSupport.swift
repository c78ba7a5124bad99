import Foundation
import Simulation
import Testing

extension Scenario {
    /// The scenario without line numbers and file.
    var withoutLines: Scenario {
        var scenario = self
        scenario.file = nil
        scenario.steps = steps.map { Step($0.action.withoutLines, refusal: $0.refusal) }
        return scenario
    }
}

extension Action {
    /// The action without line numbers.
    var withoutLines: Action {
        switch self {
        case .expect(let expectations):
            .expect(expectations.map { Expectation($0.subject, $0.value.withoutLines) })
        case .custom(let verb, let value): .custom(verb, value.withoutLines)
        case .crash(let crash, let during, let choice): .crash(crash, during: during?.withoutLines, choice: choice)
        default: self
        }
    }
}

extension ScenarioValue {
    /// The value without line numbers.
    var withoutLines: ScenarioValue {
        switch self {
        case .list(let values): .list(values.map(\.withoutLines))
        case .map(let entries): .map(entries.map { Entry($0.key, $0.value.withoutLines) })
        default: self
        }
    }
}

/// An invalid scenario file, with the line of its error and a part of the message.
struct BadScenario: CustomTestStringConvertible, Sendable {
    let title: String
    let text: String
    let line: Int
    let piece: String

    var testDescription: String { title }

    /// Creates a complete file.
    init(file title: String, _ text: String, line: Int, _ piece: String) {
        self.title = title
        self.text = text
        self.line = line
        self.piece = piece
    }

    /// Creates steps below a valid head. Lines are counted from the first step.
    init(_ title: String, _ steps: String, line: Int = 1, _ piece: String) {
        let indented = steps.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }.joined()
        self.init(file: title, goodHead + "steps:\n" + indented, line: line + 4, piece)
    }
}

/// Three lines that begin a valid scenario.
let goodHead = "name: A story\nstarts: 2026-03-10 23:59\nzone: Europe/Istanbul\n"

/// A temporary file.
final class TemporaryFile {
    let path: String

    init(bytes: [UInt8]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString).yaml").path
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
