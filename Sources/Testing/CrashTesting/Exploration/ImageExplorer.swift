import DiskRecording
import LabSupport

/// Builds the crash images of recorded runs, has each distinct one opened, and collects the broken promises.
class ImageExplorer {
    let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    private let seed: UInt64
    /// Whether images equal to a broken one are reported as well, and every violation has its log; otherwise, the first has.
    private let reportsAll: Bool
    /// The states that opened images have shown, by key.
    private var found: [UInt64: UInt64] = [:]
    /// The broken promises that images have shown, by key.
    private var broken: [UInt64: String] = [:]
    /// Images that await the result of an equal one.
    private var waiting: [UInt64: [ImageTrial]] = [:]
    private var different: Set<UInt64> = []
    /// The number of interrupted recoveries when the current run began.
    private var recoveriesBefore = 0

    /// One in this many images that differ only in bytes LMDB cannot reach is opened anyway, to test that they are
    /// equal.
    private static let repeatedSample = 256

    init(seed: UInt64, coverage: Coverage = Coverage(), reportsAll: Bool = false) {
        self.seed = seed
        self.coverage = coverage
        self.reportsAll = reportsAll
    }

    /// Returns the crash of a run that leaves an outcome, with the lock file drawn.
    fileprivate func crash(leaving outcome: CrashOutcome, at point: CrashPoint, of run: some ExploredRun)
        -> RecordedCrash
    {
        var crash = RecordedCrash(point: point.index, moment: point.moment, outcome: outcome)
        guard run.drawsLockFile else { return crash }
        var draws = draws(for: 1)
        // When only the process dies, everything it wrote remains.
        crash.lock = point.isLast ? LockFile.allCases[draws.number(below: LockFile.allCases.count)] : .stale
        return crash
    }

    /// Returns the point of a crash in a run.
    fileprivate func point(of crash: RecordedCrash, in run: some ExploredRun) throws -> CrashPoint {
        let recording = run.recording
        guard let point = CrashPoint(at: crash.point, crash.moment, of: recording.entries, from: recording.start) else {
            throw CrashLabError.invalidReproducer(run.reproducer(of: crash))
        }
        return point
    }

    fileprivate func begin() {
        recoveriesBefore = coverage.recoveriesInterrupted
    }

    /// Returns random numbers for the next image that do not depend on when results of child processes arrive.
    private func draws(for purpose: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed &+ UInt64(coverage.imagesBuilt) << 20 &+ purpose << 60)
    }

    /// Builds an image and returns it if it must be opened. Judges it by the result of an equal one otherwise.
    fileprivate func trial(
        _ crash: RecordedCrash, at point: CrashPoint, of run: some ExploredRun,
        limits: ExplorationLimits = ExplorationLimits(), undoesAll: Bool
    ) -> ImageTrial? {
        let image = point.history.image(crash.outcome)
        var draws = draws(for: 2)
        coverage.imagesBuilt += 1
        let key = run.key(of: image, at: point)
        var trial = ImageTrial(run: run, crash: crash, point: point, key: key, image: image, undoesAll: undoesAll)
        let isDifferent = different.insert(run.digest(of: image) ?? key).inserted
        if isDifferent { coverage.imagesDifferent += 1 }
        let isSample = isDifferent && draws.number(below: Self.repeatedSample) == 0
        if let problem = broken[key] {
            if reportsAll { report(problem, trial) }
            return nil
        }
        if !isSample {
            if let state = found[key] {
                settle(state, trial)
                return nil
            }
            if waiting[key] != nil {
                waiting[key]?.append(trial)
                return nil
            }
        }
        if let problem = run.problem(of: image, at: point) {
            take(problem, of: trial)
            return nil
        }
        guard run.opensImages else {
            found[key] = 0
            return nil
        }
        waiting[key] = waiting[key] ?? []
        coverage.imagesOpened += 1
        if let lock = crash.lock {
            coverage.count("lock file", lock.name)
            lock.put(into: &trial.image, stale: run.recording.lockFile)
        }
        // Recoveries of one run are alike, so only a sample is interrupted.
        trial.interruptsRecovery =
            coverage.recoveriesInterrupted < recoveriesBefore + limits.interruptions
            || draws.number(below: limits.interruptedShare) == 0
        return trial
    }

    /// Takes the state that an opened image shows.
    fileprivate func take(_ state: UInt64, of trial: ImageTrial) {
        if let before = found.updateValue(state, forKey: trial.key), before != state {
            take("images with equal reachable pages show different states", of: trial)
        }
        for trial in [trial] + (waiting.removeValue(forKey: trial.key) ?? []) { settle(state, trial) }
    }

    /// Takes a broken promise, and reports it.
    fileprivate func take(_ problem: String, of trial: ImageTrial) {
        broken[trial.key] = problem
        waiting[trial.key] = nil
        report(problem, trial)
    }

    /// Judges an image by the state that it or an equal one shows: only the promises made by then may differ.
    private func settle(_ state: UInt64, _ trial: ImageTrial) {
        if let problem = trial.run.problem(ofState: state, at: trial.point) { report(problem, trial) }
    }

    private func report(_ problem: String, _ trial: ImageTrial) {
        violations.append(
            CrashViolation(
                reproducer: trial.run.reproducer(of: trial.crash), problem: problem,
                details: reportsAll || violations.isEmpty
                    ? trial.run.explanation(of: trial.crash, at: trial.point) : []))
    }
}

/// Explores runs and has their images opened in child processes.
final class PoolExplorer: ImageExplorer {
    private let pool: ChildPool
    private let scratch: String

    init(pool: ChildPool, scratch: String, seed: UInt64, coverage: Coverage) {
        self.pool = pool
        self.scratch = scratch
        super.init(seed: seed, coverage: coverage)
    }

    /// Explores every crash point of a run after transaction `first` was issued, as long as the closure allows. The last results
    /// may arrive while the next run is explored.
    func explore(
        _ run: some PooledRun, after first: Int = 0, limits: ExplorationLimits = ExplorationLimits(),
        while shouldContinue: () -> Bool = { true }
    ) throws {
        begin()
        for point in CrashPoints(of: run.recording.entries, from: run.recording.start, after: first) {
            guard shouldContinue() else { return }
            coverage.count("crash points", point.kind)
            for outcome in point.outcomes(limits: limits, seed: run.seed) {
                guard shouldContinue() else { return }
                coverage.count("images", outcome.className(of: point.history.units.count))
                let trial = trial(
                    crash(leaving: outcome, at: point, of: run), at: point, of: run, limits: limits,
                    undoesAll: point.isLast && outcome == .all(of: point.history.units.count))
                if let trial { try open(trial, of: run) }
            }
        }
    }

    /// Builds one image again and opens it.
    func replay(_ crash: RecordedCrash, of run: some PooledRun) throws {
        if let trial = trial(crash, at: try point(of: crash, in: run), of: run, undoesAll: true) {
            try open(trial, of: run)
        }
        try pool.finishAll()
    }

    private func open(_ trial: ImageTrial, of run: some PooledRun) throws {
        try pool.start { [scratch] slot, reporter in
            DiskLog.detach()
            try run.check(trial, in: "\(scratch)/image-\(slot)", reporter: reporter)
        } then: { [self] ending in
            if let nested = ending.value(of: "nested").flatMap({ Int($0) }) {
                coverage.recoveriesInterrupted += 1
                coverage.imagesOfRecoveries += nested
            }
            guard let failure = ending.failure else {
                return take(ending.value(of: "state").flatMap { UInt64($0) } ?? 0, of: trial)
            }
            let interrupted = ending.value(of: "interrupted").flatMap { $0 == "none" ? nil : $0 }
            take(failure + (interrupted.map { ", recovery interrupted at \($0)" } ?? ""), of: trial)
        }
    }
}

/// Explores runs and has their images opened in this process.
final class LocalExplorer: ImageExplorer {
    /// The folder that images are opened in.
    let folder: String
    /// It stops after so many violations.
    private let violationLimit: Int

    init(seed: UInt64, folder: String, violationLimit: Int = 10) {
        self.folder = folder
        self.violationLimit = violationLimit
        super.init(seed: seed, coverage: Coverage(), reportsAll: true)
    }

    var isFull: Bool { violations.count >= violationLimit }

    /// Explores every crash point of a run after transaction `first` was issued.
    ///
    /// - Parameter open: opens the image in the folder and returns the digest of its state.
    func explore(
        _ run: some ExploredRun, after first: Int = 0, limits: ExplorationLimits,
        isolation: isolated (any Actor)? = #isolation, open: () async throws -> UInt64
    ) async throws {
        coverage.count("workloads", "recorded")
        for point in CrashPoints(of: run.recording.entries, from: run.recording.start, after: first) {
            coverage.count("crash points", point.kind)
            for outcome in point.outcomes(limits: limits, seed: run.seed) {
                guard !isFull else { return }
                try await judge(crash(leaving: outcome, at: point, of: run), at: point, of: run, open: open)
            }
        }
    }

    /// Builds and opens the one image that a reproducer describes.
    func replay(
        _ crash: RecordedCrash, of run: some ExploredRun, isolation: isolated (any Actor)? = #isolation,
        open: () async throws -> UInt64
    ) async throws {
        let point = try point(of: crash, in: run)
        coverage.count("workloads", "recorded")
        coverage.count("crash points", point.kind)
        try await judge(crash, at: point, of: run, open: open)
    }

    private func judge(
        _ crash: RecordedCrash, at point: CrashPoint, of run: some ExploredRun,
        isolation: isolated (any Actor)? = #isolation, open: () async throws -> UInt64
    ) async throws {
        guard let trial = trial(crash, at: point, of: run, undoesAll: false) else { return }
        try FolderFiles.replace(folder, with: trial.image)
        do {
            take(try await open(), of: trial)
        } catch {
            take("\(error)", of: trial)
        }
    }
}
