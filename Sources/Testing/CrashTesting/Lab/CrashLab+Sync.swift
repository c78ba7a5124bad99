import Injection
import LabSupport

/// Crashes of a synced store beside its hub.
extension CrashLab {
    /// Explores what happens to a synced store: each named workload and a long one, and as many short ones as there is time for.
    func exploreSync(_ recorder: Recorder) throws -> [CrashViolation] {
        let bases = try SyncBases(in: options.scratch, pool: pool)
        let explorer = explorer(coverage)
        func explore(_ name: String, _ workload: SyncWorkload, isLong: Bool = false, isShort: Bool = false) throws {
            reportProgress("\(name): \(workload.text)")
            coverage.count("workloads", name)
            var workload = workload
            workload.injectionPoint = injectionPoint
            let run = try recorder.record(workload, from: bases, seed: options.seed)
            for event in run.events { coverage.count("sync", event) }
            let end = elapsedSeconds + (options.isExhaustive ? 120 : 4)
            try explorer.explore(
                run, after: isShort ? run.first : 0, limits: isLong ? .recovery : ExplorationLimits()
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
        return try explained(explorer.violations, limits: .recovery) { reproducer -> SyncWorkload? in
            if case .syncCrash(let workload, _) = reproducer { workload } else { nil }
        } record: {
            try recorder.record($0, from: bases, seed: self.options.seed)
        }
    }

    func runSyncControls(_ recorder: Recorder) throws -> [NegativeControlResult] {
        let bases = try SyncBases(in: options.scratch, pool: pool)
        return try (InjectionPoint.ofSyncSteps + [.storesCursorFirst]).map { point in
            reportProgress("negative control: \(point.name)")
            let coverage = Coverage()
            let explorer = explorer(coverage)
            let run = try recorder.record(SyncWorkload.workload(for: point), from: bases, seed: options.seed)
            try explorer.explore(run) { explorer.violations.isEmpty }
            try pool.finishAll()
            return NegativeControlResult(point, explorer.violations.first, trials: coverage.imagesOpened)
        }
    }
}
