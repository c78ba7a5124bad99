import ByteStreams
import DiskRecording
import Injection
import KeyValue

extension CrashLab {
    /// Adds the log to the first violation, and inserts a violation in a shorter workload if there is one.
    func explained(_ violations: [CrashViolation], _ recorder: Recorder) throws -> [CrashViolation] {
        guard var first = violations.first, let reproducer = CrashReproducer(first.reproducer) else {
            return violations
        }
        first.details =
            reproducer.explanation(in: try recorder.record(reproducer.workload))
        let end = beginShrinking()
        let shrunk = try Shrinker { workload in
            guard self.elapsedSeconds < end else { return nil }
            let explorer = self.explorer(Coverage())
            try explorer.explore(recorder.record(workload), of: workload, limits: .long) {
                explorer.violations.isEmpty && self.elapsedSeconds < end
            }
            try self.pool.finishAll()
            return explorer.violations.first
        }.shrink(reproducer.workload)
        return [first] + (shrunk.map { [$0] } ?? []) + violations.dropFirst()
    }

    /// Returns when the search for a shorter workload must end. Without a limit, a finding that only the run as a whole shows would
    /// be searched for in every crash of every shorter workload, for most of an hour.
    func beginShrinking() -> Double {
        reportProgress("shrinking")
        return elapsedSeconds + max(Double(options.budgetSeconds) / 3, 10)
    }

    // MARK: Replay

    /// The promises that a run can break on purpose.
    package static let injectionPoints =
        (InjectionPoint.ofStore.filter { !InjectionPoint.ofCost.contains($0) } + InjectionPoint.ofFiles).map(\.rawValue)

    /// Whether a text is a reproducer.
    public static func isReproducer(_ text: String) -> Bool {
        CrashReproducer(text) != nil || FaultReproducer(text) != nil || BitRotTrial(text) != nil
            || Situation(reproducer: text) != nil || FileReproducer(text) != nil || OpeningRace.parse(text) != nil
            || NamespaceRace.parse(text) != nil
            || SyncReproducer(text) != nil
    }

    /// Repeats exactly what a reproducer describes.
    public func replay(_ text: String) throws -> CrashReport {
        try withScratch { recorder in
            var report = CrashReport(options: options)
            report.violations = try violations(of: text, recorder)
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func violations(of text: String, _ recorder: Recorder) throws -> [CrashViolation] {
        if let reproducer = CrashReproducer(text) {
            let recording = try recorder.record(reproducer.workload)
            let explorer = explorer(coverage)
            try explorer.replay(reproducer, of: recording)
            try pool.finishAll()
            return explorer.violations.map { violation in
                var violation = violation
                violation.details = reproducer.explanation(in: recording)
                return violation
            }
        }
        if let reproducer = FaultReproducer(text) {
            let sweep = FaultSweep(pool: pool, recorder: recorder, scratch: options.scratch, coverage: coverage)
            try sweep.replay(reproducer)
            return sweep.violations
        }
        if let trial = BitRotTrial(text) {
            return try BitRot.replay(
                trial, pool: pool, scratch: options.scratch, coverage: coverage, injectionPoint: injectionPoint,
                reportProgress: reportProgress)
        }
        if let situation = Situation(reproducer: text) {
            return try runSituation(situation, recorder).map { [CrashViolation(reproducer: text, problem: $0)] } ?? []
        }
        if let (race, step) = OpeningRace.parse(text) {
            let races = races(coverage, injectionPoint)
            try races.replay(race, step: step)
            return races.violations
        }
        if let (race, step) = NamespaceRace.parse(text) {
            let races = races(coverage, injectionPoint)
            try races.replay(race, step: step)
            return races.violations
        }
        if let reproducer = SyncReproducer(text) { return try replay(reproducer, recorder) }
        if let reproducer = FileReproducer(text) { return try violations(of: reproducer, recorder) }
        throw CrashLabError.invalidReproducer(text)
    }

    private func violations(of reproducer: FileReproducer, _ recorder: Recorder) throws -> [CrashViolation] {
        let explorer = FileExplorer(recorder: recorder, coverage: coverage)
        switch reproducer {
        case .crash(let operation, let injectionPoint, let point, let moment, let image):
            let recording = try explorer.record(operation, injectionPoint: injectionPoint)
            try explorer.replay(image, point: point, moment, of: recording)
            return explorer.violations
        case .fault(let operation, let fault):
            let sweep = FileFaultSweep(recorder: recorder, explorer: explorer, coverage: coverage)
            try sweep.replay(operation, fault)
            return sweep.violations
        }
    }
}

/// Shortens a workload that breaks a promise for as long as it still does.
struct Shrinker {
    /// Returns the first violation of a workload; nil if none is found with reasonable effort.
    let find: (LabWorkload) throws -> CrashViolation?

    /// Removes ever smaller ranges of steps as long as a promise stays broken. Returns nil if nothing can be removed.
    func shrink(_ workload: LabWorkload) throws -> CrashViolation? {
        var shortest = workload
        var found: CrashViolation?
        var reduction = StepReduction(workload.steps)
        while let steps = reduction.next {
            var candidate = workload
            candidate.steps = steps
            // A step may have lost its target; then the workload differs, or fails by itself.
            let violation = try? find(candidate)
            if let violation {
                shortest = candidate
                found = violation
            }
            reduction.take(violation == nil ? nil : steps)
        }
        if shortest.rebuilds {
            var candidate = shortest
            candidate.rebuilds = false
            if let violation = try? find(candidate) {
                shortest = candidate
                found = violation
            }
        }
        if shortest.imports {
            var candidate = shortest
            candidate.imports = false
            if let violation = try? find(candidate) { found = violation }
        }
        return found
    }
}
