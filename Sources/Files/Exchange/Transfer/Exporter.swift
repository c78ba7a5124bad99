import ByteStreams
import CivilTime
import Records
import Tasks
import Threading

extension TaskTransfer {
    /// Writes every task to a sink.
    ///
    /// - Parameter engine: The object that stands for the store in this process.
    package func export(
        as format: TaskFormat, options: ExportOptions, of engine: AnyObject, to sink: @escaping TaskWriter.Sink
    ) throws {
        try Self.running.begin(engine)
        defer { Self.running.end(engine) }
        // Errors of the closure of a read are converted to errors of tasks; this keeps those of the sink.
        var failure: FileError?
        let recording: TaskWriter.Sink = { (bytes) throws(FileError) in
            do throws(FileError) {
                try sink(bytes)
            } catch {
                failure = error
                throw error
            }
        }
        do {
            if options.isCompressed {
                let compressed = ZstdWriter(sink: recording)
                try write(format, options) { (bytes) throws(FileError) in try compressed.write(bytes) }
                try compressed.finish()
            } else {
                try write(format, options, to: recording)
            }
        } catch {
            throw failure ?? error
        }
    }

    private func write(_ format: TaskFormat, _ options: ExportOptions, to sink: @escaping TaskWriter.Sink) throws {
        try tasks.read(isRepeatable: false) { reading in
            let lists = try reading.lists().lists.map(\.list)
            let names = Dictionary(uniqueKeysWithValues: lists.map { ($0.id, $0.name) })
            var writer = TaskWriter(
                format: format, exportDate: context.clock.wall, appVersion: LibraryVersion.current,
                zone: context.zone, lists: lists, isRaw: options.isRaw, sink: sink)
            if format == .csv, options.hasByteOrderMark { try sink([0xEF, 0xBB, 0xBF]) }
            var progress = FileProgress()
            progress.total = try reading.count()
            let hasLinks = try reading.hasLinks()
            try reading.forEach { task, order in
                let blockers = hasLinks ? try reading.blockerIDs(of: task.id) : []
                var record = ImportedTask(
                    task, sortOrder: order, blockedBy: blockers, listName: task.listID.flatMap { names[$0] })
                try record.stateLinks(in: format, hasLinks ? reading : nil)
                try writer.append(record)
                progress.done += 1
                if progress.done % 1000 == 0 { try options.progress(progress) }
            }
            if format == .ndjson {
                try reading.forEachTombstone { try writer.append($0) }
            }
            try writer.finish()
        }
    }

    /// The stores that are being exported in this process.
    private static let running = RunningExports()
}

/// Two exports of a store at once in a process are a mistake, such as a button that was pressed twice (requirement
/// C-S7.2). Exports of several processes are independent: each reads its own consistent snapshot.
private final class RunningExports: Sendable {
    private struct Export: Hashable {
        // A folder has one engine in a process, however often and by whatever path it is opened.
        let engine: ObjectIdentifier
        // An export of the parent never ends in the child of a fork, where the address may be used again.
        let generation = ForkGuard.generation

        init(_ engine: AnyObject) { self.engine = ObjectIdentifier(engine) }
    }

    private let engines = ForkSafeMutex<Set<Export>>(acrossForks: [])

    func begin(_ engine: AnyObject) throws(FileError) {
        let isFirst = engines.withLock { $0.insert(Export(engine)).inserted }
        if !isFirst { throw .busy }
    }

    func end(_ engine: AnyObject) {
        engines.withLock { _ = $0.remove(Export(engine)) }
    }
}
