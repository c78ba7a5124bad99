import CommandSupport
import CrashTesting
import Daybook

/// The report of a crash lab run, as text and as JSON.
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
                let result = control.trialsUntilFound.map { "detected after \($0)" } ?? "NOT DETECTED"
                text += "  \(control.name.padded(to: width))  \(result): \(VisibleText.of(control.finding))\n"
            }
        }
        return text + "\n" + findings + processes + summary + phases
    }

    /// The results of the races and of the killed processes; empty if neither was run.
    private var processes: String {
        var text = ""
        if report.races > 0 {
            let all = report.racesAreComplete ? "all opening races were run" : "not all opening races were run"
            text += "\(all): \(report.races), each at up to \(report.callsRaced) system calls\n"
        }
        switch report.permitsNamespaces {
        case true: text += "\(report.namespaceRaces) races of processes in two namespaces were run\n"
        case false: text += "two namespaces: not tried, since this system permits no PID namespaces (run it as root)\n"
        default: break
        }
        if report.kills.kills > 0 {
            text +=
                "\(report.kills.kills) processes killed at random, \(report.kills.acknowledged) tasks acknowledged; "
            text += "a stale lock file was found \(report.kills.staleOpenings) times\n"
        }
        return text
    }

    private var findings: String {
        var text = ""
        // Many images can fail for one reason, so only the first of each problem are listed.
        var listed: [String: Int] = [:]
        for violation in report.violations {
            listed[violation.problem, default: 0] += 1
            guard listed[violation.problem, default: 0] <= 2 else { continue }
            text += "BROKEN: \(VisibleText.of(violation.problem))\n"
            for line in violation.details { text += "  \(VisibleText.of(line))\n" }
            let isOptions = violation.reproducer.hasPrefix("--")
            text += "  daybook crashtest \(isOptions ? violation.reproducer : "--replay '\(violation.reproducer)'")\n"
        }
        for name in report.unreached { text += "NOT REACHED: \(name)\n" }
        return text
    }

    /// The number of images, and the duration.
    private var summary: String {
        guard report.imagesBuilt > 0 else { return "\(Int(report.seconds)) s\n" }
        let small = report.smallWorkloadsAreComplete ? "all small workloads run" : "not all small workloads run"
        let faults = report.faultsAreComplete ? "all faults injected" : "not all faults injected"
        let damages = report.damagesAreComplete ? "all damages tried" : "not all damages tried"
        return """
            \(report.imagesBuilt) images built, \(report.imagesDifferent) of them distinct, \
            \(report.imagesOpened) opened; \(report.recoveriesInterrupted) recoveries interrupted, \
            with \(report.imagesOfRecoveries) more images
            \(small); \(faults); \(damages)
            \(Int(report.seconds)) s, \(smallImagesPerSecond) images of small stores opened per second

            """
    }

    /// How the time was spent; empty if there was one phase only.
    private var phases: String {
        guard report.secondsByPhase.count > 1 else { return "" }
        let parts = CrashPhase.allCases.compactMap { phase in
            report.secondsByPhase[phase].map { "\(phase.rawValue) \(Int($0.rounded()))" }
        }
        return "seconds by phase: " + parts.joined(separator: ", ") + "\n"
    }

    /// The last line: the verdict with its reason.
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
            return "NOT PROVEN: \(counts) negative controls were not detected: "
                + missed.joined(separator: ", ")
        }
        if !report.unreached.isEmpty {
            return "NOT PROVEN: \(report.unreached.count) of \(report.requiredKinds) required kinds were not reached; "
                + "use a larger --budget"
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
            if let permits = report.permitsNamespaces { writer.field("namespacesPermitted", permits) }
            writer.field("namespaceRaces", report.namespaceRaces)
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
            writer.array("negativeControls") { writer in
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
