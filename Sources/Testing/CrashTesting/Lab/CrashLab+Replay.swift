import ByteStreams
import DiskRecording
import Injection
import KeyValue

extension CrashLab {
    /// Inserts a violation of a shorter workload after the first one, if there is one.
    func explained<Workload: ShrinkableWorkload, Run: PooledRun>(
        _ violations: [CrashViolation], limits: ExplorationLimits, of workload: (Reproducer) -> Workload?,
        record: @escaping (Workload) throws -> Run
    ) throws -> [CrashViolation] {
        guard let workload = violations.first.flatMap({ Reproducer($0.reproducer) }).flatMap(workload) else {
            return violations
        }
        reportProgress("shrinking")
        // Without a limit, a finding that only the run as a whole shows would be searched for in every crash of every shorter
        // workload, for most of an hour.
        let end = elapsedSeconds + max(Double(options.budgetSeconds) / 3, 10)
        let shrunk = try Shrinker<Workload> { workload in
            guard self.elapsedSeconds < end else { return nil }
            let explorer = self.explorer(Coverage())
            try explorer.explore(record(workload), limits: limits) {
                explorer.violations.isEmpty && self.elapsedSeconds < end
            }
            try self.pool.finishAll()
            return explorer.violations.first
        }.shrink(workload)
        return violations.prefix(1) + (shrunk.map { [$0] } ?? []) + violations.dropFirst()
    }

    // MARK: Replay

    /// The promises that a run can break on purpose.
    package static let injectionPoints =
        (InjectionPoint.ofStore.filter { !InjectionPoint.ofCost.contains($0) } + InjectionPoint.ofFiles).map(\.name)

    /// Whether a text is a reproducer.
    public static func isReproducer(_ text: String) -> Bool { Reproducer(text) != nil }

    /// Repeats exactly what a reproducer describes.
    public func replay(_ text: String) throws -> CrashReport {
        try withScratch { recorder in
            guard let reproducer = Reproducer(text) else { throw CrashLabError.invalidReproducer(text) }
            var report = CrashReport(options: options)
            report.violations = try violations(of: reproducer, recorder)
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func violations(of reproducer: Reproducer, _ recorder: Recorder) throws -> [CrashViolation] {
        func replay(_ crash: RecordedCrash, of run: some PooledRun) throws -> [CrashViolation] {
            let explorer = explorer(coverage)
            try explorer.replay(crash, of: run)
            return explorer.violations
        }
        switch reproducer {
        case .crash(let workload, let crash): return try replay(crash, of: recorder.record(workload))
        case .syncCrash(let workload, let crash):
            let bases = try SyncBases(in: options.scratch, pool: pool)
            return try replay(crash, of: recorder.record(workload, from: bases, seed: options.seed))
        case .fileCrash(let operation, let injectionPoint, let crash):
            return try replay(crash, of: recorder.record(operation, injectionPoint: injectionPoint))
        case .fault(let workload, let fault):
            let sweep = FaultSweep(recorder: recorder, coverage: coverage)
            try sweep.run(sweep.trials(of: workload, "replay", [fault], areAlone: true))
            return sweep.violations
        case .fileFault(let operation, let fault):
            let sweep = FaultSweep(recorder: recorder, coverage: coverage)
            try sweep.run(sweep.trials(of: operation, [fault], areAlone: true))
            return sweep.violations
        case .damage(let trial):
            return try BitRot.replay(
                trial, pool: pool, scratch: options.scratch, coverage: coverage, injectionPoint: injectionPoint,
                reportProgress: reportProgress)
        case .situation(let situation):
            return try runSituation(situation, recorder).map {
                [CrashViolation(reproducer: reproducer.text, problem: $0)]
            } ?? []
        case .race(let race, let step):
            let races = races(coverage, injectionPoint)
            try races.replay(race, step: step)
            return races.violations
        }
    }
}

/// A workload that may break a promise with fewer of its steps.
protocol ShrinkableWorkload {
    var steps: [LabStep] { get set }
    /// What it may do after its steps.
    static var parts: [WritableKeyPath<Self, Bool>] { get }
}

extension LabWorkload: ShrinkableWorkload {
    static var parts: [WritableKeyPath<LabWorkload, Bool>] { [\.rebuilds, \.imports] }
}

extension SyncWorkload: ShrinkableWorkload {
    static var parts: [WritableKeyPath<SyncWorkload, Bool>] { [] }
}

/// Shortens a workload that breaks a promise for as long as it still does.
struct Shrinker<Workload: ShrinkableWorkload> {
    /// Returns the first violation of a workload; nil if none is found with reasonable effort.
    let find: (Workload) throws -> CrashViolation?

    /// Removes ever smaller ranges of steps as long as a promise stays broken. Returns nil if nothing can be removed.
    func shrink(_ workload: Workload) throws -> CrashViolation? {
        var shortest = workload
        var found: CrashViolation?
        func take(_ candidate: Workload) -> Bool {
            // A step may have lost its target; then the workload differs, or fails by itself.
            guard let violation = try? find(candidate) else { return false }
            (shortest, found) = (candidate, violation)
            return true
        }
        var reduction = StepReduction(workload.steps)
        while let steps = reduction.next {
            var candidate = workload
            candidate.steps = steps
            reduction.take(take(candidate) ? steps : nil)
        }
        for part in Workload.parts where shortest[keyPath: part] {
            var candidate = shortest
            candidate[keyPath: part] = false
            _ = take(candidate)
        }
        return found
    }
}
