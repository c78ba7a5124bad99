import CommandSupport
import Daybook
import LabSupport
import Simulation

/// The report of random scenarios, as text and as JSON.
extension CampaignReport: SimulationReport {
    var text: String {
        let terminal = Terminal.standardOutput
        var text = ""
        for (group, rows) in coverage.groups.sorted(by: { $0.key < $1.key }) {
            text += "\n" + terminal.styled(group, .bold) + "\n"
            let width = rows.keys.map(\.columns).max() ?? 0
            for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                text += "  \(name.padded(to: width))  \(count)\n"
            }
        }
        text += "\n"
        if let failure {
            text += self.text(of: failure)
        } else if isJudged {
            for name in coverage.unreached { text += "NOT REACHED: \(name)\n" }
        }
        return text + summary + plan.headline + "\n"
    }

    private func text(of failure: SeedFailure) -> String {
        let step = failure.step > 0 ? ", step \(failure.step)" : ""
        var text = "FAIL: seed \(failure.seed)\(step): \(VisibleText.of(failure.subject))\n"
        for line in failure.excerpt { text += "  \(line)\n" }
        if let scenario = failure.scenario {
            text += "\nThe shortest scenario found that fails in the same way:\n\n"
            for line in scenario.split(separator: "\n", omittingEmptySubsequences: false) {
                text += VisibleText.of(String(line)) + "\n"
            }
        }
        return text + "\(plan.replay(of: failure.seed))\n\n"
    }

    private var summary: String {
        return """
            \(steps) steps in \(runs) runs, \(Figures.fixed(seconds, places: 1)) s on \(Figures.counted(processes, "process", plural: "processes")): \
            \(stepsPerSecond) steps per second
            \(days) days of simulated time
            digest \(digest.hexadecimal)
            \(verdict)

            """
    }

    private var verdict: String {
        let unreached = coverage.unreached.count
        if failure != nil { return "a scenario failed" }
        if isJudged {
            return unreached == 0
                ? "no failures; every required situation was reached"
                : "no failures, but \(unreached) required situations were not reached"
        }
        let reason =
            plan.isPlain
            ? "--plain excludes many of them" : "coverage requires \(Self.judgedSteps) steps"
        return "no failures; \(unreached) situations were not reached, which was not judged: \(reason)"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", isGood)
            writer.field("seed", plan.firstSeed)
            writer.field("commit", BuiltCommit.current)
            writer.field("runs", runs)
            writer.field("steps", steps)
            writer.field("processes", processes)
            writer.field("seconds", Int(seconds))
            writer.field("stepsPerSecond", stepsPerSecond)
            writer.field("digest", digest.hexadecimal)
            writer.field("judged", isJudged)
            writer.field("unreached", coverage.unreached)
            writer.array("coverage") { writer in
                for (group, rows) in coverage.groups.sorted(by: { $0.key < $1.key }) {
                    for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                        writer.object { writer in
                            writer.field("group", group)
                            writer.field("name", name)
                            writer.field("count", count)
                        }
                    }
                }
            }
            if let failure = failure { write(failure, to: &writer) }
        }
    }

    private func write(_ failure: SeedFailure, to writer: inout JSONWriter) {
        writer.object("failure") { writer in
            writer.field("seed", failure.seed)
            writer.field("step", failure.step)
            writer.field("subject", failure.subject)
            writer.field("expected", failure.expected)
            writer.field("found", failure.found)
            if let scenario = failure.scenario { writer.field("scenario", scenario) }
            writer.field("replay", plan.replay(of: failure.seed))
        }
    }
}
