import CommandSupport
import CrashTesting
import Daybook

/// What a run of the crash lab found, for people and as JSON.
struct CrashTable {
    let report: CrashReport
    let isReplay: Bool

    var text: String {
        let terminal = Terminal.standardOutput
        var text = ""
        for (group, rows) in report.coverage.sorted(by: { $0.key < $1.key }) {
            text += "\n" + terminal.styled(group, .bold) + "\n"
            let width = rows.keys.map(\.columns).max() ?? 0
            for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                text += "  \(name.padded(to: width))  \(count)\n"
            }
        }
        if !isReplay {
            text += "\n" + terminal.styled("negative controls", .bold) + "\n"
            let width = report.negativeControls.map(\.name.columns).max() ?? 0
            for control in report.negativeControls {
                let result = control.trialsUntilFound.map { "found after \($0)" } ?? "NOT FOUND"
                text += "  \(control.name.padded(to: width))  \(result): \(VisibleText.of(control.finding))\n"
            }
        }
        return text + "\n" + findings + processes + summary
    }

    /// What the processes that died beside others have shown; nothing when none did.
    private var processes: String {
        var text = ""
        if report.races > 0 {
            let all = report.racesAreComplete ? "every opening race was run" : "opening races: not all"
            text += "\(all), \(report.races) in total, at each of up to \(report.callsRaced) system calls\n"
        }
        if report.kills.kills > 0 {
            text +=
                "\(report.kills.kills) processes killed at random, \(report.kills.acknowledged) tasks acknowledged; "
            text += "a stale lock file was met \(report.kills.staleOpenings) times\n"
        }
        return text
    }

    private var findings: String {
        var text = ""
        // Many images break for one reason: a few of each problem say enough.
        var told: [String: Int] = [:]
        for violation in report.violations {
            told[violation.problem, default: 0] += 1
            guard told[violation.problem, default: 0] <= 2 else { continue }
            text += "BROKEN: \(VisibleText.of(violation.problem))\n"
            for line in violation.details { text += "  \(VisibleText.of(line))\n" }
            let isOptions = violation.reproducer.hasPrefix("--")
            text += "  daybook crashtest \(isOptions ? violation.reproducer : "--replay '\(violation.reproducer)'")\n"
        }
        for name in report.unreached { text += "NOT REACHED: \(name)\n" }
        return text
    }

    /// What was done to images, and how long everything took.
    private var summary: String {
        guard report.imagesBuilt > 0 else { return "\(Int(report.seconds)) s\n" }
        let small = report.smallWorkloadsAreComplete ? "every small workload was explored" : "small workloads: not all"
        let faults = report.faultsAreComplete ? "every fault struck every call" : "faults: not all"
        let damages = report.damagesAreComplete ? "every damage was done" : "damages: not all"
        return """
            \(report.imagesBuilt) images built, \(report.imagesDifferent) of them different, \
            \(report.imagesOpened) opened; \(report.recoveriesInterrupted) recoveries interrupted, \
            which left \(report.imagesOfRecoveries) more
            \(small); \(faults); \(damages)
            \(Int(report.seconds)) s, \(smallImagesPerSecond) images of small stores opened a second

            """
    }

    /// The last line: whether all is well, and why not.
    var verdict: String {
        let missed = report.negativeControls.filter { $0.trialsUntilFound == nil }.map(\.name)
        if let first = report.violations.first {
            let kinds = Set(report.violations.map(\.problem)).count
            let count = report.violations.count
            let number = count == 1 ? "1 broken promise" : "\(count) broken promises, \(kinds) different"
            return "BROKEN: \(number); the first: \(VisibleText.of(first.problem))"
        }
        if !missed.isEmpty {
            let counts = "\(missed.count) of \(report.negativeControls.count)"
            return "NOT PROVEN: \(counts) promises broken on purpose were not noticed: "
                + missed.joined(separator: ", ")
        }
        if !report.unreached.isEmpty {
            return "NOT PROVEN: \(report.unreached.count) of \(report.requiredKinds) required kinds were not reached; "
                + "give it a larger --budget"
        }
        let reached = report.requiredKinds > 0 ? "; all \(report.requiredKinds) required kinds were reached" : ""
        return "OK: no promise is broken\(reached)"
    }

    private var smallImagesPerSecond: Int {
        report.smallImagesSeconds > 0 ? Int(Double(report.smallImagesOpened) / report.smallImagesSeconds) : 0
    }

    func write(to writer: inout JSONWriter, commit: String) {
        writer.object { writer in
            writer.field("ok", report.isClean)
            writer.field("verdict", verdict)
            writer.field("seed", Int(clamping: report.options.seed))
            writer.field("commit", commit)
            writer.field("seconds", Int(report.seconds))
            writer.field("imagesBuilt", report.imagesBuilt)
            writer.field("imagesDifferent", report.imagesDifferent)
            writer.field("imagesOpened", report.imagesOpened)
            writer.field("smallImagesPerSecond", smallImagesPerSecond)
            writer.field("smallWorkloadsComplete", report.smallWorkloadsAreComplete)
            writer.field("faultsComplete", report.faultsAreComplete)
            writer.field("damagesComplete", report.damagesAreComplete)
            writer.field("recoveriesInterrupted", report.recoveriesInterrupted)
            writer.field("imagesOfRecoveries", report.imagesOfRecoveries)
            writer.field("races", report.races)
            writer.field("racesComplete", report.racesAreComplete)
            writer.field("callsRaced", report.callsRaced)
            writer.field("kills", report.kills.kills)
            writer.field("acknowledgedBeforeKills", report.kills.acknowledged)
            writer.field("staleOpenings", report.kills.staleOpenings)
            writer.field("unreached", report.unreached)
            writer.array("coverage") { writer in
                for (group, rows) in report.coverage.sorted(by: { $0.key < $1.key }) {
                    for (name, count) in rows.sorted(by: { $0.key < $1.key }) {
                        writer.object { writer in
                            writer.field("group", group)
                            writer.field("name", name)
                            writer.field("count", count)
                        }
                    }
                }
            }
            writer.array("canaries") { writer in
                for control in report.negativeControls {
                    writer.object { writer in
                        writer.field("name", control.name)
                        writer.field("found", control.trialsUntilFound != nil)
                        writer.field("trials", control.trialsUntilFound ?? 0)
                        writer.field("finding", control.finding)
                    }
                }
            }
            writer.array("violations") { writer in
                for violation in report.violations {
                    writer.object { writer in
                        writer.field("problem", violation.problem)
                        writer.field("replay", violation.reproducer)
                    }
                }
            }
        }
    }
}
