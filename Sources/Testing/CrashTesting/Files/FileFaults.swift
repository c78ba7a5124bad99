import ByteStreams
import DiskRecording
import Exchange
import Glibc
import KeyValue
import Records
import Snapshots
import Tasks

/// One run of an operation on files in which a call fails. Checks that the error is typed and what is left behind.
struct FileFaultRun {
    let recording: FileRecording
    let fault: DiskFault
    /// The digests of all states that an import passes through.
    let states: Set<UInt64>
    let place: OperationFolder
    let reporter: ChildReporter

    private var operation: FileOperation { recording.operation }

    /// Reports `hit` if a call failed, and `result`, what the operation reported.
    ///
    /// - Throws: the broken promise.
    func run() throws {
        try FolderFiles.replace(place.folder, with: recording.start)
        try DiskLog.begin(folder: place.folder)
        var work: (() throws -> Void)? = try operation.begin(place)
        reporter.report("stage", "\(fault.name), call \(fault.first)")
        DiskLog.setFault(fault)
        let failure = Self.failure(of: work)
        let hits = DiskLog.faultHitCount
        DiskLog.clearFault()
        let entries = try DiskLog.entries().normalized
        DiskLog.end()
        work = nil
        if hits == 0 {
            if let failure { throw BrokenPromise("it fails although no call failed: \(failure)") }
            return
        }
        reporter.report("hit", "\(hits)")
        reporter.report("result", failure == nil ? "done" : "an error")
        if let failure, !Self.isTyped(failure) {
            throw BrokenPromise("the error is untyped: \(failure)")
        }
        try check(isDone: failure == nil)
        try cutPower(entries)
        try repeatOperation()
    }

    private static func failure(of work: (() throws -> Void)?) -> (any Error)? {
        do {
            try work?()
            return nil
        } catch {
            return error
        }
    }

    private static func isTyped(_ error: any Error) -> Bool {
        error is FileError || error is TaskError || error is RecordsError || error is KeyValueError
    }

    private func check(isDone: Bool) throws {
        // On a disk that makes no name durable any more a built store stays: of its removal a power failure could keep a part.
        var keepsBuilt = false
        if case .folder = operation.promise { keepsBuilt = fault.kind == .flush && fault.count == 0 }
        let judge = FileJudge(
            recording: recording, isAcknowledged: isDone && !fault.strikesRemoval,
            mayLeaveFiles: fault.strikesRemoval || keepsBuilt)
        let left = try FolderFiles.image(of: place.folder) { $0 != LockFile.fileName }
        if let problem = judge.problem(of: left) { throw BrokenPromise(problem) }
        try judge.checkStores(at: place, reporter: reporter)
        guard case .store = operation.promise else { return }
        reporter.report("stage", "opening the store")
        let store = try LabStore(at: place.store)
        defer { store.close() }
        guard states.contains(try store.digest()) else {
            throw BrokenPromise("the content is no state of an import")
        }
        if let problem = try store.problems().first { throw BrokenPromise("verify reports: \(problem)") }
    }

    /// Checks every state of the files that a power failure after the fault could leave. `FaultRun` does that for
    /// stores.
    private func cutPower(_ entries: [DiskLog.Entry]) throws {
        guard case .file = operation.promise else { return }
        var struck = FileRecording(operation: operation, injectionPoint: nil, start: recording.start, entries: entries)
        struck.end = recording.end
        for point in struck.crashPoints {
            let judge = FileJudge(recording: struck, isAcknowledged: point.isAcknowledged)
            for image in CrashOutcomes(history: point.history, limits: .fault, seed: UInt64(point.index)) {
                if let problem = judge.problem(of: point.history.image(image)) {
                    throw BrokenPromise("\(problem) after a power failure at \(point.index) that kept \(image)")
                }
            }
        }
    }

    /// Without the fault the same operation must succeed, unless it is done.
    private func repeatOperation() throws {
        reporter.report("stage", "repeating the operation")
        if case .gone = operation.promise { return try FileJudge(recording: recording).repeatRemoval(at: place) }
        do {
            try operation.begin(place)()
        } catch FileError.targetExists {}
        let judge = FileJudge(recording: recording, isAcknowledged: true)
        switch operation.promise {
        case .file:
            let left = try FolderFiles.image(of: place.folder) { $0 != LockFile.fileName }
            guard !fault.strikesRemoval, let problem = judge.problem(of: left) else { return }
            throw BrokenPromise("\(problem), when the operation is repeated")
        case .folder, .gone:
            // The first attempt may have left the old store under the name of its temporary folder.
            try judge.checkStores(at: place, reporter: reporter)
        case .store:
            guard try FileJudge.content(ofStoreAt: place.store) == recording.contentAfter else {
                throw ImageViolation.importIsNotCompleted
            }
        }
    }
}

extension DiskFault {
    /// How calls that write files fail, each applied to one call after another: no space, quota exceeded, and a failing
    /// disk; once and permanently. A file system may not support links at all. Setting a file's size is excluded: no
    /// operation on files does it. Opening a store without a `lock.mdb` does, which the faults of stores cover.
    static let fileKinds: [DiskFault] =
        ([.write, .open, .flush, .flushData, .link, .rename, .makeFolder] as [DiskCall.Kind]).flatMap { kind in
            [ENOSPC, EIO, EDQUOT].map { DiskFault(kind: kind, error: $0) }
        } + [
            DiskFault(kind: .write, count: 0, error: ENOSPC),
            DiskFault(kind: .write, effect: .writesShort, error: 0),
            DiskFault(kind: .write, effect: .writesShort, count: 0, error: 0),
            DiskFault(kind: .write, count: 3, error: EINTR),
            DiskFault(kind: .flush, count: 0, error: EIO),
            DiskFault(kind: .close, effect: .failsAfter, error: EIO),
            DiskFault(kind: .link, error: EPERM),
            DiskFault(kind: .remove, error: EIO),
        ]

    /// Whether removing files fails.
    var strikesRemoval: Bool { kind == .remove || kind == .removeFolder }
}
