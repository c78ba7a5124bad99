import CivilTime
import Daybook
import DiskRecording
import DomainPacks
import KeyValue

/// Finds what a crash can do to the records of a domain of yours: it tries every short sequence of the domain's operations
/// and seeded long ones, crashes each at every system call, and checks every disk state that the crash could leave.
///
/// ```swift
/// let report = try await DomainCrashTest(of: GreenhousePack.self).run()
/// #expect(report.violations == [])
/// ```
///
/// The domain is declared as a ``DomainPack``. Beside its operations, the sequences undo, redo, compact the store, and
/// perform two operations in one commit. Every image must open without help and show what the domain's model has: everything
/// that had returned, and of the operation that was running all or nothing. The domain's invariants must hold, `verify` must
/// find nothing, no registered consumer may have missed a change, a second opening must not write, and more operations must
/// work.
///
/// A violation has a reproducer to assign to ``replaying``. If its sequence is long, a shorter one that fails follows it.
///
/// A process can record one folder at a time, so put suites that run crash tests under one `.serialized` suite. The images
/// are opened in this process. Linux only.
public struct DomainCrashTest: Sendable {
    /// Determines the long sequences, the sampled images and the lock files.
    public var seed: UInt64 = 1
    /// Every sequence of up to this many operations is tried.
    public var shortLength = 2
    /// The number of long sequences.
    public var longCount = 1
    /// The number of operations in a long sequence.
    public var longLength = 40
    /// Whether sequences also undo, redo, and perform two operations in one commit. A domain that does not offer undo does not
    /// need to keep its promises: each operation one transaction.
    public var includesUndo = true
    /// Up to this many pending writes, every subset is tried; beyond it, a sample.
    public var subsetLimit = 6
    /// Checks only the image that this reproducer of an earlier report describes.
    public var replaying: String?

    private let pack: any DomainPack.Type
    private let open: @Sendable (String, Context) throws -> DaybookStore

    /// Creates a crash test.
    ///
    /// - Parameters:
    ///   - pack: the domain.
    ///   - open: opens the store in a folder with a clock and random source that make runs reproducible; by default with the
    ///     domain's collections.
    public init(
        of pack: any DomainPack.Type, opening open: (@Sendable (String, Context) throws -> DaybookStore)? = nil
    ) {
        self.pack = pack
        self.open =
            open ?? { path, context in
                try DaybookStore.open(
                    at: path, context: context, records: pack.records, options: StoreOptions(retries: .none))
            }
    }

    /// Runs the sequences and checks every crash image. Stops after ten violations.
    ///
    /// - Throws: an error if a sequence fails or departs from the model without any crash, if `replaying` is no reproducer,
    ///   or if the recorder cannot work, such as during another recording in this process.
    public func run(isolation: isolated (any Actor)? = #isolation) async throws -> CrashTestReport {
        let scratch = try ScratchFolder()
        let runner = try SequenceRunner(
            pack: pack, includesUndo: includesUndo, open: open, folder: "\(scratch.path)/recorded")
        let base = try await runner.base()
        let image = "\(scratch.path)/image"
        let explorer = LocalExplorer(seed: seed, folder: image)
        if let replaying {
            try await replay(replaying, runner, from: base, explorer)
            return CrashTestReport(explorer)
        }
        let limits = ExplorationLimits(subsetLimit: subsetLimit, samples: 4 * subsetLimit, tears: 2 * subsetLimit)
        var failed: [LabStep]?
        func explore(_ steps: [LabStep], after first: Int) async throws {
            guard !explorer.isFull else { return }
            let run = try await runner.record(steps, seed: seed, from: base)
            try await explorer.explore(run, after: first, limits: limits) {
                try await runner.state(in: image, of: run, steps)
            }
            if failed == nil, !explorer.violations.isEmpty { failed = steps }
        }
        try await explore([], after: 0)
        // Crash points before the last operation are those of a shorter sequence.
        for steps in ShortSequences(of: pack, from: runner.start, longest: shortLength, includesUndo: includesUndo) {
            try await explore(steps, after: steps.count)
        }
        for number in 0..<longCount {
            let draws = SeededRandomSource(seed: seed &+ UInt64(number))
            let steps = LongWorkloads.steps(
                of: pack, longLength, draws, includesUndo: includesUndo, compacts: true)
            try await explore(runner.possible(steps), after: 0)
        }
        var report = CrashTestReport(explorer)
        if let failed, let shorter = try await shrink(failed, runner, base, explorer.folder, limits) {
            report.violations.insert(shorter, at: 1)
        }
        return report
    }

    private func replay(
        _ text: String, _ runner: SequenceRunner, from base: DiskImage, _ explorer: LocalExplorer,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard let steps = LabStep.steps(parts[0], of: pack), let crash = RecordedCrash(parts[1...]), crash.lock != nil
        else { throw CrashLabError.invalidReproducer(text) }
        let run = try await runner.record(steps, seed: seed, from: base)
        let folder = explorer.folder
        try await explorer.replay(crash, of: run) { try await runner.state(in: folder, of: run, steps) }
    }

    /// Returns the first violation of a shorter sequence; nil if nothing can be left out.
    private func shrink(
        _ steps: [LabStep], _ runner: SequenceRunner, _ base: DiskImage, _ folder: String, _ limits: ExplorationLimits,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> CrashViolation? {
        var reduction = StepReduction(steps)
        var found: CrashViolation?
        while let candidate = reduction.next {
            let explorer = LocalExplorer(seed: seed, folder: folder, violationLimit: 1)
            let possible = runner.possible(candidate)
            // A step may have lost its target; then the sequence may fail by itself.
            if let run = try? await runner.record(possible, seed: seed, from: base) {
                try await explorer.explore(run, limits: limits) {
                    try await runner.state(in: folder, of: run, possible)
                }
            }
            reduction.take(explorer.violations.isEmpty ? nil : possible)
            if let violation = explorer.violations.first { found = violation }
        }
        return found
    }
}

/// Removes ever smaller ranges of steps for as long as what remains still fails.
struct StepReduction {
    private(set) var shortest: [LabStep]
    private var length: Int
    private var start = 0

    init(_ steps: [LabStep]) {
        shortest = steps
        length = max(steps.count / 2, 1)
    }

    /// The steps to try; nil at the end.
    var next: [LabStep]? {
        guard length >= 1, start < shortest.count else { return nil }
        var candidate = shortest
        candidate.removeSubrange(start..<min(start + length, shortest.count))
        return candidate
    }

    /// Takes the steps that failed in place of `next`; nil if they did not fail.
    mutating func take(_ failing: [LabStep]?) {
        if let failing { shortest = failing } else { start += length }
        while start >= shortest.count, length >= 1 {
            length /= 2
            start = 0
            if shortest.isEmpty { length = 0 }
        }
    }
}
