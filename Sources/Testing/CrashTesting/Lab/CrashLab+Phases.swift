import ByteStreams
import Injection
import KeyValue

/// The phases, one function each.
extension CrashLab {
    func damagePages(into report: inout CrashReport) throws {
        tell("bit rot")
        let rot = try BitRot(
            seed: options.seed, pool: pool, scratch: options.scratch, coverage: coverage,
            sabotage: sabotage)
        report.violations += try rot.run { self.options.isExhaustive || self.hasTime(for: .bitRot) }
        report.damagesAreComplete = rot.trials >= BitRot.defaultTrials
        for (name, sample) in rot.samples.sorted(by: { $0.key < $1.key }) { tell("\(name): \(sample)") }
    }

    /// With the promise broken that this run is to break.
    private func sabotaged(_ workload: LabWorkload) -> LabWorkload {
        var workload = workload
        workload.sabotage = sabotage
        return workload
    }

    func exploreLifecycle(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        for (name, workload) in LifecycleWorkloads.all {
            tell("\(name): \(workload.text)")
            coverage.count("workloads", name)
            let workload = sabotaged(workload)
            try explorer.explore(recorder.record(workload), of: workload, limits: ExplorationLimits()) { true }
        }
        try pool.finishAll()
    }

    /// Whether all of them were explored.
    func exploreSmall(_ recorder: Recorder, _ explorer: ImageExplorer) throws -> Bool {
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

    func exploreLong(_ recorder: Recorder, _ explorer: ImageExplorer) throws {
        let workloads = LongWorkloads(seed: options.seed)
        for number in 0... {
            // One of each form at least; while these are at work, none takes the time of the others.
            guard number < LongWorkloads.forms || hasTime(for: .long) else { break }
            tell("long workload \(number)")
            let workload = sabotaged(workloads.workload(number))
            let recording = try recorder.record(workload)
            let formsLeft = Double(max(LongWorkloads.forms - number, 1))
            let end = elapsedSeconds + max(Double(options.budgetSeconds) - elapsedSeconds, 3) / formsLeft
            try explorer.explore(recording, of: workload, limits: .long) { self.elapsedSeconds < end }
            coverage.count("workloads", "long, \(LongWorkloads.formName(number))")
        }
        try pool.finishAll()
    }

    func sweepFaults(_ sweep: FaultSweep) throws -> Bool {
        tell("faults")
        return try sweep.run { self.options.isExhaustive || self.hasTime(for: .faults) }
    }

    /// What is wrong with the files that operations make beside a store, at every crash and with every call refused.
    func exploreArchive(_ recorder: Recorder) throws -> [CrashViolation] {
        let explorer = ArchiveExplorer(recorder: recorder, coverage: coverage)
        for operation in ArchiveOperation.all where operation.hasImages {
            tell(operation.name)
            coverage.count("workloads", operation.name)
            try explorer.explore(explorer.record(operation, sabotage: fileSabotage)) { true }
        }
        tell("faults of files")
        let sweep = ArchiveFaultSweep(recorder: recorder, explorer: explorer, coverage: coverage)
        try sweep.run { true }
        return explorer.violations + sweep.violations
    }

    func meetSituations(_ recorder: Recorder) throws -> [CrashViolation] {
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
    func meet(_ situation: Situation, _ recorder: Recorder) throws -> String? {
        let folder = "\(options.scratch)/situation"
        try FolderFiles.replace(folder, with: recorder.bases[.small] ?? DiskImage())
        return try pool.run { _, voice in
            DiskLog.leave()
            try situation.run(in: folder, voice: voice)
        }.failure
    }

    /// Every race at every system call, then processes killed at random moments.
    func killProcesses(_ recorder: Recorder, into report: inout CrashReport) throws -> [CrashViolation] {
        tell("opening races")
        let shouldContinue = { self.options.isExhaustive || self.hasTime(for: .processes) }
        let races = races(coverage, sabotage)
        // In another order with each seed, so that short runs come to all kinds in time.
        var bits = SeededBits(seed: options.seed)
        let order = OpeningRace.all.map { ($0, bits.next()) }.sorted { $0.1 < $1.1 }.map(\.0)
        report.racesAreComplete = try races.run(order, while: shouldContinue)
        report.races = races.runs
        report.callsRaced = races.steps
        return try races.violations + killAtRandom(CrashLabOptions.killsOfARun, into: &report, while: shouldContinue)
    }

    func races(_ coverage: Coverage, _ sabotage: InjectionPoint?) -> OpeningRaces {
        OpeningRaces(
            width: options.width, clock: clock, scratch: options.scratch, coverage: coverage, sabotage: sabotage)
    }

    /// Runs the stress alone.
    public func runStress(kills: Int) throws -> CrashReport {
        try withScratch { _ in
            var report = CrashReport(options: options)
            report.violations = try killAtRandom(kills, into: &report) { true }
            report.take(coverage, seconds: elapsedSeconds)
            return report
        }
    }

    private func killAtRandom(
        _ kills: Int, into report: inout CrashReport, while shouldContinue: () -> Bool
    ) throws -> [CrashViolation] {
        let stress = KillStress(seed: options.seed, folder: "\(options.scratch)/stress", sabotage: sabotage)
        try stress.run(kills: kills, while: shouldContinue) { result in
            tell("\(result.kills) of \(kills) kills, \(result.acknowledged) tasks acknowledged")
        }
        report.kills = stress.result
        let recipe = "--seed \(options.seed) --kills \(kills)"
        return stress.result.problems.map { CrashViolation(recipe: recipe, problem: $0) }
    }

    func runCanaries(_ recorder: Recorder, into report: inout CrashReport) throws {
        for sabotage in InjectionPoint.harmful where sabotage != .ignoresChecksums {
            tell("canary: \(sabotage.rawValue)")
            let workload = CanaryWorkloads.workload(for: sabotage)
            let coverage = Coverage()
            let explorer = explorer(coverage)
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
        tell("canary: \(InjectionPoint.ignoresChecksums.rawValue)")
        let blind = try BitRot(
            seed: options.seed, pool: pool, scratch: options.scratch, coverage: Coverage(), sabotage: .ignoresChecksums)
        report.canaries.append(try blind.runOnValues(trials: 100))
        for sabotage in InjectionPoint.ofFiles { report.canaries.append(try runCanary(sabotage, recorder)) }
        for sabotage in InjectionPoint.ofProcesses { report.canaries.append(try runCanary(sabotage)) }
    }

    private func runCanary(_ sabotage: InjectionPoint) throws -> CanaryResult {
        tell("canary: \(sabotage.rawValue)")
        let races = races(Coverage(), sabotage)
        try races.run(OpeningRace.showing(sabotage), stopsWhenBroken: true) { races.violations.isEmpty }
        let finding = races.violations.first
        return CanaryResult(
            name: sabotage.rawValue, trialsUntilFound: finding == nil ? nil : races.runs,
            finding: finding?.problem ?? "not found")
    }

    private func runCanary(_ sabotage: InjectionPoint, _ recorder: Recorder) throws -> CanaryResult {
        tell("canary: \(sabotage.rawValue)")
        let coverage = Coverage()
        let explorer = ArchiveExplorer(recorder: recorder, coverage: coverage)
        for operation in ArchiveOperation.all where explorer.violations.isEmpty {
            guard case .file = operation.promise else { continue }
            try explorer.explore(explorer.record(operation, sabotage: sabotage), limits: .recovery) {
                explorer.violations.isEmpty
            }
        }
        let finding = explorer.violations.first
        return CanaryResult(
            name: sabotage.rawValue, trialsUntilFound: finding == nil ? nil : coverage.imagesBuilt,
            finding: finding?.problem ?? "not found")
    }
}
