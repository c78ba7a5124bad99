import DiskImages
import DiskRecording

/// The file system calls of a workload, and the content of the store after each transaction.
struct Recording: Sendable {
    /// The folder before.
    let start: DiskImage
    let entries: [DiskLog.Entry]
    /// The numbers of each state by its digest. State k follows k transactions; some transactions change nothing.
    let states: [UInt64: [Int]]
    /// The number of operations that can be undone in each state.
    let undoDepths: [Int]
    /// The digest of an export after an import; nil without an import.
    let content: UInt64?
    /// Whether a process was killed.
    let hasKilled: Bool
    /// The lock file as the workload left it.
    let lockFile: [UInt8]

    /// Where the store lies below the recorded folder. The store creates its parent folder.
    static let storePath = "home/store"
    static let dataPath = "home/store/data.mdb"
    static let lockPath = "home/store/lock.mdb"

    /// Creates a recording from normalized entries; the states are taken from the marks.
    init(start: DiskImage, entries: [DiskLog.Entry], lockFile: [UInt8]) {
        self.start = start
        self.entries = entries.effective
        self.lockFile = lockFile
        var states: [UInt64: [Int]] = [:]
        var depths: [Int] = []
        var number = 0
        var content: UInt64?
        var hasKilled = false
        for case .mark(let kind, let value, _) in entries {
            switch LabMark(rawValue: kind) {
            case .state: number = Int(value)
            case .digest: states[UInt64(bitPattern: value), default: []].append(number)
            case .undoDepth:
                // What a killed process was about to do may have another successor.
                if depths.count > number { depths.removeLast(depths.count - number) }
                depths.append(Int(value))
            case .killed: hasKilled = true
            case .content: content = UInt64(bitPattern: value)
            default: break
            }
        }
        self.content = content
        self.hasKilled = hasKilled
        self.states = states
        undoDepths = depths
    }
}

/// The recording of a workload, whose images are opened and used as a program would.
struct LabRecording: PooledRun {
    let workload: LabWorkload
    let recording: Recording

    private func rules(at point: CrashPoint) -> ImageRules { point.progress.rules(of: recording, workload) }

    func reproducer(of crash: RecordedCrash) -> String { Reproducer.crash(workload, crash).text }

    /// The reachable part of the data file determines the result. Without a data file only the names of leftovers of an
    /// interrupted creation matter, not their bytes.
    func key(of image: DiskImage, at point: CrashPoint) -> UInt64 {
        let isThere = image.files[Recording.dataPath] != nil
        var digest = RunningDigest(seed: isThere ? image.imageDigest() : image.digest { _, _ in 0 })
        // Opening creates what the domain declares.
        digest.mix(workload.pack.rawValue)
        if problem(of: image, at: point) != nil { digest.mix(1) }
        return digest.value
    }

    func digest(of image: DiskImage) -> UInt64? { image.digest }

    func problem(of image: DiskImage, at point: CrashPoint) -> String? {
        guard rules(at: point).mustExist, image.files[Recording.dataPath] == nil else { return nil }
        return "\(ImageViolation.storeIsGone)"
    }

    func problem(ofState state: UInt64, at point: CrashPoint) -> String? {
        do throws(ImageViolation) {
            try rules(at: point).check(state) { nil }
            return nil
        } catch {
            return "\(error)"
        }
    }

    func check(_ trial: ImageTrial, in folder: String, reporter: ChildReporter) throws {
        try ImageCheck(
            rules: rules(at: trial.point), folder: folder, reporter: reporter, undoesAll: trial.undoesAll,
            interruptsRecovery: trial.interruptsRecovery
        ).run(trial.image)
    }

    func explanation(of crash: RecordedCrash, at point: CrashPoint) -> [String] {
        let acknowledged = point.progress.acknowledged
        return CrashExplanation.lines(of: recording.entries, at: point, crash.outcome)
            + ["the model after \(acknowledged) acknowledged:"] + (workload.model(after: acknowledged)?.lines ?? [])
    }
}

/// What a workload notes between the calls, in one sequence with them.
enum LabMark: UInt32 {
    /// A transaction is about to be requested; the value is the number of the resulting state.
    case issued = 1
    /// Its call has returned.
    case acknowledged
    /// The two halves of a state: its number, then its digest.
    case state
    case digest
    /// The number of operations that can be undone in the last state.
    case undoDepth
    /// The digest of an export.
    case content
    /// A process was killed.
    case killed
}

extension DiskLog {
    static func note(_ mark: LabMark, _ value: Int64) {
        note(kind: mark.rawValue, value: value)
    }
}

extension [DiskLog.Entry] {
    /// The calls without the marks.
    var calls: [DiskCall] {
        compactMap { entry in
            if case .call(let call) = entry { call } else { nil }
        }
    }

    /// Whether a call is followed by something other than one more call with pending changes: a flush, a mark, the end.
    func isLast(_ index: Int, ofPendingCalls call: DiskCall) -> Bool {
        guard !call.isSynchronous, call.kind != .flush, call.kind != .flushData else { return true }
        for entry in self[(index + 1)...] {
            switch entry {
            case .mark(let kind, _, _): if kind <= LabMark.acknowledged.rawValue { return true }
            case .call(let next):
                guard next.changesDisk else { continue }
                return next.isSynchronous || next.kind == .flush || next.kind == .flushData
            }
        }
        return true
    }

    /// The calls as prepared by `CallNormalizer`, and the marks.
    var normalized: Self {
        var normalizer = CallNormalizer()
        return compactMap { entry in
            guard case .call(let call) = entry else { return entry }
            return normalizer.normalized(call).map { .call($0) }
        }
    }

    /// Without openings through which nothing changes: how often a file is opened to be locked or read can depend on other threads,
    /// and reproducers count calls.
    var effective: Self {
        let changed = Set(calls.filter(\.hasEffect).map(\.file))
        return filter { entry in
            guard case .call(let call) = entry else { return true }
            return call.file == 0 || changed.contains(call.file)
        }
    }
}
