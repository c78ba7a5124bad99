import DiskRecording
import KeyValue
import Records
import Tasks

/// One run in which a call fails. Checks that the reported result is true immediately, after a reopen, and after a
/// subsequent power failure.
struct FaultRun {
    /// The fault is set for its last operation, or for opening if there is none.
    let workload: LabWorkload
    let fault: DiskFault
    /// The same workload without the fault, plus one more operation.
    let reference: Recording
    let folder: String
    let reporter: ChildReporter

    private var path: String { "\(folder)/\(Recording.storePath)" }

    /// Reports `hit` if a call failed, and `result`, what the operation reported.
    ///
    /// - Throws: the broken promise.
    func run() throws {
        try FolderFiles.replace(folder, with: reference.start)
        try DiskLog.begin(folder: folder)
        var attempt = FaultAttempt(workload: workload, path: path, states: reference.states)
        try attempt.prepare()

        reporter.report("stage", "\(fault.name), call \(fault.first)")
        DiskLog.setFault(fault)
        let answer = attempt.attemptOperation()
        let hits = DiskLog.faultHitCount
        DiskLog.clearFault()
        reporter.report("result", answer.name)
        if hits == 0 {
            if case .committed = answer { return }
            throw FaultViolation.failsWithoutFault
        }
        reporter.report("hit", "\(hits)")

        reporter.report(
            "stage",
            "continuing after \(fault.name), call \(fault.first), reported \(answer.name)")
        // What a refused write has left in the log shows only if the same is not written at once.
        try attempt.resume(after: answer, closing: workload.isLogged && fault.first.isMultiple(of: 2))
        let entries = try DiskLog.entries().normalized
        DiskLog.end()
        try cutPower(entries)
    }

    /// Checks every state that a power failure after the fault could leave. Changes of a failed flush may or may not be
    /// on the disk.
    private func cutPower(_ entries: [DiskLog.Entry]) throws {
        var history = DiskHistory(reference.start)
        var progress = RunProgress()
        var seen: Set<UInt64> = []
        var isAfterFault = false
        for (index, entry) in entries.enumerated() {
            guard case .call(let call) = entry else {
                if case .mark(let kind, let value, _) = entry { progress.take(kind, value) }
                continue
            }
            history.apply(call)
            isAfterFault = isAfterFault || call.hasFailed && !call.findsNothing
            guard isAfterFault, call.changesDisk else { continue }
            let rules = progress.rules(of: reference, workload.continued)
            for image in CrashOutcomes(history: history, limits: .fault, seed: UInt64(index)) {
                var crashed = history.image(image)
                LockFile.allCases[seen.count % LockFile.allCases.count].put(into: &crashed, stale: [])
                // The same bytes under another promise are checked again.
                let promise = UInt64(rules.allowed.lowerBound) << 8 | UInt64(rules.allowed.upperBound)
                guard seen.insert(crashed.imageDigest() ^ promise &* 0x9E37_79B9_7F4A_7C15).inserted else { continue }
                reporter.report("stage", "a power failure at \(index) that kept \(image)")
                try ImageCheck(rules: rules, folder: folder, reporter: reporter).judge(crashed)
            }
        }
        reporter.report("cuts", "\(seen.count)")
    }
}

/// What a write, or opening, reported to its caller.
enum ReportedResult {
    case committed
    /// Nothing was written; `stops` if writing has stopped until a reopen.
    case notCommitted(stops: Bool, String)
    case commitUnknown(String)
    /// An error that does not say whether the write happened.
    case untyped(String)

    init(_ error: any Error) {
        switch error {
        case let error as RecordsError: self.init(error)
        case let error as KeyValueError: self.init(.engine(error))
        case TaskError.store(let error): self.init(error)
        default: self = .untyped("\(error)")
        }
    }

    private init(_ error: RecordsError) {
        switch error {
        case .engine(.commitUnknown): self = .commitUnknown(error.description)
        case .engine(.commitFailed), .engine(.writingStopped), .engine(.closed):
            self = .notCommitted(stops: true, error.description)
        default: self = .notCommitted(stops: false, error.description)
        }
    }

    var name: String {
        switch self {
        case .committed: "committed"
        case .notCommitted(let stops, _): stops ? "not committed, writing stopped" : "not committed, writing continues"
        case .commitUnknown: "unknown, writing stopped"
        case .untyped: "untyped"
        }
    }
}

/// A broken promise found by a disk fault.
enum FaultViolation: Error, CustomStringConvertible {
    case failsWithoutFault
    case untyped(String)
    case wrongState(String, String)
    case writesAfterFailure
    case notClean(String)

    var description: String {
        switch self {
        case .failsWithoutFault: "an operation fails although no call failed"
        case .untyped(let error): "the error is untyped: \(error)"
        case .wrongState(let answer, let found): "the operation reported '\(answer)', but \(found)"
        case .writesAfterFailure: "writing continues after a failed flush without a reopen"
        case .notClean(let problem): "verify reports: \(problem)"
        }
    }
}

extension LabWorkload {
    /// The operation that follows a fault: the first one of the domain.
    private var afterwards: LabStep { LabStep(LabOperation.short(of: pack.type)[0], draw: 2) }

    /// The workload with that operation.
    var continued: LabWorkload {
        var continued = self
        continued.steps.append(afterwards)
        return continued
    }
}
