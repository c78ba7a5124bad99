import DiskRecording
import DomainPacks
import Glibc
import Injection
import Records

/// Opens a crash image in a child process and checks the five promises.
struct ImageCheck {
    var rules: ImageRules
    /// A folder for images, used by this child process alone.
    let folder: String
    let reporter: ChildReporter
    /// Also undoes every operation. Once per state is enough.
    var undoesAll = false
    /// Also crashes the recovery.
    var interruptsRecovery = true

    /// Checks an image, including interrupted recoveries.
    ///
    /// Reports `state`, the digest of the content, and `nested`, the number of images of interrupted recoveries, if
    /// recovery changes the disk at all.
    ///
    /// - Throws: the broken promise.
    func run(_ image: DiskImage) throws {
        let (number, recovery) = try judge(image)
        guard interruptsRecovery else { return }
        let count = try interrupt(recovery, of: image, toState: number)
        if count > 0 { reporter.report("nested", "\(count)") }
    }

    /// Checks all promises except interrupted recovery. Returns the number of the state found and the calls that
    /// opening made.
    @discardableResult
    func judge(_ image: DiskImage) throws -> (state: Int, recovery: [DiskCall]) {
        let path = "\(folder)/\(Recording.storePath)"
        try FolderFiles.replace(folder, with: image)
        if rules.mustExist, image.files[Recording.dataPath] == nil { throw ImageViolation.storeIsGone }
        if image.admitsOlderPrograms { throw ImageViolation.admitsOlderPrograms }

        reporter.report("stage", "opening the image")
        try DiskLog.begin(folder: folder)
        let store = try LabStore(at: path, of: rules.workload.pack, options: rules.workload.openingOptions)
        DiskLog.end()
        let recovery = try DiskLog.entries().normalized.calls

        reporter.report("stage", "reading it")
        let digest = try store.digest()
        reporter.report("state", "\(digest)")
        let number = try rules.check(digest) { try? store.lines() }
        reporter.report("stage", "verifying it")
        if let problem = try store.problems().first { throw ImageViolation.notClean(problem) }
        store.close()

        reporter.report("stage", "opening it again")
        let before = FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)")
        let again = try LabStore(at: path, of: rules.workload.pack, options: rules.workload.openingOptions)
        guard FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)") == before else {
            throw ImageViolation.secondOpeningWrites
        }
        try writeMore(to: again, after: number)
        again.close()
        if let content = rules.content { try importAgain(into: image, toContent: content) }
        return (number, recovery)
    }

    /// Running an interrupted import again must complete it.
    private func importAgain(into image: DiskImage, toContent content: UInt64) throws {
        reporter.report("stage", "importing again")
        try FolderFiles.replace(folder, with: image)
        let store = try LabStore(at: "\(folder)/\(Recording.storePath)", options: rules.workload.openingOptions)
        try LabImport.perform(in: store)
        guard try LabImport.content(of: store) == content else { throw ImageViolation.importIsNotCompleted }
        if let problem = try store.problems().first { throw ImageViolation.notClean(problem) }
        store.close()
    }

    /// Twenty more transactions must work and leave a valid store.
    private func writeMore(to store: LabStore, after number: Int) throws {
        reporter.report("stage", "writing more")
        let lines = try store.lines()
        let before = rules.workload.model(after: number) ?? Self.others
        var model = before
        let operations = LabOperation.short(of: rules.workload.pack.type)
        for step in 0..<20 {
            let index = 10_000 + step
            guard let action = model.action(for: LabStep(operations[step % operations.count], draw: step), at: index)
            else { continue }
            store.setStep(index)
            try store.perform(action)
            model.apply(action)
        }
        let expected = rules.workload.model(after: number) == nil ? nil : model.lines
        let after = try store.lines()
        if let expected, expected != after {
            throw ImageViolation.cannotWriteMore(Difference.between(expected, after))
        }
        guard after.count - lines.count == model.lines.count - before.lines.count else {
            throw ImageViolation.cannotWriteMore("\(after.count - lines.count) lines were added")
        }
        if let problem = try store.problems().first { throw ImageViolation.cannotWriteMore(problem) }
        if undoesAll { try undoAll(in: store, model, to: lines, depth: before.undoDepth, rules.undoDepths[number]) }
    }

    /// Tasks that no workload has, for states that the model does not cover.
    private static let others = LabModel(TaskPack(lastNumber: 1 << 20))

    /// Undoes what was written, and then everything before it.
    private func undoAll(
        in store: LabStore, _ written: LabModel, to lines: [String], depth: Int, _ undoDepth: Int
    ) throws {
        reporter.report("stage", "undoing everything")
        var model = written
        while model.undoDepth > depth {
            try store.perform(PackAction.undo)
            model.apply(.undo)
        }
        // What is not undone stays as it was written, and the model has it.
        let isCovered = depth == undoDepth
        guard try store.lines() == (isCovered ? model.lines : lines) else {
            throw ImageViolation.cannotUndo("undoing the changes leaves a difference")
        }
        for step in 0..<undoDepth {
            do {
                try store.perform(PackAction.undo)
                model.apply(.undo)
            } catch {
                throw ImageViolation.cannotUndo("\(step) of \(undoDepth) operations can be undone: \(error)")
            }
        }
        let empty = isCovered ? model.lines : rules.workload.pack.type.init().lines(at: LabStore.moment)
        let remaining = try store.lines()
        guard remaining == empty else {
            throw ImageViolation.cannotUndo(
                "after undoing everything: \(Difference.between(empty, remaining))")
        }
    }

    /// Crashes the recovery at each of its calls; every resulting image must lead to the same state.
    private func interrupt(_ recovery: [DiskCall], of image: DiskImage, toState number: Int) throws -> Int {
        var check = self
        check.undoesAll = false
        check.rules.allowed = number...number
        var seen: Set<UInt64> = [image.imageDigest()]
        var history = DiskHistory(image)
        for (index, call) in recovery.enumerated() {
            for moment in CrashMoment.relevant(of: call) where call.changesDisk {
                var crashed = history
                if moment == .during { crashed.begin(call) } else { crashed.apply(call) }
                for outcome in CrashOutcomes(history: crashed, limits: .recovery, seed: UInt64(index)) {
                    var nested = crashed.image(outcome)
                    guard seen.insert(nested.imageDigest()).inserted else { continue }
                    LockFile.allCases[seen.count % LockFile.allCases.count].put(into: &nested, stale: [])
                    reporter.report("interrupted", "\(index)\(moment == .during ? "-" : "+");\(outcome)")
                    try check.judge(nested)
                }
            }
            history.apply(call)
        }
        reporter.report("interrupted", "none")
        return seen.count - 1
    }
}

extension DiskCall {
    /// Whether it can change what a disk holds. The memory map of the lock file is excluded.
    var changesDisk: Bool {
        switch kind {
        case .write, .resize, .allocate, .rename, .link, .remove, .makeFolder, .removeFolder, .flush, .flushData: true
        case .open: flags & UInt32(O_CREAT) != 0
        case .close, .flushMap, .map: false
        }
    }

    /// Whether it changes the disk or a file's length, or has failed, perhaps because of a fault.
    var hasEffect: Bool { changesDisk || hasFailed || kind == .open && flags & UInt32(O_TRUNC) != 0 }
}

extension LabWorkload {
    /// How images of this workload are opened: without the injected fault, unless it is one of reading.
    var openingOptions: StoreOptions {
        var options = options
        let ofReading: [InjectionPoint?] = [
            .ignoresChecksums, .opensWithoutRecovery, .keepsLaterMetaPages, .believesEveryRecord,
        ]
        if !ofReading.contains(injectionPoint) { options.injectionPoint = ArmedInjectionPoints() }
        return options
    }
}

/// A broken promise.
enum ImageViolation: Error, CustomStringConvertible {
    case storeIsGone
    case admitsOlderPrograms
    case noState(String)
    case wrongState(Int, allowed: ClosedRange<Int>)
    case notClean(String)
    case secondOpeningWrites
    case cannotWriteMore(String)
    case cannotUndo(String)
    case importIsNotCompleted

    var description: String {
        switch self {
        case .storeIsGone:
            "the store is gone although it had been opened"
        case .admitsOlderPrograms:
            "a program that knows nothing of the commit log opens the store, although its log counts"
        case .noState(let lines):
            "the content is no state that the store ever had: \(lines)"
        case .wrongState(let number, let allowed):
            "found state \(number), but \(allowed.lowerBound) was acknowledged and \(allowed.upperBound) issued"
        case .notClean(let problem):
            "verify reports: \(problem)"
        case .secondOpeningWrites:
            "opening the store again changes the data file"
        case .cannotWriteMore(let problem):
            "twenty more transactions fail: \(problem)"
        case .cannotUndo(let problem):
            "undo does not restore an earlier state: \(problem)"
        case .importIsNotCompleted:
            "repeating the import does not complete it"
        }
    }
}
