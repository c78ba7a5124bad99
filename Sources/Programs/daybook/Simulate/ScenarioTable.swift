import Daybook
import Simulation

/// A scenario that was played, and how long that took.
struct PlayedScenario {
    let story: Story
    let microseconds: Int64

    var file: String { story.scenario.file ?? story.scenario.name }

    /// How much time went by in the story.
    var virtualTime: Duration { .microseconds(story.events.last?.monotonic.microseconds ?? 0) }
}

/// What came of scenario files, for people and as JSON.
struct ScenarioTable {
    let played: [PlayedScenario]

    var isGood: Bool { played.allSatisfy(\.story.isGood) }

    var text: String {
        let header = ["", "file", "steps", "time in it", "real time", "requirements", "name"]
        let lines = [header] + played.map(line)
        let widths = header.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
        let terminal = Terminal.standardOutput
        var text = ""
        for (number, line) in lines.enumerated() {
            let cells = line.indices.dropLast().map { line[$0].padded(to: widths[$0]) }
            let start = cells.joined(separator: "  ") + "  "
            let look: Terminal.Look =
                number == 0 ? .bold : played[number - 1].story.isGood ? .plain : .active
            text += terminal.styled(start + terminal.fitted(line[line.count - 1], after: start.columns), look) + "\n"
        }
        return text + failures + summary
    }

    private func line(_ scenario: PlayedScenario) -> [String] {
        let story = scenario.story
        return [
            story.isGood ? "pass" : "FAIL", VisibleText.of(scenario.file), "\(story.events.count)",
            Self.short(scenario.virtualTime), Figures.time(scenario.microseconds * 1000),
            VisibleText.of(story.scenario.requirements.joined(separator: " ")), VisibleText.of(story.scenario.name),
        ]
    }

    /// The two largest units.
    private static func short(_ duration: Duration) -> String {
        duration.text.split(separator: " ").prefix(2).joined(separator: " ")
    }

    private var failures: String {
        var text = ""
        for scenario in played {
            guard let failure = scenario.story.failure else { continue }
            let line = failure.line.map { ":\($0)" } ?? ""
            text += "\n\(VisibleText.of(scenario.file))\(line): \(VisibleText.of(failure.subject))\n"
            for line in scenario.story.excerpt { text += "  \(VisibleText.of(line))\n" }
        }
        return text
    }

    private var summary: String {
        let steps = played.reduce(0) { $0 + $1.story.events.count }
        let microseconds = played.reduce(0) { $0 + $1.microseconds }
        let failed = played.count { !$0.story.isGood }
        let result = failed == 0 ? "everything was as it has to be" : "\(failed) failed"
        let noun = played.count == 1 ? "scenario" : "scenarios"
        return "\n\(played.count) \(noun), \(steps) steps, \(Figures.time(microseconds * 1000)): \(result)\n"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", isGood)
            writer.array("scenarios") { writer in
                for scenario in played { Self.write(scenario, to: &writer) }
            }
        }
    }

    private static func write(_ scenario: PlayedScenario, to writer: inout JSONWriter) {
        let story = scenario.story
        writer.object { writer in
            writer.field("file", scenario.file)
            writer.field("name", story.scenario.name)
            writer.field("requirements", story.scenario.requirements)
            writer.field("ok", story.isGood)
            writer.field("steps", story.events.count)
            writer.field("simulatedMicroseconds", Int(story.events.last?.monotonic.microseconds ?? 0))
            writer.field("microseconds", Int(scenario.microseconds))
            writer.field("digest", story.digest.hexadecimal)
            if let failure = story.failure {
                writer.object("failure") { writer in
                    if let line = failure.line { writer.field("line", line) }
                    writer.field("step", story.events.count)
                    writer.field("subject", failure.subject)
                    writer.field("expected", failure.expected)
                    writer.field("found", failure.found)
                }
            }
        }
    }
}
