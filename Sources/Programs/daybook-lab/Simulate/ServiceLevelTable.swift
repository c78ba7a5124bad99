import CommandSupport
import CrashTesting
import Daybook
import Simulation

extension Simulate {
    /// Measures and reports; returns whether every level is met.
    func measureServiceLevels(seed: Int, scratch: String) throws -> Bool {
        var plan = ServiceLevelPlan(seed: UInt64(seed), operations: operations ?? 25_000)
        if withoutRetries { plan.retries = .none }
        if !options.json { try Output.standard.write(ServiceLevelTable.headline(of: plan)) }
        let progress = Progress()
        defer { progress.end() }
        let report = try ServiceLevelRun(plan, on: RecordedMachine(), scratch: scratch).run { count in
            try progress.step("\(count) of \(plan.operations) operations")
        }
        let table = ServiceLevelTable(report: report)
        if options.json {
            try Output.standard.json { table.write(to: &$0) }
        } else {
            try Output.standard.write(table.text)
        }
        return report.isGood
    }
}

/// The report of a run that measures service levels, as text and as JSON.
struct ServiceLevelTable {
    let report: ServiceLevelReport

    private var plan: ServiceLevelPlan { report.plan }

    static func headline(of plan: ServiceLevelPlan) -> String {
        "simulate: service levels, seed \(plan.seed), commit \(BuiltCommit.current), \(plan.operations) operations\n"
    }

    var text: String {
        let saves = plan.retries.delaysInMicroseconds.count
        var text = """
            injected: \(Self.percent(plan.failedAttempts * 1000)) of the attempts of a save or an export fail (disk full, busy), \
            \(Self.percent(plan.crashesDuring * 1000)) of the operations are interrupted by a crash, \
            \(Self.percent(plan.crashesAfter * 1000)) are followed by one
            retries: \(saves) of a save, \(plan.exportAttempts - 1) of an export
            happened in \(report.stores) stores: \(report.failures) failed attempts, \
            \(report.processCrashes) deaths of the process, \(report.powerCrashes) power failures


            """
        let width = ServiceLevel.allCases.map(\.name.columns).max() ?? 0
        for level in ServiceLevel.allCases {
            let count = report.counts[level] ?? ServiceCount()
            let measured = count.share.map(Self.percent) ?? "not measured"
            text += "\(level.requirement)  \(level.name.padded(to: width))  \(measured.padded(to: 12))  "
            text += "\(count.succeeded) of \(count.total), required \(Self.percent(level.target)): "
            text += report.meets(level) ? "met\n" : "MISSED\n"
        }
        text += "\n"
        for problem in report.problems { text += "WRONG: \(VisibleText.of(problem))\n" }
        return text + (report.isGood ? "every service level is met\n" : "a service level is missed\n")
    }

    /// Formats millionths without rounding up: 99.9999 is never 100.
    private static func percent(_ share: Int) -> String {
        let (whole, rest) = share.quotientAndRemainder(dividingBy: 10_000)
        var digits = String(repeating: "0", count: 4 - "\(rest)".count) + "\(rest)"
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? "\(whole) %" : "\(whole).\(digits) %"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", report.isGood)
            writer.field("seed", Int(clamping: plan.seed))
            writer.field("commit", BuiltCommit.current)
            writer.field("operations", report.operations)
            writer.field("stores", report.stores)
            writer.object("injected") { writer in
                writer.field("failedAttemptsPerMille", plan.failedAttempts)
                writer.field("crashesDuringPerMille", plan.crashesDuring)
                writer.field("crashesAfterPerMille", plan.crashesAfter)
                writer.field("failedAttempts", report.failures)
                writer.field("processCrashes", report.processCrashes)
                writer.field("powerCrashes", report.powerCrashes)
            }
            writer.array("levels") { writer in
                for level in ServiceLevel.allCases {
                    let count = report.counts[level] ?? ServiceCount()
                    writer.object { writer in
                        writer.field("requirement", level.requirement)
                        writer.field("name", level.rawValue)
                        writer.field("succeeded", count.succeeded)
                        writer.field("total", count.total)
                        writer.field("requiredPerMillion", level.target)
                        writer.field("met", report.meets(level))
                    }
                }
            }
            writer.field("problems", report.problems)
        }
    }
}

extension ServiceLevel {
    fileprivate var name: String {
        switch self {
        case .crashFree: "crash-free operations"
        case .entrySaves: "entries saved"
        case .draftRecovery: "drafts recovered"
        case .exports: "exports complete"
        }
    }
}
