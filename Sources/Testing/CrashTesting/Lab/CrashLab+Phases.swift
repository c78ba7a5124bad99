import ByteStreams
import DiskRecording
import Injection
import KeyValue
import LabSupport

/// One function for each phase.
extension CrashLab {
    func damagePages(into report: inout CrashReport) throws {
        func damage(_ pack: LabPack, trials: Int) throws -> BitRot {
            reportProgress("bit rot, \(pack.rawValue)")
            let rot = try BitRot(
                seed: options.seed, of: pack, pool: pool, scratch: options.scratch, coverage: coverage,
                injectionPoint: injectionPoint)
            report.violations += try rot.run(trials: trials) {
                self.options.isExhaustive || self.hasTime(for: .bitRot)
            }
            for (name, sample) in rot.samples.sorted(by: { $0.key < $1.key }) { reportProgress("\(name): \(sample)") }
            return rot
        }
        let others = LabPack.allCases.filter { $0 != .tasks }
        for pack in others {
            _ = try damage(pack, trials: options.isExhaustive ? BitRot.defaultTrials / 4 : BitRot.trialsPerChild)
        }
        report.damagesAreComplete = try damage(.tasks, trials: BitRot.defaultTrials).trials >= BitRot.defaultTrials
    }

    /// The workload with this run's injected fault.
    func withInjectedFault(_ workload: LabWorkload) -> LabWorkload {
        var workload = workload
        workload.injectionPoint = injectionPoint
        return workload
    }

    func exploreLifecycle(_ recorder: Recorder, _ explorer: PoolExplorer) throws {
        for (name, workload) in LifecycleWorkloads.all {
            reportProgress("\(name): \(workload.text)")
            coverage.count("workloads", name)
            let workload = withInjectedFault(workload)
            try explorer.explore(recorder.record(workload))
        }
        try pool.finishAll()
    }

    /// Returns whether all of them were explored. However little time there is, the first of each kind is.
    func exploreSmall(_ recorder: Recorder, _ explorer: PoolExplorer) throws -> Bool {
        defer { reportProgress("") }
        var kinds: Set<String> = []
        for (kind, workload) in SmallWorkloads.inOrder(seed: options.seed, isExhaustive: options.isExhaustive) {
            guard kinds.insert(kind).inserted || options.isExhaustive || hasTime(for: .small) else {
                try pool.finishAll()
                return false
            }
            reportProgress(workload.text)
            coverage.count("workloads", kind)
            let workload = withInjectedFault(workload)
            try explorer.explore(recorder.record(workload), after: workload.steps.count)
        }
        try pool.finishAll()
        return true
    }

    func exploreLong(_ recorder: Recorder, _ explorer: PoolExplorer) throws {
        let workloads = LongWorkloads(seed: options.seed)
        for number in 0... {
            // At least one of each form; each gets an equal share of the remaining time.
            guard number < LongWorkloads.forms || hasTime(for: .long) else { break }
            reportProgress("long workload \(number)")
            let workload = withInjectedFault(workloads.workload(number))
            let run = try recorder.record(workload)
            let formsLeft = Double(max(LongWorkloads.forms - number, 1))
            let end = elapsedSeconds + max(endOfPhase(.long) - elapsedSeconds, 3) / formsLeft
            try explorer.explore(run, limits: .long) { self.elapsedSeconds < end }
            coverage.count("workloads", "long, \(LongWorkloads.formName(number))")
        }
        try pool.finishAll()
    }

    func sweepFaults(_ sweep: FaultSweep) throws -> Bool {
        try sweep.run { self.options.isExhaustive || self.hasTime(for: .faults) }
    }

    /// Explores crashes and failing calls of operations on files beside a store.
    func exploreFiles(_ recorder: Recorder) throws -> [CrashViolation] {
        let explorer = explorer(coverage)
        for operation in FileOperation.all where operation.hasImages {
            reportProgress(operation.name)
            coverage.count("workloads", operation.name)
            let run = try recorder.record(operation, injectionPoint: fileInjectionPoint)
            try explorer.explore(run, after: 1, limits: operation.promise.limits)
            try pool.finishAll()
        }
        let sweep = FaultSweep(recorder: recorder, coverage: coverage, reportProgress: reportProgress)
        try sweep.run(FileOperation.all.flatMap { try sweep.trials(of: $0, DiskFault.fileKinds) })
        return explorer.violations + sweep.violations
    }

    func runSituations(_ recorder: Recorder) throws -> [CrashViolation] {
        var violations: [CrashViolation] = []
        for situation in Situation.allCases {
            reportProgress(situation.rawValue)
            if let problem = try runSituation(situation, recorder) {
                violations.append(CrashViolation(reproducer: Reproducer.situation(situation).text, problem: problem))
            }
            coverage.count("situations", situation.rawValue)
        }
        return violations
    }

    /// Returns what is wrong; nil if nothing is.
    func runSituation(_ situation: Situation, _ recorder: Recorder) throws -> String? {
        let folder = "\(options.scratch)/situation"
        try FolderFiles.replace(folder, with: recorder.bases.small)
        return try pool.run { _, reporter in
            DiskLog.detach()
            try situation.run(in: folder, reporter: reporter)
        }.failure
    }

    /// Runs every race at every system call, then kills processes at random moments.
    func killProcesses(_ recorder: Recorder, into report: inout CrashReport) throws -> [CrashViolation] {
        reportProgress("opening races")
        let shouldContinue = { self.options.isExhaustive || self.hasTime(for: .processes) }
        let races = races(coverage, injectionPoint)
        report.racesAreComplete = try races.run(OpeningRace.all, seed: options.seed, while: shouldContinue)
        report.races = races.runs
        report.callsRaced = races.steps
        return try races.violations + killAtRandom(CrashLabOptions.killsOfARun, into: &report, while: shouldContinue)
    }

    /// Runs the races of several namespaces at every system call, where the system permits namespaces.
    func raceNamespaces(into report: inout CrashReport) throws -> [CrashViolation] {
        reportProgress("two namespaces")
        report.permitsNamespaces = NamespaceRace.arePermitted()
        guard report.permitsNamespaces == true else { return [] }
        let races = races(coverage, injectionPoint)
        let shouldContinue = { self.options.isExhaustive || self.hasTime(for: .namespaces) }
        try races.run(NamespaceRace.all, seed: options.seed, while: shouldContinue)
        report.namespaceRaces = races.runs
        return races.violations
    }

    func races(_ coverage: Coverage, _ injectionPoint: InjectionPoint?, isLogged: Bool = false) -> OpeningRaces {
        OpeningRaces(
            width: options.width, clock: clock, scratch: options.scratch, coverage: coverage,
            injectionPoint: injectionPoint, isLogged: isLogged)
    }

    /// Runs only the stress test with killed processes.
    public func runStress(kills: Int) throws -> CrashReport {
        try withScratch { _ in
            var report = CrashReport(options: options)
            report.violations = try killAtRandom(kills, into: &report) { true }
            if !report.violations.isEmpty { try ScratchFull.check(options.scratch) }
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func killAtRandom(
        _ kills: Int, into report: inout CrashReport, while shouldContinue: () -> Bool
    ) throws -> [CrashViolation] {
        let stress = KillStress(seed: options.seed, folder: "\(options.scratch)/stress", injectionPoint: injectionPoint)
        try stress.run(kills: kills, while: shouldContinue) { result in
            reportProgress("\(result.kills) of \(kills) kills, \(result.acknowledged) tasks acknowledged")
        }
        report.kills = stress.result
        let reproducer = "--seed \(options.seed) --kills \(kills)"
        return stress.result.problems.map { CrashViolation(reproducer: reproducer, problem: $0) }
    }

    func runNegativeControls(_ recorder: Recorder, into report: inout CrashReport) throws {
        for injectionPoint in NegativeControlWorkloads.points {
            reportProgress("negative control: \(injectionPoint.name)")
            let workload = NegativeControlWorkloads.workload(for: injectionPoint)
            let coverage = Coverage()
            let explorer = explorer(coverage)
            // Of a long one only the last step can show it.
            let first = workload.steps.count > 10 ? workload.steps.count : 0
            try explorer.explore(recorder.record(workload), after: first) { explorer.violations.isEmpty }
            try pool.finishAll()
            report.negativeControls.append(
                NegativeControlResult(injectionPoint, explorer.violations.first, trials: coverage.imagesOpened))
        }
        for injectionPoint in [.ignoresChecksums] + InjectionPoint.ofSalvage {
            reportProgress("negative control: \(injectionPoint.name)")
            let blind = try BitRot(
                seed: options.seed, pool: pool, scratch: options.scratch, coverage: Coverage(),
                injectionPoint: injectionPoint)
            report.negativeControls.append(
                try blind.runControl(trials: 100, onPages: injectionPoint == .salvagesAnyVersion))
        }
        for injectionPoint in InjectionPoint.ofFiles {
            report.negativeControls.append(try runNegativeControl(injectionPoint, recorder))
        }
        report.negativeControls += try runSyncControls(recorder)
        report.negativeControls += try runCommitLogControls(recorder)
        for injectionPoint in InjectionPoint.ofProcesses {
            report.negativeControls.append(try runNegativeControl(injectionPoint, OpeningRace.showing(injectionPoint)))
        }
        for injectionPoint in InjectionPoint.ofNamespaces where NamespaceRace.arePermitted() {
            report.negativeControls.append(try runNegativeControl(injectionPoint, NamespaceRace.all))
        }
    }

    private func runNegativeControl(
        _ injectionPoint: InjectionPoint, _ showing: [some SteppedRace]
    ) throws -> NegativeControlResult {
        reportProgress("negative control: \(injectionPoint.name)")
        let races = races(Coverage(), injectionPoint)
        try races.runControl(showing)
        return NegativeControlResult(injectionPoint, races.violations.first, trials: races.runs)
    }

    private func runNegativeControl(_ injectionPoint: InjectionPoint, _ recorder: Recorder) throws
        -> NegativeControlResult
    {
        reportProgress("negative control: \(injectionPoint.name)")
        let coverage = Coverage()
        let explorer = explorer(coverage)
        for operation in FileOperation.all where explorer.violations.isEmpty {
            guard case .file = operation.promise else { continue }
            let run = try recorder.record(operation, injectionPoint: injectionPoint)
            try explorer.explore(run, after: 1, limits: .recovery) { explorer.violations.isEmpty }
        }
        return NegativeControlResult(injectionPoint, explorer.violations.first, trials: coverage.imagesBuilt)
    }
}
