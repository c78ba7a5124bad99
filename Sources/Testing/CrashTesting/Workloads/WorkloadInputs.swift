import ByteStreams
import CivilTime
import Daybook
import DiskRecording
import DomainPacks
import Exchange
import KeyValue
import Records
import Snapshots
import Tasks

/// The folders that workloads begin with.
struct BaseImages: Sendable {
    fileprivate var images: [LabPack: [LabWorkload.Base: DiskImage]] = [:]

    subscript(workload: LabWorkload) -> DiskImage { images[workload.pack]?[workload.base] ?? DiskImage() }

    /// A store of a few tasks.
    var small: DiskImage { self[LabWorkload()] }
}

/// Creates the stores that workloads begin with.
enum BaseStores {
    static func all(in scratch: String, pool: ChildPool) throws -> BaseImages {
        var all = BaseImages()
        for pack in LabPack.allCases { all.images[pack] = try bases(of: pack, in: scratch, pool) }
        return all
    }

    private static func bases(
        of pack: LabPack, in scratch: String, _ pool: ChildPool
    ) throws -> [LabWorkload.Base: DiskImage] {
        let small = try image(in: scratch, pool) { try fill($0, of: pack, .never) }
        let formatOne = try image(in: scratch, pool) { try fill($0, of: pack, .absent) }
        let older = try image(in: scratch, pool, from: small) { path in
            let environment = try Environment.open(at: path)
            let tables = try environment.openTables(pack.schema.tableNames)
            try environment.write { transaction in try forgetDerived(tables, in: transaction) }
            environment.close()
        }
        let empty = DiskImage()
        let abandoned = DiskImage(files: [
            "\(Recording.storePath)/building/store/data.mdb": [UInt8](repeating: 0, count: 8192),
            "\(Recording.storePath)/building/store/lock.mdb": [],
        ])
        return [
            .nothing: empty, .abandoned: abandoned, .unflushed: empty, .small: small, .older: older,
            .formatOne: formatOne, .announced: formatOne.refusingOlderPrograms,
        ]
    }

    private static func fill(_ path: String, of pack: LabPack, _ commitLog: CommitLogUse) throws {
        var options = StoreOptions()
        options.commitLog = commitLog
        let store = try LabStore(at: path, of: pack, options: options)
        var model = LabModel(of: pack.type)
        for step in pack.start {
            guard let action = model.action(for: step) else { continue }
            try store.perform(action)
            model.apply(action)
        }
        if pack == .garden { _ = try store.store.consumer("gardener") }
        store.close()
    }

    private static func image(
        in scratch: String, _ pool: ChildPool, from start: DiskImage = DiskImage(),
        _ make: (String) throws -> Void
    ) throws -> DiskImage {
        let folder = "\(scratch)/base"
        try FolderFiles.replace(folder, with: start)
        let ending = try pool.run { _, _ in try make("\(folder)/\(Recording.storePath)") }
        if let failure = ending.failure { throw CrashLabError.workloadFailed("base store", failure) }
        var image = try FolderFiles.image(of: folder)
        image.removeFile(Recording.lockPath)
        return image
    }

    /// Leaves a store as a version without indexes and roll-ups would.
    private static func forgetDerived(_ tables: [Table], in transaction: borrowing RawWriteTransaction) throws {
        for table in tables where table.name.contains(".") { try transaction.removeAll(in: table) }
        guard let meta = tables.first(where: { $0.name == "meta" }) else { return }
        var notes: [[UInt8]] = []
        try transaction.reads.withCursor(over: meta) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                let key = try cursor.key()
                if !key.starts(with: Array("count/".utf8)) { notes.append(key) }
                isOnEntry = try cursor.moveToNext()
            }
        }
        for key in notes { try transaction.delete(key.span.bytes, in: meta) }
    }
}

/// The import at the end of a workload, in several transactions: a task of the base that is newer in the file, one that
/// was deleted elsewhere, and new ones, of which one needs overflow pages.
enum LabImport {
    /// Small, so that few records make several transactions.
    static let batch = 3

    /// The moment of the import, whatever happened before.
    private static let step = 20_000

    static var file: TaskImport {
        var file = TaskImport()
        let now = LabStore.instant(ofStep: 5000)
        for (order, number) in ([1] + Array(300...305)).enumerated() {
            var task = ImportedTask(
                id: TaskAction.id(number), text: TaskAction.text(number), createdAt: LabStore.start, updatedAt: now,
                sortOrder: order)
            if number % 3 != 0 { task.scheduledDate = LabStore.today.advanced(by: number % 3) }
            if number == 303 { task.notes = String(repeating: "n", count: 6000) }
            file.tasks.append(task)
        }
        file.tombstones = [Tombstone(id: TaskAction.id(2), deletedAt: now)]
        return file
    }

    /// Imports the file as a program would.
    ///
    /// - Parameter acknowledged: called after each transaction.
    static func perform(in store: LabStore, acknowledged: @escaping @Sendable () throws -> Void = {}) throws {
        store.setStep(step)
        let daybook = try store.daybook()
        _ = try CallingThread.run {
            try await daybook.files.import(Self.file, batch: Self.batch, acknowledged: acknowledged)
        }
    }

    /// Returns a digest of everything in an export, which an import has to complete.
    static func content(of store: LabStore) throws -> UInt64 {
        store.setStep(step)
        return try content(of: store.daybook())
    }

    static func content(of daybook: DaybookStore) throws -> UInt64 {
        let content = ContentOfExport()
        try daybook.files.export(as: .ndjson) { (bytes) throws(FileError) in content.bytes += bytes }
        return XXHash64.hash(content.bytes.span.bytes, seed: 0)
    }

    private final class ContentOfExport {
        var bytes: [UInt8] = []
    }
}
