import DiskRecording
import Glibc
import Injection

/// Makes every call of some operations fail in every way, until a run meets no more failing call.
final class FaultSweep {
    /// An operation of which a call fails.
    struct Trial {
        /// The operation, as counted in the coverage table.
        let name: String
        /// The group of the coverage table.
        let group: String
        var fault: DiskFault
        /// Whether no trial of the next call follows.
        var isAlone = false
        let reproducer: (DiskFault) -> Reproducer
        /// Runs the operation with a fault in a folder. Reports `hit` if a call failed, and `result`, what the operation reported.
        let run: (DiskFault, _ folder: String, ChildReporter) throws -> Void
    }

    private let recorder: Recorder
    private let coverage: Coverage
    private(set) var violations: [CrashViolation] = []
    /// The next call to fail for each operation and kind of fault.
    private var waiting: [Trial] = []
    /// Called with the name of each operation before its first trial.
    private let reportProgress: (String) -> Void

    init(recorder: Recorder, coverage: Coverage, reportProgress: @escaping (String) -> Void = { _ in }) {
        self.recorder = recorder
        self.coverage = coverage
        self.reportProgress = reportProgress
    }

    /// Runs trials, and those that follow from them, as long as the closure allows, and in any case the required ones. Returns
    /// whether all were run.
    @discardableResult
    func run(
        _ trials: [Trial], requiring isRequired: (Trial) -> Bool = { _ in false },
        while shouldContinue: () -> Bool = { true }
    ) throws -> Bool {
        // In reverse, so that a trial is followed by the same fault on the next call.
        waiting = trials.reversed()
        var isComplete = true
        var operation: String?
        while true {
            if let trial = waiting.popLast() {
                guard isRequired(trial) || shouldContinue() else {
                    isComplete = false
                    continue
                }
                if operation != trial.name {
                    operation = trial.name
                    reportProgress("faults: \(trial.name)")
                }
                try start(trial)
            } else if try !recorder.pool.finishOne() {
                return isComplete
            }
        }
    }

    private func start(_ trial: Trial) throws {
        try recorder.pool.start { [scratch = recorder.scratch] slot, reporter in
            DiskLog.detach()
            try trial.run(trial.fault, "\(scratch)/image-\(slot)", reporter)
        } then: { [self] ending in
            take(ending, of: trial)
        }
    }

    private func take(_ ending: ChildPool.Ending, of trial: Trial) {
        if let failure = ending.failure {
            violations.append(CrashViolation(reproducer: trial.reproducer(trial.fault).text, problem: failure))
        }
        // If no call failed, every call of the run has been tried.
        guard ending.value(of: "hit") != nil else { return }
        coverage.count(trial.group, trial.fault.name)
        coverage.count("\(trial.group) by operation", trial.name)
        coverage.count("answers to \(trial.group)", ending.value(of: "result") ?? "none")
        coverage.imagesOpened += ending.value(of: "cuts").flatMap { Int($0) } ?? 0
        guard !trial.isAlone else { return }
        var next = trial
        next.fault.first += 1
        waiting.append(next)
    }
}

/// The faults of stores.
extension FaultSweep {
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

    /// Runs all trials as long as the closure allows, and in any case each fault on its first call; in logged mode, those of the
    /// first operation. Returns whether all were run.
    func run(isLogged: Bool = false, while shouldContinue: () -> Bool) throws -> Bool {
        let trials = try (Self.workloads + (isLogged ? Self.upgrades : [])).flatMap { name, workload in
            try self.trials(of: isLogged ? workload.logged : workload, name, DiskFault.kinds)
        }
        return try run(
            trials, requiring: { $0.fault.first == 1 && (!isLogged || $0.name == Self.workloads[0].name) },
            while: shouldContinue)
    }

    /// Makes LMDB's commit fail whose record is in the log, in a store whose rule is broken.
    func runControl(of injectionPoint: InjectionPoint) throws {
        var workload = LabWorkload(steps: [LabStep(.create), LabStep(.create), LabStep(.complete)]).logged
        workload.injectionPoint = injectionPoint
        // Its first writes are those of the turn and of the record.
        let faults = stride(from: 4, through: 12, by: 2).map { DiskFault(kind: .write, first: $0, error: ENOSPC) }
        for trial in try trials(of: workload, "control", faults, areAlone: true) where violations.isEmpty {
            try run([trial])
        }
    }

    func trials(
        of workload: LabWorkload, _ name: String, _ faults: [DiskFault], areAlone: Bool = false
    ) throws -> [Trial] {
        let reference = try recorder.record(workload.continued).recording
        return faults.map { fault in
            Trial(name: name, group: "faults", fault: fault, isAlone: areAlone) { fault in
                .fault(workload, fault)
            } run: { fault, folder, reporter in
                try FaultRun(workload: workload, fault: fault, reference: reference, folder: folder, reporter: reporter)
                    .run()
            }
        }
    }
}

/// The faults of operations on files.
extension FaultSweep {
    func trials(of operation: FileOperation, _ faults: [DiskFault], areAlone: Bool = false) throws -> [Trial] {
        let recording = try recorder.record(operation)
        var states: Set<UInt64> = []
        if case .store = operation.promise {
            states = Set(try recorder.record(LabWorkload(imports: true)).recording.states.keys)
        }
        return faults.map { fault in
            Trial(name: operation.name, group: "file faults", fault: fault, isAlone: areAlone) { fault in
                .fileFault(operation, fault)
            } run: { [states] fault, folder, reporter in
                try FileFaultRun(
                    recording: recording, fault: fault, states: states, place: OperationFolder(folder: folder),
                    reporter: reporter
                ).run()
            }
        }
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

    init?(_ text: String, first: String = "1") {
        guard let kind = (Self.kinds + Self.fileKinds).first(where: { $0.text == text }), let first = Int(first),
            first > 0
        else { return nil }
        self = kind
        self.first = first
    }

    private static let errorNames: [Int32: String] = [
        ENOSPC: "ENOSPC", EIO: "EIO", EINTR: "EINTR", EMFILE: "EMFILE", ENOMEM: "ENOMEM", EDQUOT: "EDQUOT",
        EPERM: "EPERM",
    ]
}
