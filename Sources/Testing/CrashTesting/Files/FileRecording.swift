import ByteStreams
import DiskRecording
import Injection

/// The file system calls of an operation without faults, and its result.
struct FileRecording: Sendable {
    let operation: FileOperation
    let injectionPoint: InjectionPoint?
    /// The folder before and after, without lock files.
    let start: DiskImage
    var end: DiskImage
    let entries: [DiskLog.Entry]
    /// Digests of the content of the store that the operation changes: before, if it existed, and after.
    let contentBefore: UInt64?
    let contentAfter: UInt64?

    /// The crash points of the operation itself.
    var crashPoints: CrashPoints { CrashPoints(of: entries, from: start, after: 1) }

    /// - Parameter entries: normalized entries with the marks that `FileRun` makes.
    init(operation: FileOperation, injectionPoint: InjectionPoint?, start: DiskImage, entries: [DiskLog.Entry]) {
        self.operation = operation
        self.injectionPoint = injectionPoint
        self.start = start
        self.entries = entries
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
