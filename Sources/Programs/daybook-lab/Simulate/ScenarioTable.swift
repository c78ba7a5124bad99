import CommandSupport
import Daybook
import FoundationEssentials
import LabSupport
import Simulation

/// A scenario that was run, and the duration.
struct PlayedScenario {
    let story: Story
    let microseconds: Int64

    var file: String { story.scenario.file ?? story.scenario.name }

    /// The simulated time.
    var virtualTime: Duration { .microseconds(story.events.last?.monotonic.microseconds ?? 0) }
}

/// The report of scenario files, as text and as JSON.
struct ScenarioTable: SimulationReport {
    let played: [PlayedScenario]

    var isGood: Bool { played.allSatisfy(\.story.isGood) }

    var text: String {
        let header = ["", "file", "steps", "simulated", "real time", "requirements", "name"]
        let lines = [header] + played.map(line)
        let widths = header.indices.map { column in lines.map { $0[column].columns }.max() ?? 0 }
        let terminal = Terminal.standardOutput
        var text = ""
        for (number, line) in lines.enumerated() {
            let cells = line.indices.dropLast().map { line[$0].padded(to: widths[$0]) }
            let start = cells.joined(separator: "  ") + "  "
            let style: Terminal.Style =
                number == 0 ? .bold : played[number - 1].story.isGood ? .plain : .active
            text += terminal.styled(start + terminal.fitted(line[line.count - 1], after: start.columns), style) + "\n"
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

    /// Returns a duration in its two largest units.
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
        let result = failed == 0 ? "all passed" : "\(failed) failed"
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

/// The scenario files named on a command line.
struct ScenarioFiles {
    let paths: [String]

    /// The folder of scenarios of devices, which `simulate sync` plays.
    private static let devicesFolder = "sync"

    /// The folder that is used if nothing is named.
    private static let standardFolder = "Simulations"

    /// - Parameter names: files, and folders, which stand for every `.yaml` file below them.
    init(named names: [String]) throws {
        if names.isEmpty, !Self.isFolder(Self.standardFolder) {
            throw CommandError.usage(
                "The folder \(Self.standardFolder) does not exist here. Name scenario files, or run random scenarios: "
                    + "'daybook simulate --runs 10'.")
        }
        paths = try (names.isEmpty ? [Self.standardFolder] : names).flatMap(Self.files)
    }

    /// Reads all files before the first one is run.
    func scenarios() throws -> [Scenario] {
        let reader = ScenarioReader(vocabulary: .journals)
        return try paths.map { try reader.read(file: $0) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    private static func files(_ name: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: name) else {
            throw CommandError.unusable("\(name) does not exist. Name a scenario file or a folder of them.")
        }
        guard isFolder(name) else { return [name] }
        let below: [String]
        do {
            below = try FileManager.default.subpathsOfDirectory(atPath: name)
        } catch {
            throw CommandError.unusable("The folder \(name) could not be read. Check its permissions.")
        }
        // A folder of devices is one that is named itself.
        let files = below.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix("\(devicesFolder)/") }.sorted()
        guard !files.isEmpty else {
            throw CommandError.unusable("No .yaml file was found below \(name). Name a folder that contains scenarios.")
        }
        return files.map { name.hasSuffix("/") ? name + $0 : "\(name)/\($0)" }
    }
}
