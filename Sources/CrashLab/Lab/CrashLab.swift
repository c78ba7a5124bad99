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

    /// Whether a phase may go on.
    private func hasTime(for phase: CrashPhase) -> Bool {
        elapsedSeconds < Double(options.budgetSeconds) * (options.phases.count == 1 ? 1 : phase.shareOfBudget)
    }

    /// Runs everything within the budget, and returns what was found.
    public func run() throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            let explorer = ImageExplorer(
                pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
            let sweep = FaultSweep(pool: pool, recorder: recorder, scratch: options.scratch, coverage: coverage)
            for phase in CrashPhase.allCases where options.phases.contains(phase) {
                let opened = coverage.imagesOpened + coverage.imagesOfRecoveries
                let began = elapsedSeconds
                defer {
                    if [.lifecycle, .small, .long].contains(phase) {
                        report.crashImagesOpened += coverage.imagesOpened + coverage.imagesOfRecoveries - opened
                        report.crashSeconds += elapsedSeconds - began
                    }
                }
                switch phase {
                case .canaries: try runCanaries(recorder, into: &report)
                case .lifecycle: try exploreLifecycle(recorder, explorer)
                case .small: report.smallWorkloadsAreComplete = try exploreSmall(recorder, explorer)
                case .long: try exploreLong(recorder, explorer)
                case .faults: report.faultsAreComplete = try sweepFaults(sweep)
                case .situations: report.violations += try meetSituations(recorder)
                case .bitRot: report.violations += try damagePages()
                }
            }
            report.violations += try explained(explorer.violations, recorder) + sweep.violations
            report.take(coverage, seconds: elapsedSeconds)
            if options.phases == Set(CrashPhase.allCases) {
                report.unreached = RequiredCoverage.unreached(in: coverage)
            }
            return report
        }
    }

    // MARK: Phases

    private func damagePages() throws -> [CrashViolation] {
        tell("bit rot")
        let rot = try BitRot(
            seed: options.seed, pool: pool, scratch: options.scratch, coverage: coverage,
            sabotage: options.sabotage.flatMap(Sabotage.init))
        let violations = try rot.run { self.hasTime(for: .bitRot) }
        for (name, sample) in rot.samples.sorted(by: { $0.key < $1.key }) { tell("\(name): \(sample)") }
        return violations
    }

    /// With the promise broken that this run is to break.
    private func sabotaged(_ workload: LabWorkload) -> LabWorkload {
        var workload = workload
        workload.sabotage = options.sabotage.flatMap(Sabotage.init)
        return workload
    }

    private func exploreLifecycle(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        for (name, workload) in LifecycleWorkloads.all {
            tell("\(name): \(workload.text)")
            coverage.count("workloads", name)
            let workload = sabotaged(workload)
            try explorer.explore(recorder.record(workload), of: workload, limits: ExplorationLimits()) { true }
        }
        try pool.finishAll()
    }

    /// Whether all of them were explored.
    private func exploreSmall(_ recorder: Recorder, _ explorer: ImageExplorer) throws -> Bool {
        defer { tell("") }
        for workload in SmallWorkloads(longest: 3) {
            guard options.isExhaustive || hasTime(for: .small) else {
                try pool.finishAll()
                return false
            }
            tell(workload.text)
            coverage.count("workloads", "small, of \(workload.steps.count)")
            let workload = sabotaged(workload)
            try explorer.explore(
                recorder.record(workload), of: workload, from: workload.steps.count, limits: ExplorationLimits()
            ) { true }
        }
        try pool.finishAll()
        return true
    }

    private func exploreLong(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        let workloads = LongWorkloads(seed: options.seed)
        for number in 0... {
            guard number == 0 || hasTime(for: .long) else { break }
            tell("long workload \(number)")
            coverage.count("workloads", "long, seeded")
            let workload = sabotaged(workloads.workload(number))
            let recording = try recorder.record(workload)
            try explorer.explore(recording, of: workload, limits: .long) { self.hasTime(for: .long) }
        }
        try pool.finishAll()
    }

    private func sweepFaults(_ sweep: FaultSweep) throws -> Bool {
        tell("faults")
        return try sweep.run { self.options.isExhaustive || self.hasTime(for: .faults) }
    }

    private func meetSituations(_ recorder: Recorder) throws -> [CrashViolation] {
        var violations: [CrashViolation] = []
        for situation in Situation.allCases {
            tell(situation.rawValue)
            if let problem = try meet(situation, recorder) {
                violations.append(CrashViolation(recipe: situation.recipe, problem: problem))
            }
            coverage.count("situations", situation.rawValue)
        }
        return violations
    }

    /// Returns what is wrong, nil when nothing is.
    private func meet(_ situation: Situation, _ recorder: Recorder) throws -> String? {
        let folder = "\(options.scratch)/situation"
        try FolderFiles.replace(folder, with: recorder.bases[.small] ?? DiskImage())
        return try pool.run { _, voice in
            DiskLog.leave()
            try situation.run(in: folder, voice: voice)
        }.failure
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
        tell("canary: \(Sabotage.ignoresChecksums.rawValue)")
        let blind = try BitRot(
            seed: options.seed, pool: pool, scratch: options.scratch, coverage: Coverage(), sabotage: .ignoresChecksums)
        report.canaries.append(try blind.runOnValues(trials: 100))
    }

    // MARK: Explaining

    /// The first violation with its log, and the shortest workload in which something breaks, if that is a shorter one.
    private func explained(_ violations: [CrashViolation], _ recorder: Recorder) throws -> [CrashViolation] {
        guard var first = violations.first, let recipe = CrashRecipe(first.recipe) else { return violations }
        first.details = CrashExplanation(recipe: recipe, recording: try recorder.record(recipe.workload)).lines
        tell("shrinking")
        let shrunk = try Shrinker { workload in
            let explorer = ImageExplorer(
                pool: self.pool, scratch: self.options.scratch, seed: self.options.seed, coverage: Coverage())
            try explorer.explore(recorder.record(workload), of: workload, limits: .long) {
                explorer.violations.isEmpty
            }
            try self.pool.finishAll()
            return explorer.violations.first
        }.shrink(recipe.workload)
        return [first] + (shrunk.map { [$0] } ?? []) + violations.dropFirst()
    }

    // MARK: Replay

    /// The promises that can be broken on purpose.
    public static let sabotages = Sabotage.allCases.map(\.rawValue)

    /// Whether a text is a recipe that can be replayed.
    public static func isRecipe(_ text: String) -> Bool {
        CrashRecipe(text) != nil || FaultRecipe(text) != nil || BitRotTrial(text) != nil
            || Situation(recipe: text) != nil
    }

    /// Builds the image of a recipe again and opens it. Returns what is wrong with it, nil when nothing is.
    public func replay(_ text: String) throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            if let recipe = FaultRecipe(text) {
                let sweep = FaultSweep(pool: pool, recorder: recorder, scratch: options.scratch, coverage: coverage)
                try sweep.replay(recipe)
                report.violations = sweep.violations
                return report
            }
            if let situation = Situation(recipe: text) {
                if let problem = try meet(situation, recorder) {
                    report.violations = [CrashViolation(recipe: text, problem: problem)]
                }
                return report
            }
            if let trial = BitRotTrial(text) {
                report.violations = try BitRot.replay(
                    trial, pool: pool, scratch: options.scratch, coverage: coverage,
                    sabotage: options.sabotage.flatMap(Sabotage.init), tell: tell)
                report.take(coverage, seconds: elapsedSeconds)
                return report
            }
            guard let recipe = CrashRecipe(text) else { throw CrashLabError.badRecipe(text) }
            let recording = try recorder.record(recipe.workload)
            let explorer = ImageExplorer(
                pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
            try explorer.replay(recipe, of: recording, tell: tell)
            try pool.finishAll()
            report.violations = explorer.violations.map { violation in
                var violation = violation
                violation.details = CrashExplanation(recipe: recipe, recording: recording).lines
                return violation
            }
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    /// Goes once through what every child will do. The runtime looks types up when they are first used, and keeps what
    /// it found; a child has what its parent knew, so without this each of thousands would look up everything again.
    private func warmUp(_ bases: [LabWorkload.Base: DiskImage]) throws {
        let folder = "\(options.scratch)/warm"
        try FolderFiles.replace(folder, with: bases[.small] ?? DiskImage())
        try DiskLog.begin(folder: folder)
        let store = try LabStore(at: "\(folder)/\(Recording.storePath)")
        try store.perform(.create(1 << 20, on: nil, noteLength: 40))
        try store.perform(.setState(1 << 20, .completed))
        try store.perform(.undo)
        _ = try (store.lines(), store.digest(), store.problems())
        store.close()
        DiskLog.end()
        _ = try DiskLog.entries()
    }

    private func withScratch<Result>(_ body: (Recorder) throws -> Result) throws -> Result {
        try FileManager.default.createDirectory(atPath: options.scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.scratch) }
        let bases = try BaseStores.all(in: options.scratch, pool: pool)
        try warmUp(bases)
        return try body(Recorder(pool: pool, scratch: options.scratch, bases: bases))
    }
}
