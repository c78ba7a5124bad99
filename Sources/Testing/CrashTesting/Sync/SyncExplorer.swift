import DiskRecording
import LabSupport

/// The file system calls of a run of sync, and the content of the store after each transaction.
struct SyncRecording: Sendable {
    let workload: SyncWorkload
    let recording: Recording
    /// The number of the first transaction of the last step.
    let first: Int
    /// What the run has met, for the coverage table.
    let events: [String]
}

/// Builds the crash images of recorded runs of sync and has each distinct one opened.
final class SyncExplorer {
    private let recorder: Recorder
    private let bases: SyncBases
    private let coverage: Coverage
    private let seed: UInt64
    private(set) var violations: [CrashViolation] = []
    /// Images of the present run judged already, combined with the promises made by then.
    private var seen: Set<UInt64> = []

    init(recorder: Recorder, bases: SyncBases, seed: UInt64, coverage: Coverage) {
        self.recorder = recorder
        self.bases = bases
        self.seed = seed
        self.coverage = coverage
    }

    /// - Throws: an error if the workload itself fails.
    func record(_ workload: SyncWorkload) throws -> SyncRecording {
        let folder = "\(recorder.scratch)/recording"
        let start = bases[workload.base]
        try FolderFiles.replace(folder, with: start)
        try DiskLog.begin(folder: folder)
        defer { DiskLog.end() }
        let ending = try recorder.pool.run { _, reporter in
            try SyncRun(workload: workload, others: bases.others, folder: folder, reporter: reporter).run()
        }
        if let failure = ending.failure { throw CrashLabError.workloadFailed(workload.text, failure) }
        return SyncRecording(
            workload: workload,
            recording: Recording(
                start: start, entries: try DiskLog.entries().normalized,
                lockFile: FolderFiles.bytes(of: "\(folder)/\(Recording.lockPath)") ?? []),
            first: ending.value(of: "first").flatMap { Int($0) } ?? 0, events: ending.values(of: "event"))
    }

    /// Explores every crash point of a run after transaction `first` was issued, as long as the closure allows.
    func explore(
        _ run: SyncRecording, from first: Int = 0, limits: ExplorationLimits = ExplorationLimits(),
        while shouldContinue: () -> Bool
    ) throws {
        seen = []
        for event in run.events { coverage.count("sync", event) }
        for point in CrashPoints(of: run.recording.entries, from: run.recording.start, after: first) {
            coverage.count("crash points", point.kind)
            for outcome in point.outcomes(limits: limits, seed: seed) {
                guard shouldContinue() else { return }
                coverage.count("images", outcome.className(of: point.history.units.count))
                coverage.imagesBuilt += 1
                var draws = SeededGenerator(seed: seed &+ UInt64(coverage.imagesBuilt) << 20)
                // When only the process dies, everything it wrote remains.
                let lock = point.isLast ? LockFile.allCases[draws.number(below: LockFile.allCases.count)] : .stale
                try judge(outcome, lock, at: point, of: run)
            }
        }
    }

    /// Builds and opens one image again.
    func replay(_ reproducer: SyncReproducer) throws {
        let run = try record(reproducer.workload)
        let (entries, start) = (run.recording.entries, run.recording.start)
        guard let point = CrashPoint(at: reproducer.point, reproducer.moment, of: entries, from: start) else {
            throw CrashLabError.invalidReproducer(reproducer.text)
        }
        try judge(reproducer.image, reproducer.lock, at: point, of: run)
        try recorder.pool.finishAll()
    }

    private func judge(_ outcome: CrashOutcome, _ lock: LockFile, at point: CrashPoint, of run: SyncRecording) throws {
        var image = point.history.image(outcome)
        let allowed = point.progress.acknowledged...max(point.progress.acknowledged, point.progress.issued)
        var digest = RunningDigest(seed: image.imageDigest())
        digest.mix(allowed.lowerBound)
        digest.mix(allowed.upperBound)
        guard seen.insert(digest.value).inserted else { return }
        coverage.imagesDifferent += 1
        coverage.imagesOpened += 1
        coverage.count("lock file", lock.name)
        let text = SyncReproducer(
            workload: run.workload, point: point.index, moment: point.moment, image: outcome, lock: lock
        ).text
        lock.put(into: &image, stale: run.recording.lockFile)
        let states = run.recording.states
        try recorder.pool.start { [recorder] slot, reporter in
            DiskLog.detach()
            let check = SyncImageCheck(
                states: states, allowed: allowed, folder: "\(recorder.scratch)/image-\(slot)", reporter: reporter)
            try check.run(image)
        } then: { [self] ending in
            guard let failure = ending.failure else { return }
            let details =
                violations.isEmpty ? CrashExplanation.lines(of: run.recording.entries, at: point, outcome) : []
            violations.append(CrashViolation(reproducer: text, problem: failure, details: details))
        }
    }
}

/// Everything that determines a crash image of sync, with a one-line text form that reproduces it.
struct SyncReproducer: Sendable {
    let workload: SyncWorkload
    let point: Int
    let moment: CrashMoment
    let image: CrashOutcome
    let lock: LockFile

    /// For example `sync|joined:edit,round|17+|keep=0-3|stale`.
    var text: String { "sync|\(workload.text)|\(point)\(moment.rawValue)|\(image)|\(lock.name)" }

    init(workload: SyncWorkload, point: Int, moment: CrashMoment, image: CrashOutcome, lock: LockFile) {
        self.workload = workload
        self.point = point
        self.moment = moment
        self.image = image
        self.lock = lock
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "sync", let workload = SyncWorkload(parts[1]), let sign = parts[2].last,
            let moment = CrashMoment(rawValue: String(sign)), let point = Int(parts[2].dropLast()), point >= 0,
            let image = CrashOutcome(String(parts[3])),
            let lock = LockFile.allCases.first(where: { $0.name == parts[4] })
        else { return nil }
        self.init(workload: workload, point: point, moment: moment, image: image, lock: lock)
    }
}
