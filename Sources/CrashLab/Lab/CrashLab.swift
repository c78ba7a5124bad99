import CivilTime
import FoundationEssentials
import KeyValue

/// Builds the disk images that crashes could leave, opens each, and looks whether Daybook keeps its promises; makes the
/// disk fail at every call; damages pages; and breaks each promise on purpose to see that it would have noticed.
///
/// It forks. Use it in a process that has no other threads at work.
public final class CrashLab {
    private let options: CrashLabOptions
    private let clock: any Clock
    private let pool: ChildPool
    private let coverage = Coverage()
    private let start: MonotonicTime
    private let tell: (String) -> Void

    /// A lab; `tell` hears how far it has come, a line at a time.
    public init(_ options: CrashLabOptions, clock: any Clock, tell: @escaping (String) -> Void) {
        self.options = options
        self.clock = clock
        self.tell = tell
        pool = ChildPool(width: options.width, clock: clock)
        start = clock.monotonic
    }

    private var elapsedSeconds: Double { Double(clock.monotonic.microseconds(since: start)) / 1_000_000 }

    /// Whether a share of the budget, counted from the beginning, is left.
    private func hasTime(until share: Double) -> Bool { elapsedSeconds < Double(options.budgetSeconds) * share }

    /// Runs everything within the budget, and returns what was found.
    public func run() throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            try runCanaries(recorder, into: &report)
            let explorer = ImageExplorer(
                pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
            try exploreLifecycle(recorder, explorer)
            try exploreSmall(recorder, explorer, into: &report)
            try exploreLong(recorder, explorer)
            report.violations = explorer.violations
            try runBitRot(into: &report)
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    // MARK: Phases

    private func runBitRot(into report: inout CrashReport) throws {
        tell("bit rot")
        let rot = try BitRot(seed: options.seed, pool: pool, scratch: options.scratch, coverage: coverage)
        report.violations += try rot.run { self.hasTime(until: 0.95) }
        tell("canary: \(Sabotage.ignoresChecksums.rawValue)")
        let blind = try BitRot(
            seed: options.seed, pool: pool, scratch: options.scratch, coverage: Coverage(), sabotage: .ignoresChecksums)
        report.canaries.append(try blind.runOnValues(trials: 100))
    }

    private func exploreLifecycle(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        for (name, workload) in LifecycleWorkloads.all {
            tell("\(name): \(workload.text)")
            coverage.count("workloads", name)
            try explorer.explore(recorder.record(workload), of: workload, limits: ExplorationLimits()) { true }
        }
        try pool.finishAll()
    }

    private func exploreSmall(
        _ recorder: Recorder, _ explorer: ImageExplorer, into report: inout CrashReport
    ) throws {
        var isComplete = true
        for workload in SmallWorkloads(longest: 3) {
            guard options.isExhaustive || hasTime(until: 0.5) else {
                isComplete = false
                break
            }
            coverage.count("workloads", "small, \(workload.steps.count) operations")
            try explorer.explore(
                recorder.record(workload), of: workload, from: workload.steps.count, limits: ExplorationLimits()
            ) { true }
            tell(workload.text)
        }
        try pool.finishAll()
        report.smallWorkloadsAreComplete = isComplete
    }

    private func exploreLong(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        let workloads = LongWorkloads(seed: options.seed)
        var number = 0
        while hasTime(until: 0.65) || number < 3 {
            let workload = workloads.workload(number)
            tell("long workload \(number)")
            coverage.count("workloads", "long, seeded")
            let recording = try recorder.record(workload)
            try explorer.explore(recording, of: workload, limits: .long) { self.hasTime(until: 0.7) || number < 3 }
            number += 1
        }
        try pool.finishAll()
    }

    private func runCanaries(_ recorder: Recorder, into report: inout CrashReport) throws {
        for sabotage in Sabotage.allCases where sabotage != .ignoresChecksums {
            tell("canary: \(sabotage.rawValue)")
            let workload = CanaryWorkloads.workload(for: sabotage)
            let coverage = Coverage()
            let explorer = ImageExplorer(pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
            try explorer.explore(recorder.record(workload), of: workload, limits: ExplorationLimits()) {
                explorer.violations.isEmpty
            }
            try pool.finishAll()
            let finding = explorer.violations.first
            report.canaries.append(
                CanaryResult(
                    name: sabotage.rawValue, trialsUntilFound: finding == nil ? nil : coverage.imagesOpened,
                    finding: finding?.problem ?? "not found"))
        }
    }

    // MARK: Replay

    /// Whether a text is a recipe that can be replayed.
    public static func isRecipe(_ text: String) -> Bool {
        CrashRecipe(text) != nil || FaultRecipe(text) != nil || BitRotTrial(text) != nil
    }

    /// Builds the image of a recipe again and opens it. Returns what is wrong with it, nil when nothing is.
    public func replay(_ text: String) throws -> CrashReport {
        if let trial = BitRotTrial(text) { return try replay(trial) }
        guard let recipe = CrashRecipe(text) else { throw CrashLabError.badRecipe(text) }
        return try withScratch { recorder in
            var report = CrashReport(options: options)
            let recording = try recorder.record(recipe.workload)
            let explorer = ImageExplorer(
                pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
            try explorer.replay(recipe, of: recording, tell: tell)
            try pool.finishAll()
            report.violations = explorer.violations
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func replay(_ trial: BitRotTrial) throws -> CrashReport {
        try withScratch { _ in
            var report = CrashReport(options: options)
            report.violations = try BitRot.replay(
                trial, pool: pool, scratch: options.scratch, coverage: coverage, tell: tell)
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func withScratch<Result>(_ body: (Recorder) throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(atPath: options.scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.scratch) }
        let bases = try BaseStores.all(in: options.scratch, pool: pool)
        return try body(Recorder(pool: pool, scratch: options.scratch, bases: bases))
    }
}
