import ArgumentParser
import CommandSupport
import CrashTesting
import Daybook
import Simulation

/// The subcommand `simulate service-levels`.
struct SimulateServiceLevels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-levels",
        abstract: "Measure the service levels of journals under injected faults and crashes.",
        discussion: "Reports the shares of operations, entries, drafts and exports that succeeded.")

    @Option(help: ArgumentHelp("The seed. Default: random; it is printed.", valueName: "s"))
    var seed: Int?

    @Option(help: ArgumentHelp("The number of operations.", valueName: "n"))
    var operations = 25_000

    /// Saves entries without retries, to show that a missed level is detected.
    @Flag(help: .hidden)
    var withoutRetries = false

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if let seed, seed < 0 { throw ValidationError("--seed must be at least 0.") }
        guard (1...10_000_000).contains(operations) else {
            throw ValidationError("--operations must be from 1 to 10000000.")
        }
    }

    func run() throws {
        try options.simulate { try measure(seed: seed ?? $1.drawnSeed, scratch: $0) }
    }

    private func measure(seed: Int, scratch: String) throws -> ServiceLevelReport {
        var plan = ServiceLevelPlan(seed: UInt64(seed), operations: operations)
        if withoutRetries { plan.retries = .none }
        if !options.json {
            try Output.standard.write(
                "simulate: service levels, seed \(seed), commit \(BuiltCommit.current), \(operations) operations\n")
        }
        let progress = Progress()
        defer { progress.end() }
        let run = ServiceLevelRun(plan, on: RecordedMachine(), scratch: scratch)
        return try run.run { try progress.step("\($0) of \(operations) operations") }
    }
}

/// The report of a run that measures service levels, as text and as JSON.
extension ServiceLevelReport: SimulationReport {
    var text: String {
        let saves = plan.retries.delaysInMicroseconds.count
        var text = """
            injected: \(Self.percent(plan.failedAttempts * 1000)) of the attempts of a save or an export fail (disk full, busy), \
            \(Self.percent(plan.crashesDuring * 1000)) of the operations are interrupted by a crash, \
            \(Self.percent(plan.crashesAfter * 1000)) are followed by one
            retries: \(saves) of a save, \(plan.exportAttempts - 1) of an export
            happened in \(stores) stores: \(failures) failed attempts, \
            \(processCrashes) deaths of the process, \(powerCrashes) power failures


            """
        let width = ServiceLevel.allCases.map(\.name.columns).max() ?? 0
        for level in ServiceLevel.allCases {
            let count = counts[level] ?? ServiceCount()
            let measured = count.share.map(Self.percent) ?? "not measured"
            text += "\(level.requirement)  \(level.name.padded(to: width))  \(measured.padded(to: 12))  "
            text += "\(count.succeeded) of \(count.total), required \(Self.percent(level.target)): "
            text += meets(level) ? "met\n" : "MISSED\n"
        }
        text += "\n"
        for problem in problems { text += "WRONG: \(VisibleText.of(problem))\n" }
        return text + (isGood ? "every service level is met\n" : "a service level is missed\n")
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
            writer.field("ok", isGood)
            writer.field("seed", Int(clamping: plan.seed))
            writer.field("commit", BuiltCommit.current)
            writer.field("operations", operations)
            writer.field("stores", stores)
            writer.object("injected") { writer in
                writer.field("failedAttemptsPerMille", plan.failedAttempts)
                writer.field("crashesDuringPerMille", plan.crashesDuring)
                writer.field("crashesAfterPerMille", plan.crashesAfter)
                writer.field("failedAttempts", failures)
                writer.field("processCrashes", processCrashes)
                writer.field("powerCrashes", powerCrashes)
            }
            writer.array("levels") { writer in
                for level in ServiceLevel.allCases {
                    let count = counts[level] ?? ServiceCount()
                    writer.object { writer in
                        writer.field("requirement", level.requirement)
                        writer.field("name", level.rawValue)
                        writer.field("succeeded", count.succeeded)
                        writer.field("total", count.total)
                        writer.field("requiredPerMillion", level.target)
                        writer.field("met", meets(level))
                    }
                }
            }
            writer.field("problems", problems)
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
