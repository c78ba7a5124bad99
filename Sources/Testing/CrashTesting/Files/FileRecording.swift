import ByteStreams
import DiskImages
import DiskRecording
import Injection

/// The file system calls of an operation without faults, and its result.
struct FileRecording {
    let operation: FileOperation
    let injectionPoint: InjectionPoint?
    /// The calls. Neither the folder before nor that after has lock files.
    let recording: Recording
    var end: DiskImage
    /// Digests of the content of the store that the operation changes: before, if it existed, and after.
    let contentBefore: UInt64?
    let contentAfter: UInt64?

    var start: DiskImage { recording.start }
    /// The crash points of the operation itself.
    var crashPoints: CrashPoints { CrashPoints(of: recording.entries, from: start, after: 1) }

    /// - Parameter entries: normalized entries with the marks that `FileRun` makes.
    init(operation: FileOperation, injectionPoint: InjectionPoint?, start: DiskImage, entries: [DiskLog.Entry]) {
        self.operation = operation
        self.injectionPoint = injectionPoint
        recording = Recording(start: start, entries: entries, lockFile: [])
        var history = DiskHistory(start)
        var contents: [UInt64] = []
        for entry in entries {
            switch entry {
            case .call(let call): history.apply(call)
            case .mark(let kind, let value, _):
                if LabMark(rawValue: kind) == .content { contents.append(UInt64(bitPattern: value)) }
            }
        }
        end = history.pageCacheImage
        contentBefore = contents.count > 1 ? contents.first : nil
        contentAfter = contents.last
    }
}

extension FileRecording: PooledRun {
    var drawsLockFile: Bool { false }
    var opensImages: Bool { operation.promise.isOfFolder }

    func reproducer(of crash: RecordedCrash) -> String {
        Reproducer.fileCrash(operation, injectionPoint, crash).text
    }

    func key(of image: DiskImage, at point: CrashPoint) -> UInt64 {
        var digest = RunningDigest(seed: image.digest)
        digest.mix(point.isAcknowledged ? 1 : 0)
        digest.mix(operation.name)
        return digest.value
    }

    func problem(of image: DiskImage, at point: CrashPoint) -> String? {
        FileJudge(recording: self, isAcknowledged: point.isAcknowledged).problem(of: image)
    }

    func check(_ trial: ImageTrial, in folder: String, reporter: ChildReporter) throws {
        var judge = FileJudge(recording: self, isAcknowledged: trial.point.isAcknowledged)
        let place = OperationFolder(folder: folder)
        try FolderFiles.replace(folder, with: trial.image)
        try judge.checkStores(at: place, reporter: reporter)
        // Leftovers of a crash must not prevent repeating the operation. An existing store is not replaced unless
        // asked.
        let isThere = operation.changedStore(at: place).map(FileJudge.isStore) == true
        if case .gone = operation.promise {
            reporter.report("stage", "repeating the operation")
            return try judge.repeatRemoval(at: place)
        }
        guard contentBefore != nil || !isThere else { return }
        reporter.report("stage", "repeating the operation")
        try operation.begin(place)()
        judge.isAcknowledged = true
        try judge.checkStores(at: place, reporter: reporter)
    }
}

extension Recorder {
    /// Records an operation on files without faults.
    func record(_ operation: FileOperation, injectionPoint: InjectionPoint? = nil) throws -> FileRecording {
        let place = OperationFolder(folder: "\(scratch)/recording", injectionPoint: injectionPoint)
        try FolderFiles.replace(place.folder, with: bases.small)
        try pool.perform("preparing \(operation.name)") { _ in try operation.prepare(place) }
        let start = try FolderFiles.image(of: place.folder).withoutLockFiles
        let (recording, _) = try record(operation.name, from: start) { _, _ in
            try FileRun(operation: operation, place: place).run()
        }
        return FileRecording(
            operation: operation, injectionPoint: injectionPoint, start: start, entries: recording.entries)
    }
}

extension DiskImage {
    var withoutLockFiles: DiskImage {
        var image = self
        for path in files.keys where DiskImage.name(of: path) == LockFile.fileName { image.removeFile(path) }
        return image
    }
}

/// One run without faults, with marks for issued and acknowledged work.
struct FileRun {
    let operation: FileOperation
    let place: OperationFolder

    func run() throws {
        try noteContent()
        let perform = try operation.begin(place)
        DiskLog.note(.issued, 1)
        try perform()
        DiskLog.note(.acknowledged, 1)
        try noteContent()
    }

    private func noteContent() throws {
        guard let path = operation.changedStore(at: place), FileJudge.isStore(path) else { return }
        DiskLog.note(.content, Int64(bitPattern: try FileJudge.content(ofStoreAt: path)))
    }
}

extension FileOperation {
    /// The store that the operation creates or changes; nil if none.
    func changedStore(at place: OperationFolder) -> String? {
        switch promise {
        case .file: nil
        case .folder(let name), .gone(let name): place.path(name)
        case .store: place.store
        }
    }
}
