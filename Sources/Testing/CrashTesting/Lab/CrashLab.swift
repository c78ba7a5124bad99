import ByteStreams
import CivilTime
import DiskRecording
import DomainPacks
import FoundationEssentials
import Injection
import KeyValue
import LabSupport

/// Replays every disk state that a crash could leave and checks Daybook's promises; makes the disk fail at every call;
/// damages pages; and runs negative controls, which break each promise on purpose.
///
/// The lab forks. Use it in a process without other active threads.
public final class CrashLab {
    let options: CrashLabOptions
    let clock: any TimeSource
    let pool: ChildPool
    let coverage = Coverage()
    private let start: MonotonicTime
    /// When the phases that always run completely were over, in seconds since the beginning.
    private var completeSeconds = 0.0
    let reportProgress: (String) -> Void

    /// Creates a lab.
    ///
    /// - Parameter reportProgress: called with a line of progress.
    public init(_ options: CrashLabOptions, clock: any TimeSource, reportProgress: @escaping (String) -> Void) {
        self.options = options
        self.clock = clock
        self.reportProgress = reportProgress
        pool = ChildPool(width: options.width, clock: clock, scratch: options.scratch)
        start = clock.monotonic
    }

    var elapsedSeconds: Double { Double(clock.monotonic.microseconds(since: start)) / 1_000_000 }

    /// Whether a phase may continue.
    func hasTime(for phase: CrashPhase) -> Bool { elapsedSeconds < endOfPhase(phase) }

    /// When the phase must end, in seconds since the beginning.
    func endOfPhase(_ phase: CrashPhase) -> Double {
        let budget = Double(options.budgetSeconds)
        guard options.phases.count > 1, let share = phase.share else { return budget }
        return completeSeconds + max(budget - completeSeconds, budget / 2) * share
    }

    /// The promise that the store breaks in this run.
    var injectionPoint: InjectionPoint? {
        options.injectionPoint.flatMap { InjectionPoint(named: $0, among: InjectionPoint.ofStore) }
    }

    /// The promise about files that this run breaks.
    var fileInjectionPoint: InjectionPoint? {
        options.injectionPoint.flatMap { InjectionPoint(named: $0, among: InjectionPoint.ofFiles) }
    }

    func explorer(_ coverage: Coverage) -> PoolExplorer {
        PoolExplorer(pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
    }

    /// Runs all selected phases within the budget.
    public func run() throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            let explorer = explorer(coverage)
            let sweep = FaultSweep(recorder: recorder, coverage: coverage, reportProgress: reportProgress)
            for phase in CrashPhase.allCases where options.phases.contains(phase) {
                let opened = coverage.imagesOpened + coverage.imagesOfRecoveries
                let began = elapsedSeconds
                defer {
                    report.secondsByPhase[phase] = elapsedSeconds - began
                    if phase.share == nil { completeSeconds = elapsedSeconds }
                    if [.lifecycle, .small].contains(phase) {
                        report.smallImagesOpened += coverage.imagesOpened + coverage.imagesOfRecoveries - opened
                        report.smallImagesSeconds += elapsedSeconds - began
                    }
                }
                switch phase {
                case .negativeControls: try runNegativeControls(recorder, into: &report)
                case .lifecycle: try exploreLifecycle(recorder, explorer)
                case .files: report.violations += try exploreFiles(recorder)
                case .small: report.smallWorkloadsAreComplete = try exploreSmall(recorder, explorer)
                case .long: try exploreLong(recorder, explorer)
                case .processes: report.violations += try killProcesses(recorder, into: &report)
                case .namespaces: report.violations += try raceNamespaces(into: &report)
                case .faults: report.faultsAreComplete = try sweepFaults(sweep)
                case .situations: report.violations += try runSituations(recorder)
                case .bitRot: try damagePages(into: &report)
                case .sync: report.violations += try exploreSync(recorder)
                case .commitLogKills: try exploreKills(recorder, explorer)
                case .commitLog: try exploreCommitLog(recorder, explorer)
                case .commitLogFaults: try sweepCommitLog(sweep, into: &report)
                }
            }
            report.violations += try explained(explorer.violations, limits: .long) { reproducer -> LabWorkload? in
                if case .crash(let workload, _) = reproducer { workload } else { nil }
            } record: {
                try recorder.record($0)
            }
            report.violations += sweep.violations
            if !report.violations.isEmpty { try ScratchFull.check(options.scratch) }
            report.take(coverage, seconds: elapsedSeconds)
            if options.phases == Set(CrashPhase.allCases) {
                report.unreached = RequiredCoverage.unreached(in: coverage)
                report.requiredKinds = RequiredCoverage.count
            }
            return report
        }
    }

    /// Exercises once what every child process will do. The runtime caches type look-ups, and a forked child inherits
    /// the cache; without this, each of thousands would repeat them.
    private func warmUp(_ bases: BaseImages) throws {
        for pack in LabPack.allCases {
            let folder = "\(options.scratch)/warm"
            try FolderFiles.replace(folder, with: bases[LabWorkload(of: pack)])
            try DiskLog.begin(folder: folder)
            let store = try LabStore(at: "\(folder)/\(Recording.storePath)", of: pack)
            var model = LabWorkload(of: pack).model(of: .small)
            for operation in LabOperation.all(of: pack.type) {
                guard let action = model.action(for: LabStep(operation)) else { continue }
                try store.perform(action)
                model.apply(action)
            }
            _ = try (store.lines(), store.digest(), store.problems())
            store.close()
            DiskLog.end()
            _ = try DiskLog.entries()
        }
    }

    func withScratch<Result>(_ body: (Recorder) throws -> Result) throws -> Result {
        Interruption.watch()
        try FileManager.default.createDirectory(atPath: options.scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.scratch) }
        do {
            let bases = try BaseStores.all(in: options.scratch, pool: pool)
            try warmUp(bases)
            return try body(Recorder(pool: pool, scratch: options.scratch, bases: bases))
        } catch CrashLabError.interrupted {
            throw CrashLabError.interrupted
        } catch {
            try ScratchFull.check(options.scratch)
            throw error
        }
    }
}

/// The options of a crash lab run.
public struct CrashLabOptions: Sendable {
    /// Determines all random choices.
    public var seed: UInt64
    /// The time limit in seconds.
    public var budgetSeconds: Int
    /// Whether every small workload is explored completely, regardless of the budget.
    public var isExhaustive: Bool
    /// The phases to run.
    public var phases = Set(CrashPhase.allCases)
    /// The fault injection point that is armed in this run, to see how the lab reports it.
    package var injectionPoint: String?
    /// A folder on a fast file system for the lab alone; it is created and removed.
    public var scratch: String
    /// The number of images opened in parallel.
    public var width: Int

    /// The number of processes that a full run kills at random moments.
    static let killsOfARun = 2_000

    /// Creates options for a run of three minutes.
    public init(
        seed: UInt64, budgetSeconds: Int = 180, isExhaustive: Bool = false, scratch: String, width: Int = 2
    ) {
        self.seed = seed
        self.budgetSeconds = budgetSeconds
        self.isExhaustive = isExhaustive
        self.scratch = scratch
        self.width = width
    }
}

/// A part of the lab's work, in order of execution.
public enum CrashPhase: String, CaseIterable, Sendable {
    /// Negative controls: promises broken on purpose.
    case negativeControls = "negative-controls"
    /// Creation, migration, growth, rebuild, two processes.
    case lifecycle
    /// Exports, imports and other operations on files beside a store.
    case files = "archive"
    /// Other conditions that users meet: full maps, dead readers, foreign folders.
    case situations
    /// Processes that die while others open, read and write the same store.
    case processes
    /// Processes of several PID namespaces (containers) on one store.
    case namespaces
    /// Failing disk calls.
    case faults
    /// Damaged pages.
    case bitRot = "bit-rot"
    /// Crashes of a synced store beside its hub.
    case sync
    /// Processes that are killed while they use the commit log, and others that go on.
    case commitLogKills = "commit-log-kills"
    /// Workloads through the commit log.
    case commitLog = "commit-log"
    /// Failing disk calls and races of stores with a commit log.
    case commitLogFaults = "commit-log-faults"
    /// Every short sequence of operations.
    case small
    /// Seeded sequences of hundreds of operations, for as long as there is time.
    case long

    /// The fraction at which the phase must end of the time that the first phases leave, or of half of the budget, if that is
    /// more; nil for these, which always run completely. Of the whole budget, a machine on which they take longer would leave
    /// nothing to the others.
    var share: Double? {
        switch self {
        case .negativeControls, .lifecycle, .files, .situations: nil
        case .processes: 0.13
        case .namespaces: 0.2
        case .faults: 0.35
        case .bitRot: 0.5
        case .sync: 0.6
        case .commitLogKills: 0.68
        case .commitLog: 0.72
        case .commitLogFaults: 0.8
        case .small: 0.93
        case .long: 1
        }
    }
}
