import KeyValue
import Records
import Tasks

/// Makes the stores that workloads begin with.
enum BaseStores {
    static func all(in scratch: String, pool: ChildPool) throws -> [LabWorkload.Base: DiskImage] {
        let small = try image(in: scratch, pool) { path in
            let store = try LabStore(at: path)
            var model = LabModel(today: LabStore.today)
            for step in LabWorkload.Base.smallSteps {
                guard let action = model.action(for: step) else { continue }
                try store.perform(action)
                model.apply(action, at: LabStore.start)
            }
            store.close()
        }
        let older = try image(in: scratch, pool, from: small) { path in
            let environment = try Environment.open(at: path)
            let tables = try environment.openTables(TaskList.schema.tableNames)
            try environment.write { transaction in try forgetDerived(tables, in: transaction) }
            environment.close()
        }
        let empty = DiskImage()
        // A process number beyond all that Linux gives out.
        let abandoned = DiskImage(files: [
            "home/.store.creating-9999999/data.mdb": [UInt8](repeating: 0, count: 8192),
            "home/.store.creating-9999999/lock.mdb": [],
        ])
        return [.nothing: empty, .abandoned: abandoned, .unflushed: empty, .small: small, .older: older]
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

    /// What a version that knew neither the indexes nor the roll-ups would have left.
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
