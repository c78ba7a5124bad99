import CommandSupport
import Daybook
import Simulation

/// The report of random scenarios, as text and as JSON.
struct CampaignTable {
    let report: CampaignReport

    var text: String {
        let terminal = Terminal.standardOutput
        var text = ""
        for (group, rows) in report.coverage.groups.sorted(by: { $0.key < $1.key }) {
            text += "\n" + terminal.styled(group, .bold) + "\n"
            let width = rows.keys.map(\.columns).max() ?? 0
            for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                text += "  \(name.padded(to: width))  \(count)\n"
            }
        }
        text += "\n"
        if let failure = report.failure {
            text += self.text(of: failure)
        } else if report.isJudged {
            for name in report.coverage.unreached { text += "NOT REACHED: \(name)\n" }
        }
        return text + summary
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
        return text + "\(report.plan.replay(of: failure.seed))\n\n"
    }

    private var summary: String {
        let processes = report.processes == 1 ? "1 process" : "\(report.processes) processes"
        let tenths = Int(report.seconds * 10)
        return """
            \(report.steps) steps in \(report.runs) runs, \(tenths / 10).\(tenths % 10) s on \(processes): \
            \(report.stepsPerSecond) steps per second
            \(report.days) days of simulated time
            digest \(report.digest.hexadecimal)
            \(verdict)

            """
    }

    private var verdict: String {
        let unreached = report.coverage.unreached.count
        if report.failure != nil { return "a scenario failed" }
        if report.isJudged {
            return unreached == 0
                ? "no failures; every required situation was reached"
                : "no failures, but \(unreached) required situations were not reached"
        }
        let reason =
            report.plan.isPlain
            ? "--plain excludes many of them" : "coverage requires \(CampaignReport.judgedSteps) steps"
        return "no failures; \(unreached) situations were not reached, which was not judged: \(reason)"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", report.isGood)
            writer.field("seed", report.plan.firstSeed)
            writer.field("commit", BuiltCommit.current)
            writer.field("runs", report.runs)
            writer.field("steps", report.steps)
            writer.field("processes", report.processes)
            writer.field("seconds", Int(report.seconds))
            writer.field("stepsPerSecond", report.stepsPerSecond)
            writer.field("digest", report.digest.hexadecimal)
            writer.field("judged", report.isJudged)
            writer.field("unreached", report.coverage.unreached)
            writer.array("coverage") { writer in
                for (group, rows) in report.coverage.groups.sorted(by: { $0.key < $1.key }) {
                    for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                        writer.object { writer in
                            writer.field("group", group)
                            writer.field("name", name)
                            writer.field("count", count)
                        }
                    }
                }
            }
            if let failure = report.failure { write(failure, to: &writer) }
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
            writer.field("replay", report.plan.replay(of: failure.seed))
        }
    }
}
