import ByteStreams
import Injection

/// What an operation on files did to the disk while nothing failed, and what it led to.
struct ArchiveRecording: Sendable {
    let operation: ArchiveOperation
    let sabotage: InjectionPoint?
    /// The folder before and after, without lock files.
    let start: DiskImage
    var end: DiskImage
    let entries: [DiskLog.Entry]
    /// Digests of what the store that the operation changes holds: before, if it was there, and after.
    let contentBefore: UInt64?
    let contentAfter: UInt64?

    /// - Parameter entries: prepared ones, with the marks that `ArchiveRun` makes.
    init(operation: ArchiveOperation, sabotage: InjectionPoint?, start: DiskImage, entries: [DiskLog.Entry]) {
        self.operation = operation
        self.sabotage = sabotage
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

/// One undisturbed run, with the marks that tell what was promised when.
struct ArchiveRun {
    let operation: ArchiveOperation
    let place: ArchivePlace

    func run() throws {
        try noteContent()
        let perform = try operation.begin(place)
        DiskLog.note(.issued, 1)
        try perform()
        DiskLog.note(.acknowledged, 1)
        try noteContent()
    }

    private func noteContent() throws {
        guard let path = operation.changedStore(at: place), ArchiveJudge.isStore(path) else { return }
        DiskLog.note(.content, Int64(bitPattern: try ArchiveJudge.content(ofStoreAt: path)))
    }
}

extension ArchiveOperation {
    /// The store that it makes or changes; nil when it leaves stores alone.
    func changedStore(at place: ArchivePlace) -> String? {
        switch promise {
        case .file: nil
        case .folder(let name): place.path(name)
        case .store: place.store
        }
    }
}
