import Injection
import LabSupport

/// Crashes of a synced store beside its hub.
extension CrashLab {
    func syncExplorer(_ coverage: Coverage, _ bases: SyncBases, _ recorder: Recorder) -> SyncExplorer {
        SyncExplorer(recorder: recorder, bases: bases, seed: options.seed, coverage: coverage)
    }

    /// Explores what happens to a synced store: each named workload and a long one, and as many short ones as there is time for.
    func exploreSync(_ recorder: Recorder) throws -> [CrashViolation] {
        let bases = try SyncBases(in: options.scratch, pool: pool)
        let explorer = syncExplorer(coverage, bases, recorder)
        func explore(_ name: String, _ workload: SyncWorkload, isLong: Bool = false, isShort: Bool = false) throws {
            reportProgress("\(name): \(workload.text)")
            coverage.count("workloads", name)
            var workload = workload
            workload.injectionPoint = injectionPoint
            let run = try explorer.record(workload)
            let end = elapsedSeconds + (options.isExhaustive ? 120 : 4)
            try explorer.explore(
                run, from: isShort ? run.first : 0, limits: isLong ? .recovery : ExplorationLimits()
            ) { !isLong || elapsedSeconds < end }
        }
        for (name, workload) in SyncWorkload.named { try explore(name, workload) }
        try explore("sync, long", SyncWorkload.long(seed: options.seed), isLong: true)
        var bits = SeededGenerator(seed: options.seed)
        let small = SyncWorkload.small(longest: 2).map { ($0, bits.next()) }
            .sorted { ($0.0.steps.count, $0.1) < ($1.0.steps.count, $1.1) }
            .map { (kind: "sync, of \($0.0.steps.count)", workload: $0.0) }
        var kinds: Set<String> = []
        for (kind, workload) in small.firstOfEach(\.kind) {
            guard kinds.insert(kind).inserted || options.isExhaustive || hasTime(for: .sync) else { break }
            try explore(kind, workload, isShort: true)
        }
        try pool.finishAll()
        return try explained(explorer.violations, bases, recorder)
    }

    /// Inserts a violation of a shorter workload after the first one, if there is one.
    private func explained(
        _ violations: [CrashViolation], _ bases: SyncBases, _ recorder: Recorder
    ) throws -> [CrashViolation] {
        guard let first = violations.first, let reproducer = SyncReproducer(first.reproducer) else { return violations }
        let end = beginShrinking()
        var reduction = StepReduction(reproducer.workload.steps)
        var shrunk: [CrashViolation] = []
        while elapsedSeconds < end, let steps = reduction.next {
            var candidate = reproducer.workload
            candidate.steps = steps
            let explorer = syncExplorer(Coverage(), bases, recorder)
            // Without one of its steps a workload may fail by itself.
            if let run = try? explorer.record(candidate) {
                try explorer.explore(run, limits: .recovery) { explorer.violations.isEmpty }
                try pool.finishAll()
            }
            if let violation = explorer.violations.first { shrunk = [violation] }
            reduction.take(explorer.violations.isEmpty ? nil : steps)
        }
        return [first] + shrunk + violations.dropFirst()
    }

    func replay(_ reproducer: SyncReproducer, _ recorder: Recorder) throws -> [CrashViolation] {
        let explorer = syncExplorer(coverage, try SyncBases(in: options.scratch, pool: pool), recorder)
        try explorer.replay(reproducer)
        return explorer.violations
    }

    func runSyncControls(_ recorder: Recorder) throws -> [NegativeControlResult] {
        let bases = try SyncBases(in: options.scratch, pool: pool)
        return try (InjectionPoint.ofSyncSteps + [.storesCursorFirst]).map { point in
            reportProgress("negative control: \(point.rawValue)")
            let coverage = Coverage()
            let explorer = syncExplorer(coverage, bases, recorder)
            try explorer.explore(explorer.record(SyncWorkload.workload(for: point))) { explorer.violations.isEmpty }
            try pool.finishAll()
            let finding = explorer.violations.first
            return NegativeControlResult(
                name: point.rawValue, trialsUntilFound: finding == nil ? nil : coverage.imagesOpened,
                finding: finding?.problem ?? "not found")
        }
    }
}
