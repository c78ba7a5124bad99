import ArgumentParser
import CommandSupport
import Daybook
import DeviceSimulation
import Dispatch
import Injection
import Simulation
import Threading

/// The subcommand `simulate sync`: several devices that sync over a hub.
struct SimulateSync: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Simulate devices that sync over a hub, in written or random scenarios.",
        discussion: """
            Two to five devices change the same tasks and sync them over a hub, on a network and with clocks, hubs, disks \
            and programs that fail. Without FILE the scenarios are random.
            """)

    @Argument(
        help: ArgumentHelp("Scenario files of devices and folders of them.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var files: [String] = []

    @OptionGroup var random: RandomOptions

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try random.validate(beside: files, isRandom: files.isEmpty, breaking: InjectionPoint.ofSync)
    }

    func run() throws {
        if let share = random.share {
            try CampaignWorker(plan: random.plan(nil, isSync: true), share: share, writesTrace: false).run()
        } else if files.isEmpty {
            try options.simulate { scratch, context in
                try Campaign(random.plan(context, isSync: true), scratch: scratch).run(quietly: options.json)
            }
        } else {
            try options.simulate { scratch, _ in try play(scratch) }
        }
    }

    /// Reads all files before the first one is played.
    private func play(_ scratch: String) throws -> PlayedDeviceScenarios {
        let reader = DeviceScenarioReader()
        let paths = try ScenarioFiles(named: files).paths
        let scenarios = try paths.map { (file: $0, scenario: try reader.read(file: $0)) }
        let (point, isTwice) = (random.injectionPoint, random.twice)
        var played = PlayedDeviceScenarios()
        for (file, scenario) in scenarios {
            let report = try blocking {
                var report = try await SyncSimulation.play(scenario, breaking: point, in: scratch)
                if isTwice {
                    report.compare(with: try await SyncSimulation.play(scenario, breaking: point, in: scratch))
                }
                return report
            }
            played.all.append((file, scenario, report))
        }
        return played
    }
}

/// The report of scenarios of devices, as text and as JSON.
struct PlayedDeviceScenarios: SimulationReport {
    var all: [(file: String, scenario: DeviceScenario, report: SyncReport)] = []

    var isGood: Bool { all.allSatisfy { $0.report.problems.isEmpty } }

    var text: String {
        var text = ""
        for (file, scenario, report) in all {
            text +=
                "\(report.problems.isEmpty ? "pass" : "FAIL")  \(VisibleText.of(file))  \(VisibleText.of(scenario.name))\n"
            for problem in report.problems { text += "      \(VisibleText.of(problem))\n" }
            guard !report.problems.isEmpty else { continue }
            for event in report.history.suffix(12) { text += "      \(VisibleText.of(event))\n" }
        }
        let failed = all.count { !$0.report.problems.isEmpty }
        return text + "\n\(all.count) scenarios of devices: \(failed == 0 ? "all passed" : "\(failed) failed")\n"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("ok", isGood)
            writer.array("scenarios") { writer in
                for (file, scenario, report) in all {
                    writer.object { writer in
                        writer.field("file", file)
                        writer.field("name", scenario.name)
                        writer.field("requirements", scenario.requirements)
                        writer.field("ok", report.problems.isEmpty)
                        writer.field("steps", report.steps)
                        writer.field("simulatedMicroseconds", Int(report.microseconds))
                        writer.field("digest", report.digest.hexadecimal)
                        writer.field("problems", report.problems)
                    }
                }
            }
        }
    }
}

/// Waits on this thread for asynchronous work.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let outcome = ForkSafeMutex<Swift.Result<Result, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task {
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        outcome.withLock { $0 = result }
        isDone.signal()
    }
    isDone.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
}
