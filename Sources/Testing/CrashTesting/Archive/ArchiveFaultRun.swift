import ByteStreams
import KeyValue
import Records
import Tasks

/// One run of an operation on files in which the disk refuses a call: whether the caller is told by an error of a type that
/// says something, and what is left.
struct ArchiveFaultRun {
    let recording: ArchiveRecording
    let fault: DiskFault
    /// The digests of all states that an import goes through.
    let states: Set<UInt64>
    let place: ArchivePlace
    let voice: ChildVoice

    private var operation: ArchiveOperation { recording.operation }

    /// Says `hit` when a call was refused, and `told`: what the caller heard. Throws what is wrong.
    func run() throws {
        try FolderFiles.replace(place.folder, with: recording.start)
        try DiskLog.begin(folder: place.folder)
        var work: (() throws -> Void)? = try operation.begin(place)
        voice.say("stage", "\(fault.name), call \(fault.first)")
        DiskLog.setFault(fault)
        let failure = Self.failure(of: work)
        let hits = DiskLog.faultHit
        DiskLog.clearFault()
        let entries = try DiskLog.entries().prepared
        DiskLog.end()
        work = nil
        if hits == 0 {
            if let failure { throw ArchiveViolation("it fails although no call was refused: \(failure)") }
            return
        }
        voice.say("hit", "\(hits)")
        voice.say("told", failure == nil ? "done" : "an error")
        if let failure, !Self.isTyped(failure) {
            throw ArchiveViolation("the error has no type that says what it means: \(failure)")
        }
        try check(isDone: failure == nil)
        try cutPower(entries)
        try doAgain()
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
        let judge = ArchiveJudge(
            recording: recording, isAcknowledged: isDone && !fault.strikesRemoval,
            mayLeaveFiles: fault.strikesRemoval)
        let left = try FolderFiles.image(of: place.folder) { $0 != LockFile.fileName }
        if let problem = judge.problem(of: left) { throw ArchiveViolation(problem) }
        try judge.checkStores(at: place, voice: voice)
        guard case .store = operation.promise else { return }
        voice.say("stage", "opening the store")
        let store = try LabStore(at: place.store)
        defer { store.close() }
        guard states.contains(try store.digest()) else {
            throw ArchiveViolation("the store is in no state of an import")
        }
        if let problem = try store.problems().first { throw ArchiveViolation("verify finds: \(problem)") }
    }

    /// Every state of the files that a power cut after the fault could leave. (Stores are cut off by `FaultRun`.)
    private func cutPower(_ entries: [DiskLog.Entry]) throws {
        guard case .file = operation.promise else { return }
        var struck = ArchiveRecording(operation: operation, sabotage: nil, start: recording.start, entries: entries)
        struck.end = recording.end
        for moment in struck.moments {
            let judge = ArchiveJudge(recording: struck, isAcknowledged: moment.isAcknowledged)
            for image in RecipeSource(history: moment.history, limits: .fault, seed: UInt64(moment.point)) {
                if let problem = judge.problem(of: moment.history.image(image)) {
                    throw ArchiveViolation("\(problem) after a power cut at \(moment.point) that kept \(image)")
                }
            }
        }
    }

    /// With the fault gone the same work must succeed, unless it is done.
    private func doAgain() throws {
        voice.say("stage", "doing it again")
        do {
            try operation.begin(place)()
        } catch FileError.targetExists {}
        let judge = ArchiveJudge(recording: recording, isAcknowledged: true)
        switch operation.promise {
        case .file:
            let left = try FolderFiles.image(of: place.folder) { $0 != LockFile.fileName }
            guard !fault.strikesRemoval, let problem = judge.problem(of: left) else { return }
            throw ArchiveViolation("\(problem), when it is done again")
        case .folder:
            // The first try may have left the old store under the name of its draft.
            try judge.checkStores(at: place, voice: voice)
        case .store:
            guard try ArchiveJudge.content(ofStoreAt: place.store) == recording.contentAfter else {
                throw ImageViolation.importIsNotCompleted
            }
        }
    }
}
