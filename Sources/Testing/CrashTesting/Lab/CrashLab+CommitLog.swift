import Injection
import LabSupport

/// The crashes, failing calls and races of stores that commit through the commit log.
extension CrashLab {
    /// Stops and kills processes at each of their writes and flushes; without an exhaustive run, in an order that the seed draws.
    func exploreKills(_ recorder: Recorder, _ explorer: PoolExplorer) throws {
        if options.isExhaustive {
            for kill in CommitLogKill.all { try exploreKill(kill, recorder, explorer, injectionPoint) { true } }
        } else {
            var bits = SeededGenerator(seed: options.seed)
            let drawn = CommitLogKill.all.flatMap { kill in (1...CommitLogKill.mostCalls).map { (kill, $0) } }
                .shuffled(using: &bits)
            // However little time there is, one process is killed.
            var count = 0
            for (kill, call) in drawn where count == 0 || hasTime(for: .commitLogKills) {
                if try explore(kill, atCall: call, recorder, explorer, injectionPoint, while: { true }) { count += 1 }
            }
        }
        try pool.finishAll()
    }

    /// Explores workloads through the log.
    func exploreCommitLog(_ recorder: Recorder, _ explorer: PoolExplorer) throws {
        let whole = (LifecycleWorkloads.upgrades + LifecycleWorkloads.all).firstOfEach(\.0).map {
            (name: $0, workload: $1, first: 0)
        }
        // With three operations each turn of the log is there. What they do to records makes little difference to it. So an exhaustive
        // run tries those of three operations of tasks, beside all sequences of two of tasks and each operation of other domains:
        // sequences of two of every domain take two hours, all of three take days.
        let small = SmallWorkloads.inOrder(seed: options.seed, isExhaustive: false).filter { _, workload in
            guard options.isExhaustive else { return workload.steps.count < 3 }
            return workload.steps.count < (workload.pack == .tasks ? 3 : 2)
                || workload.steps.allSatisfy { Self.ofThreeSteps.contains($0.operation) }
        }.map { (name: $0, workload: $1, first: $1.steps.count) }
        for (name, workload, first) in whole + small {
            let kind = "commit log: \(name)"
            guard Self.requiredKinds.contains(kind) || options.isExhaustive || hasTime(for: .commitLog) else {
                continue
            }
            let workload = withInjectedFault(workload).logged
            reportProgress("\(kind): \(workload.text)")
            coverage.count("workloads", kind)
            try explorer.explore(recorder.record(workload), after: first, limits: .ofCommitLog)
        }
        try pool.finishAll()
    }

    /// Makes every call of the protocol fail, and lets several processes open a store that has a log.
    func sweepCommitLog(_ sweep: FaultSweep, into report: inout CrashReport) throws {
        let (begin, end) = (elapsedSeconds, endOfPhase(.commitLogFaults))
        reportProgress("commit log: faults")
        // Each has its time, since the first alone could use up all of it.
        _ = try sweep.run(isLogged: true) {
            self.options.isExhaustive || self.elapsedSeconds < begin + (end - begin) / 2
        }
        reportProgress("commit log: races")
        let races = races(coverage, injectionPoint, isLogged: true)
        try races.run(OpeningRace.logged, seed: options.seed) {
            self.options.isExhaustive || self.hasTime(for: .commitLogFaults)
        }
        report.violations += races.violations
    }

    /// The operations whose sequences of three an exhaustive run tries.
    private static let ofThreeSteps: [LabOperation] = [.create, .complete, .delete]

    /// What every run has tried, however little time there is.
    static let requiredKinds = ["growth", "rebuild", "two processes", "upgrade"].map { "commit log: \($0)" }

    /// Kills a process before each of its writes and flushes.
    private func exploreKill(
        _ kill: CommitLogKill, fromCall first: Int = 1, _ recorder: Recorder, _ explorer: PoolExplorer,
        _ injectionPoint: InjectionPoint?, while mayContinue: () -> Bool
    ) throws {
        for call in first... {
            guard mayContinue(), try explore(kill, atCall: call, recorder, explorer, injectionPoint, while: mayContinue)
            else { return }
        }
    }

    /// Kills a process before one of its writes and flushes, lets another one go on, and then cuts the power at every call. Returns
    /// whether it makes so many calls.
    @discardableResult
    private func explore(
        _ kill: CommitLogKill, atCall call: Int, _ recorder: Recorder, _ explorer: PoolExplorer,
        _ injectionPoint: InjectionPoint?, while mayContinue: () -> Bool
    ) throws -> Bool {
        var workload = kill.workload(killedAt: call)
        workload.injectionPoint = injectionPoint
        reportProgress("\(kill.name): \(workload.text)")
        let run = try recorder.record(workload)
        guard run.recording.hasKilled else { return false }
        coverage.count("kills in logged mode", kill.name)
        try explorer.explore(run, after: kill.victim + 1, limits: .ofCommitLog, while: mayContinue)
        return true
    }

    /// Breaks each rule of the protocol on purpose; the lab has to find it.
    func runCommitLogControls(_ recorder: Recorder) throws -> [NegativeControlResult] {
        try InjectionPoint.ofCommitLog.map { point in
            reportProgress("negative control: \(point.name)")
            let coverage = Coverage()
            let explorer = explorer(coverage)
            if let workload = Self.controls[point] {
                var workload = workload.logged
                workload.injectionPoint = point
                try explorer.explore(recorder.record(workload), limits: .ofCommitLogControls) {
                    explorer.violations.isEmpty
                }
                try pool.finishAll()
            } else if point == .trustsUnconfirmedSlots {
                // Before the first flush of its slot.
                try exploreKill(.beforeOneWithoutLog, fromCall: 3, recorder, explorer, point) {
                    explorer.violations.isEmpty
                }
                try pool.finishAll()
            }
            var finding = explorer.violations.first
            if finding == nil {
                let sweep = FaultSweep(recorder: recorder, coverage: coverage)
                try sweep.runControl(of: point)
                finding = sweep.violations.first
            }
            let faults = coverage.counts["faults by operation"]?.values.reduce(0, +) ?? 0
            return NegativeControlResult(point, finding, trials: coverage.imagesOpened + faults)
        }
    }

    /// The workloads that show a broken rule in images of one crash; other rules need a process that was killed before.
    private static let controls: [InjectionPoint: LabWorkload] = {
        let short = LabWorkload(steps: [LabStep(.create), LabStep(.complete), LabStep(.create)])
        let long = LabWorkload(steps: (0..<7).map { LabStep(.create, draw: $0) })
        let shared = LabWorkload(
            steps: [LabStep(.create), LabStep(.complete, runsInPeer: true), LabStep(.create), LabStep(.create)])
        return [
            .skipsLogFlush: short, .turnsWithoutFlush: short, .opensWithoutRecovery: short, .keepsLaterMetaPages: short,
            .logsWithoutPin: long, .believesEveryRecord: short,
            .linksLogUnflushed: LabWorkload(base: .announced, steps: short.steps), .asksOwnerOnly: shared,
            .rewritesSlotsInPlace: short,
        ]
    }()
}

/// Steps of two processes of which one is killed: before the turn of one, in it, and while it has the store for itself.
struct CommitLogKill {
    let name: String
    let steps: [LabStep]
    /// The index of the step whose process is killed.
    let victim: Int

    private let entersInPeersOnly: Bool

    private init(_ name: String, victim: Int, _ steps: LabStep..., entersInPeersOnly: Bool = false) {
        self.entersInPeersOnly = entersInPeersOnly
        self.name = "killed: \(name)"
        self.victim = victim
        self.steps = steps
    }

    /// The one that goes on does not enter logged mode itself, so that it flushes no slot.
    static let beforeOneWithoutLog = CommitLogKill(
        "before one without a log", victim: 1, LabStep(.create, inLastPeer: true), LabStep(.complete), LabStep(.create),
        entersInPeersOnly: true)

    /// No process that is killed makes more writes and flushes in its step.
    static let mostCalls = 12

    static let all = [
        beforeOneWithoutLog,
        CommitLogKill(
            "the owner", victim: 2, LabStep(.create, runsInPeer: true), LabStep(.create, runsInPeer: true),
            LabStep(.complete), LabStep(.create)),
        CommitLogKill("the next owner", victim: 1, LabStep(.create), LabStep(.complete), LabStep(.create)),
        CommitLogKill(
            "the next owner, twice", victim: 2, LabStep(.create), LabStep(.complete, killedAt: 9), LabStep(.complete),
            LabStep(.create)),
        CommitLogKill("the first one", victim: 0, LabStep(.create), LabStep(.complete), LabStep(.delete)),
        CommitLogKill(
            "between two others", victim: 1, LabStep(.create), LabStep(.complete), LabStep(.create, inLastPeer: true),
            LabStep(.delete)),
        CommitLogKill(
            "after a checkpoint", victim: 3, LabStep(.create), LabStep(.complete), LabStep(.create), LabStep(.complete),
            LabStep(.create), LabStep(.delete)),
    ]

    func workload(killedAt call: Int) -> LabWorkload {
        var steps = steps
        steps[victim] = LabStep(steps[victim].operation, killedAt: call)
        var workload = LabWorkload(steps: steps).logged
        workload.entersInPeersOnly = entersInPeersOnly
        return workload
    }
}

extension ExplorationLimits {
    /// For stores in logged mode: every commit since the checkpoint is pending, a dozen pages each.
    static let ofCommitLog = ExplorationLimits(
        subsetLimit: 4, samples: 8, tears: 8, interruptions: 3, interruptedShare: 128)
    /// For what only a crash of a recovery shows.
    static let ofCommitLogControls = ExplorationLimits(subsetLimit: 6, samples: 16, tears: 16)
}
