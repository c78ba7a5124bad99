import ByteStreams
import CivilTime
import FoundationEssentials
import Injection
import KeyValue

/// Builds the disk images that crashes could leave, opens each, and looks whether Daybook keeps its promises; makes the
/// disk fail at every call; damages pages; and breaks each promise on purpose to see that it would have noticed.
///
/// It forks. Use it in a process that has no other threads at work.
public final class CrashLab {
    let options: CrashLabOptions
    let clock: any TimeSource
    let pool: ChildPool
    let coverage = Coverage()
    private let start: MonotonicTime
    let tell: (String) -> Void

    /// A lab; `tell` hears how far it has come, a line at a time.
    public init(_ options: CrashLabOptions, clock: any TimeSource, tell: @escaping (String) -> Void) {
        self.options = options
        self.clock = clock
        self.tell = tell
        pool = ChildPool(width: options.width, clock: clock)
        start = clock.monotonic
    }

    var elapsedSeconds: Double { Double(clock.monotonic.microseconds(since: start)) / 1_000_000 }

    /// Whether a phase may go on.
    func hasTime(for phase: CrashPhase) -> Bool {
        elapsedSeconds < Double(options.budgetSeconds) * (options.phases.count == 1 ? 1 : phase.shareOfBudget)
    }

    /// The promise that Daybook is to break in this run.
    var sabotage: InjectionPoint? {
        options.sabotage.flatMap { InjectionPoint(named: $0, among: InjectionPoint.ofStore) }
    }

    /// The same of the files beside the store.
    var fileSabotage: InjectionPoint? {
        options.sabotage.flatMap { InjectionPoint(named: $0, among: InjectionPoint.ofFiles) }
    }

    func explorer(_ coverage: Coverage) -> ImageExplorer {
        ImageExplorer(pool: pool, scratch: options.scratch, seed: options.seed, coverage: coverage)
    }

    /// Runs everything within the budget, and returns what was found.
    public func run() throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            let explorer = explorer(coverage)
            let sweep = FaultSweep(pool: pool, recorder: recorder, scratch: options.scratch, coverage: coverage)
            for phase in CrashPhase.allCases where options.phases.contains(phase) {
                let opened = coverage.imagesOpened + coverage.imagesOfRecoveries
                let began = elapsedSeconds
                defer {
                    if [.lifecycle, .small].contains(phase) {
                        report.smallImagesOpened += coverage.imagesOpened + coverage.imagesOfRecoveries - opened
                        report.smallImagesSeconds += elapsedSeconds - began
                    }
                }
                switch phase {
                case .canaries: try runCanaries(recorder, into: &report)
                case .lifecycle: try exploreLifecycle(recorder, explorer)
                case .archive: report.violations += try exploreArchive(recorder)
                case .small: report.smallWorkloadsAreComplete = try exploreSmall(recorder, explorer)
                case .long: try exploreLong(recorder, explorer)
                case .processes: report.violations += try killProcesses(recorder, into: &report)
                case .faults: report.faultsAreComplete = try sweepFaults(sweep)
                case .situations: report.violations += try meetSituations(recorder)
                case .bitRot: try damagePages(into: &report)
                }
            }
            report.violations += try explained(explorer.violations, recorder) + sweep.violations
            report.take(coverage, seconds: elapsedSeconds)
            if options.phases == Set(CrashPhase.allCases) {
                report.unreached = RequiredCoverage.unreached(in: coverage)
                report.requiredKinds = RequiredCoverage.count
            }
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

    func withScratch<Result>(_ body: (Recorder) throws -> Result) throws -> Result {
        Interruption.watch()
        try FileManager.default.createDirectory(atPath: options.scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: options.scratch) }
        let bases = try BaseStores.all(in: options.scratch, pool: pool)
        try warmUp(bases)
        return try body(Recorder(pool: pool, scratch: options.scratch, bases: bases))
    }
}
