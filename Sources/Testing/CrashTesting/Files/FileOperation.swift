import ByteStreams
import CivilTime
import Daybook
import DomainPacks
import Exchange
import FoundationEssentials
import Injection
import Records
import Snapshots
import Tasks

/// An operation on files beside a store, and what a crash of it may leave.
struct FileOperation: Sendable {
    enum Promise: Sendable {
        /// The file with this name is complete: old or new. The store is unchanged.
        case file(String)
        /// The folder with this name holds the old store or the complete new one. A replaced store is kept in a folder
        /// beside it; nothing else changes.
        case folder(String)
        /// The folder with this name holds the whole store or, once the removal was acknowledged, nothing: no file has any of
        /// the store's bytes. In between, files are missing, but none has changed, and repeating the removal completes it.
        case gone(String)
        /// The store holds one of the operation's intermediate states, and repeating the operation completes it.
        case store

        /// Whether it is about a whole store, which has to be opened.
        var isOfFolder: Bool {
            switch self {
            case .folder, .gone: true
            case .file, .store: false
            }
        }

        /// More images of a file are tried than of a store, which has to be opened.
        var limits: ExplorationLimits { isOfFolder ? .long : ExplorationLimits() }
    }

    let name: String
    let promise: Promise
    /// Whether a store that is replaced is kept beside it. Not for one that another content is put into.
    var keepsOldStore = true
    /// Creates the initial files beside the store.
    var prepare: @Sendable (OperationFolder) throws -> Void = { _ in }
    /// Opens what is needed and returns the operation itself.
    let begin: @Sendable (OperationFolder) throws -> () throws -> Void

    /// Crash images of a store are covered by the workloads that end with an import.
    var hasImages: Bool {
        if case .store = promise { false } else { true }
    }

    static func named(_ name: some StringProtocol) -> FileOperation? { all.first { $0.name == name } }
}

/// The folder of an operation: a store, and beside it the operation's input and output.
struct OperationFolder: Sendable {
    let folder: String
    /// The fault that the operation injects.
    var injectionPoint: InjectionPoint?

    var store: String { "\(folder)/\(Recording.storePath)" }
    func path(_ name: String) -> String { "\(folder)/\(Self.home)/\(name)" }

    /// The folder that holds the store and the files.
    static let home = DiskImage.folder(of: Recording.storePath)

    /// The store as a program opens it.
    func daybook() throws -> DaybookStore { try LabStore(at: store).daybook() }
}

extension FileOperation {
    static let all: [FileOperation] = [
        FileOperation(name: "export", promise: .file(exported), prepare: fill) { place in
            try export(at: place, overwrite: false)
        },
        FileOperation(
            name: "export over a file", promise: .file(exported),
            prepare: { place in
                try fill(place)
                try FolderFiles.write(Array("what was there before\n".utf8), to: place.path(exported))
            },
            begin: { place in try export(at: place, overwrite: true) }),
        FileOperation(name: "import", promise: .store) { place in
            let store = try LabStore(at: place.store)
            return { try LabImport.perform(in: store) }
        },
        FileOperation(name: "snapshot", promise: .file(snapshot), prepare: fill) { place in
            let daybook = try place.daybook()
            return { try daybook.files.snapshot(to: place.path(snapshot)) }
        },
        FileOperation(name: "restore", promise: .folder(restored), prepare: makeSnapshot) { place in
            { try StoreFiles.restore(place.path(snapshot), to: place.path(restored)) }
        },
        FileOperation(
            name: "restore over a store", promise: .folder(restored),
            prepare: { place in
                try makeSnapshot(place)
                let other = try LabStore(at: place.path(restored))
                try other.perform(.create(900, on: nil, noteLength: 0))
                other.close()
            },
            begin: { place in
                {
                    var options = RestoreOptions(replacing: true)
                    options.injectionPoint = ArmedInjectionPoints(place.injectionPoint)
                    try StoreFiles.restore(place.path(snapshot), to: place.path(restored), options: options)
                }
            }),
        FileOperation(
            name: "compact", promise: .folder(FolderEntry.name(of: Recording.storePath)), prepare: fill
        ) { place in
            let daybook = try place.daybook()
            return { _ = try daybook.compact() }
        },
        FileOperation(
            name: "bulk load", promise: .folder(loaded), keepsOldStore: false,
            prepare: { place in try LabStore(at: place.path(loaded)).close() },
            begin: { place in
                var options = StoreOptions.direct
                options.injectionPoint = ArmedInjectionPoints(place.injectionPoint)
                let daybook = try LabStore(at: place.path(loaded), options: options).daybook()
                return { try load(into: daybook) }
            }),
        FileOperation(
            name: "wipe", promise: .gone(FolderEntry.name(of: Recording.storePath)),
            prepare: { place in
                try fill(place)
                // What a creation, a compaction and a bulk load of it may have left, of processes that are gone.
                let data = FolderFiles.bytes(of: "\(place.store)/data.mdb") ?? []
                for folder in [
                    place.path(".store.creating-9999999"), "\(place.store)/compacting", "\(place.store)/loading",
                ] {
                    try FolderFiles.replace(folder, with: DiskImage(files: ["data.mdb": data]))
                }
                try FolderFiles.replace("\(place.store)/building", with: DiskImage(files: ["store/data.mdb": data]))
            },
            begin: { place in
                { _ = try StoreRemoval(place.store, injectionPoint: .init(place.injectionPoint)).perform() }
            }),
    ]

    private static let exported = "tasks.json"
    private static let snapshot = "one.snapshot"
    private static let restored = "restored"
    private static let loaded = "loaded"

    private static func makeSnapshot(_ place: OperationFolder) throws {
        try fill(place)
        try place.daybook().files.snapshot(to: place.path(snapshot))
    }

    /// Loads tasks into a store without records. It may be repeated after an error that did not say whether they are there.
    private static func load(into daybook: DaybookStore) throws {
        let moment = daybook.context.clock.wall
        let numbers = 500..<540 as Range<UInt64>
        do {
            try daybook.bulkLoad { loader in
                for number in numbers.reversed() {
                    var task = TaskItem(id: UUID(high: 7, low: number), text: "loaded", createdAt: moment)
                    task.position = Int64(number) << 32
                    task.notes = String(repeating: "note ", count: 80)
                    try loader.insert(task)
                }
            }
        } catch RecordsError.notEmpty {
            guard try daybook.read({ try $0[TaskItem.self].count() }) == numbers.count else {
                throw RecordsError.notEmpty
            }
        }
    }

    /// Creates enough tasks for a file of several pages.
    private static func fill(_ place: OperationFolder) throws {
        let store = try LabStore(at: place.store)
        for number in 500..<520 { try store.perform(.create(number, on: nil, noteLength: 400)) }
        store.close()
    }

    private static func export(at place: OperationFolder, overwrite: Bool) throws -> () throws -> Void {
        let daybook = try place.daybook()
        let path = place.path(exported)
        return {
            let file = try AtomicFile(
                path: path, overwrite: overwrite, injectionPoint: ArmedInjectionPoints(place.injectionPoint))
            // In parts that are not whole pages, as in a larger export.
            try daybook.files.export(as: .json) { (bytes) throws(FileError) in
                for start in stride(from: 0, to: bytes.count, by: 5000) {
                    try file.write(Array(bytes[start..<min(start + 5000, bytes.count)]))
                }
            }
            try file.commit()
        }
    }
}
