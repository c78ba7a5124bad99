import Glibc
import Injection
import Records

/// Opens an image, in a child process, and looks whether it keeps the five promises.
struct ImageCheck {
    var rules: ImageRules
    /// A folder for the images, for this child alone.
    let folder: String
    let voice: ChildVoice
    /// Undoes everything as well: worth it once for each state.
    var undoesAll = false
    /// Crashes the recovery, too.
    var interruptsRecovery = true

    /// Says `state`, the digest of what the image holds, and `nested`, how many images of an interrupted recovery were
    /// opened, if recovering changes the disk at all. Throws what is wrong.
    func run(_ image: DiskImage) throws {
        let (number, recovery) = try judge(image)
        guard interruptsRecovery else { return }
        let count = try interrupt(recovery, of: image, toState: number)
        if count > 0 { voice.say("nested", "\(count)") }
    }

    /// All of the promises but that recovery may be interrupted. Returns the number of the state that is there, and the
    /// calls that opening made.
    @discardableResult
    func judge(_ image: DiskImage) throws -> (state: Int, recovery: [DiskCall]) {
        let path = "\(folder)/\(Recording.storePath)"
        try FolderFiles.replace(folder, with: image)
        if rules.mustExist, image.files[Recording.dataPath] == nil { throw ImageViolation.storeIsGone }

        voice.say("stage", "opening the image")
        try DiskLog.begin(folder: folder)
        let store = try LabStore(at: path, options: rules.workload.openingOptions)
        DiskLog.end()
        let recovery = try DiskLog.entries().prepared.calls

        voice.say("stage", "reading it")
        let digest = try store.digest()
        voice.say("state", "\(digest)")
        let number = try rules.check(digest) { try? store.lines() }
        voice.say("stage", "verifying it")
        if let problem = try store.problems().first { throw ImageViolation.notClean(problem) }
        store.close()

        voice.say("stage", "opening it again")
        let before = FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)")
        let again = try LabStore(at: path, options: rules.workload.openingOptions)
        guard FolderFiles.bytes(of: "\(folder)/\(Recording.dataPath)") == before else {
            throw ImageViolation.secondOpeningWrites
        }
        try goOn(again, undoDepth: undoesAll ? rules.undoDepths[number] : nil)
        again.close()
        if let content = rules.content { try importAgain(into: image, toContent: content) }
        return (number, recovery)
    }

    /// An import that was cut off is completed by running it again.
    private func importAgain(into image: DiskImage, toContent content: UInt64) throws {
        voice.say("stage", "importing again")
        try FolderFiles.replace(folder, with: image)
        let store = try LabStore(at: "\(folder)/\(Recording.storePath)", options: rules.workload.openingOptions)
        try LabImport.perform(in: store)
        guard try LabImport.content(of: store) == content else { throw ImageViolation.importIsNotCompleted }
        if let problem = try store.problems().first { throw ImageViolation.notClean(problem) }
        store.close()
    }

    /// Twenty more transactions must work, and everything must be right after them.
    private func goOn(_ store: LabStore, undoDepth: Int?) throws {
        voice.say("stage", "writing on")
        let lines = try store.lines()
        let count = try store.store.read { try $0.tasks.count() }
        let first = 1 << 20
        for step in 0..<20 {
            store.setStep(10_000 + step)
            let number = first + step
            try store.perform(
                step % 5 == 4 ? .setState(number - 1, .completed) : .create(number, on: nil, noteLength: step * 40))
        }
        let after = try store.store.read { try $0.tasks.count() }
        guard after == count + 16 else { throw ImageViolation.cannotGoOn("16 tasks were added, \(after - count) came") }
        if let problem = try store.problems().first { throw ImageViolation.cannotGoOn(problem) }
        guard let undoDepth else { return }
        voice.say("stage", "undoing everything")
        for _ in 0..<20 { try store.perform(.undo) }
        guard try store.lines() == lines else { throw ImageViolation.cannotUndo("20 undone changes left a difference") }
        for step in 0..<undoDepth {
            do {
                try store.perform(.undo)
            } catch {
                throw ImageViolation.cannotUndo("\(step) of \(undoDepth) operations can be undone: \(error)")
            }
        }
        let remaining = try store.store.read { try $0.tasks.count() }
        guard remaining == 0 else { throw ImageViolation.cannotUndo("\(remaining) tasks are left after undoing all") }
    }

    /// Crashes the recovery at each of its calls; every image of that must lead to the same state.
    private func interrupt(_ recovery: [DiskCall], of image: DiskImage, toState number: Int) throws -> Int {
        var check = self
        check.undoesAll = false
        check.rules.allowed = number...number
        var seen: Set<UInt64> = [image.imageDigest()]
        var history = DiskHistory(image)
        for (index, call) in recovery.enumerated() {
            for moment in CrashMoment.worthTrying(of: call) where call.changesDisk {
                var crashed = history
                if moment == .during { crashed.begin(call) } else { crashed.apply(call) }
                for recipe in RecipeSource(history: crashed, limits: .recovery, seed: UInt64(index)) {
                    var nested = crashed.image(recipe)
                    guard seen.insert(nested.imageDigest()).inserted else { continue }
                    LockFile.allCases[seen.count % LockFile.allCases.count].put(into: &nested, stale: [])
                    voice.say("interrupted", "\(index)\(moment == .during ? "-" : "+");\(recipe)")
                    try check.judge(nested)
                }
            }
            history.apply(call)
        }
        voice.say("interrupted", "none")
        return seen.count - 1
    }
}

extension DiskCall {
    /// Whether it can change what a disk holds, the lock file's memory apart.
    var changesDisk: Bool {
        switch kind {
        case .write, .resize, .allocate, .rename, .link, .remove, .makeFolder, .removeFolder, .flush, .flushData: true
        case .open: flags & UInt32(O_CREAT) != 0
        case .close, .flushMap, .map: false
        }
    }
}

extension LabWorkload {
    /// How an image of this workload is opened: the sabotage is one of the run that crashed, unless it is one of reading.
    var openingOptions: StoreOptions {
        var options = options
        if sabotage != .ignoresChecksums { options.injectionPoint = ArmedInjectionPoints() }
        return options
    }
}
