import DiskRecording
import Glibc
import Injection

/// Makes every call of some operations fail in every way, until a run meets no more failing call.
final class FaultSweep {
    private let pool: ChildPool
    private let recorder: Recorder
    private let scratch: String
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    /// The next call to fail for each workload and kind of fault.
    private var waiting: [Trial] = []

    private struct Trial {
        let name: String
        var reproducer: FaultReproducer
        let reference: Recording
        /// Whether no trial of the next call follows.
        var isAlone = false
    }

    private static let workloads: [(name: String, workload: LabWorkload)] = [
        ("creation", LabWorkload(base: .nothing)),
        ("creation after one that died", LabWorkload(base: .abandoned)),
        ("opening", LabWorkload(base: .small)),
        ("migration", LabWorkload(base: .older)),
        ("create", LabWorkload(steps: [LabStep(.create)])),
        ("complete", LabWorkload(steps: [LabStep(.complete)])),
        ("reorder", LabWorkload(steps: [LabStep(.reorder)])),
        ("delete", LabWorkload(steps: [LabStep(.delete)])),
        ("undo", LabWorkload(steps: [LabStep(.create), LabStep(.undo)])),
        ("group commit", LabWorkload(steps: [LabStep(.pair)])),
        ("import", LabWorkload(steps: [LabStep(.importing)])),
        ("cascade", LabWorkload(of: .garden, steps: [LabStep(.clear)])),
        ("untracked record", LabWorkload(of: .garden, steps: [LabStep(.note)])),
        ("deletion of a list", LabWorkload(of: .lists, steps: [LabStep(.drop)])),
        ("next occurrence", LabWorkload(of: .recurrence, steps: [LabStep(.finish)])),
        ("overflow value", LabWorkload(steps: [LabStep(.large)])),
        (
            "growth",
            LabWorkload(
                base: .nothing, steps: [LabStep(.bulk), LabStep(.bulk), LabStep(.large, draw: 19_000)],
                mapSize: 1 << 18)
        ),
    ]

    /// Of stores that get their commit log.
    private static let upgrades: [(name: String, workload: LabWorkload)] = [
        ("first opening of format 1", LabWorkload(base: .formatOne)),
        ("second opening of format 1", LabWorkload(base: .announced)),
    ]

    init(pool: ChildPool, recorder: Recorder, scratch: String, coverage: Coverage) {
        self.pool = pool
        self.recorder = recorder
        self.scratch = scratch
        self.coverage = coverage
    }

    /// Runs all trials as long as the closure allows, and in any case each fault on its first call; in logged mode, those of the
    /// first operation. Returns whether all were run.
    func run(isLogged: Bool = false, while shouldContinue: () -> Bool) throws -> Bool {
        for (name, workload) in Self.workloads + (isLogged ? Self.upgrades : []) {
            let workload = isLogged ? workload.logged : workload
            let reference = try reference(for: workload)
            waiting += DiskFault.kinds.map { fault in
                Trial(name: name, reproducer: FaultReproducer(workload: workload, fault: fault), reference: reference)
            }
        }
        // In reverse, so that a trial is followed by the same fault on the next call.
        waiting.reverse()
        var isComplete = true
        while true {
            if let trial = waiting.popLast() {
                let isRequired =
                    trial.reproducer.fault.first == 1 && (!isLogged || trial.name == Self.workloads[0].name)
                guard isRequired || shouldContinue() else {
                    isComplete = false
                    continue
                }
                try start(trial)
            } else if try !pool.finishOne() {
                return isComplete
            }
        }
    }

    /// Makes LMDB's commit fail whose record is in the log, in a store whose rule is broken.
    func runControl(of injectionPoint: InjectionPoint) throws {
        var workload = LabWorkload(steps: [LabStep(.create), LabStep(.create), LabStep(.complete)]).logged
        workload.injectionPoint = injectionPoint
        let reference = try reference(for: workload)
        // Its first writes are those of the turn and of the record.
        for first in stride(from: 4, through: 12, by: 2) where violations.isEmpty {
            let fault = DiskFault(kind: .write, first: first, error: ENOSPC)
            let reproducer = FaultReproducer(workload: workload, fault: fault)
            try start(Trial(name: "control", reproducer: reproducer, reference: reference, isAlone: true))
            try pool.finishAll()
        }
    }

    /// Repeats one fault.
    func replay(_ reproducer: FaultReproducer) throws {
        try start(Trial(name: "replay", reproducer: reproducer, reference: reference(for: reproducer.workload)))
        try pool.finishAll()
    }

    private func reference(for workload: LabWorkload) throws -> Recording {
        try recorder.record(workload.continued)
    }

    private func start(_ trial: Trial) throws {
        try pool.start { [scratch] slot, reporter in
            DiskLog.detach()
            let folder = "\(scratch)/image-\(slot)"
            try FaultRun(reproducer: trial.reproducer, reference: trial.reference, folder: folder, reporter: reporter)
                .run()
        } then: { [self] ending in
            take(ending, of: trial)
        }
    }

    private func take(_ ending: ChildPool.Ending, of trial: Trial) {
        if let failure = ending.failure {
            violations.append(CrashViolation(reproducer: trial.reproducer.text, problem: failure))
        }
        // If no call failed, every call of the run has been tried.
        guard ending.value(of: "hit") != nil else { return }
        coverage.count("faults", trial.reproducer.fault.name)
        coverage.count("faults by operation", trial.name)
        coverage.count("answers to faults", ending.value(of: "result") ?? "none")
        coverage.imagesOpened += ending.value(of: "cuts").flatMap { Int($0) } ?? 0
        guard !trial.isAlone else { return }
        var next = trial
        next.reproducer.fault.first += 1
        waiting.append(next)
    }
}

extension DiskFault {
    /// Every kind of failure that the specification names. Each is applied to one call after another.
    static let kinds: [DiskFault] = [
        DiskFault(kind: .write, error: ENOSPC),
        DiskFault(kind: .write, count: 0, error: ENOSPC),
        DiskFault(kind: .write, effect: .writesShort, error: 0),
        DiskFault(kind: .write, effect: .writesShort, count: 0, error: 0),
        DiskFault(kind: .write, error: EIO, only: .others),
        DiskFault(kind: .write, count: 0, error: EIO, only: .others),
        DiskFault(kind: .write, error: EIO, only: .synchronousOrWriting),
        DiskFault(kind: .write, effect: .failsAfter, error: EIO, only: .synchronousOrWriting),
        DiskFault(kind: .write, count: 3, error: EINTR),
        DiskFault(kind: .write, error: ENOMEM),
        DiskFault(kind: .flushData, error: EIO),
        DiskFault(kind: .flushData, count: 0, error: EIO),
        DiskFault(kind: .flushData, error: ENOSPC),
        DiskFault(kind: .flushData, error: EINTR),
        DiskFault(kind: .flush, error: EIO),
        DiskFault(kind: .flush, count: 0, error: ENOSPC),
        DiskFault(kind: .open, error: EMFILE),
        DiskFault(kind: .open, count: 0, error: EMFILE),
        DiskFault(kind: .open, error: ENOMEM),
        DiskFault(kind: .open, error: EINTR),
        DiskFault(kind: .map, error: ENOMEM),
        DiskFault(kind: .rename, error: EIO),
        DiskFault(kind: .makeFolder, error: ENOSPC),
        DiskFault(kind: .remove, error: EIO),
        DiskFault(kind: .allocate, error: ENOSPC),
    ]

    /// The name in the coverage table.
    var name: String {
        let failure = effect == .writesShort ? "short" : Self.errorNames[error, default: "error \(error)"]
        let place = only == .synchronousOrWriting ? " of the meta page" : ""
        let landed = effect == .failsAfter ? ", though it was made" : ""
        let times = count == 0 ? ", permanently" : count > 1 ? ", \(count) times" : ""
        return "\(kind)\(place): \(failure)\(landed)\(times)"
    }

    /// For example `write.fails.28.any.1`, as in a reproducer.
    var text: String { "\(kind).\(effect).\(error).\(only).\(count)" }

    init?(_ text: some StringProtocol) {
        guard let kind = (Self.kinds + Self.fileKinds).first(where: { $0.text == text }) else { return nil }
        self = kind
    }

    private static let errorNames: [Int32: String] = [
        ENOSPC: "ENOSPC", EIO: "EIO", EINTR: "EINTR", EMFILE: "EMFILE", ENOMEM: "ENOMEM", EDQUOT: "EDQUOT",
        EPERM: "EPERM",
    ]
}
