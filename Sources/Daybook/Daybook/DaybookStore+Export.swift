import ByteStreams
import CivilTime
import Exchange
import Records
import Tasks
import Threading

extension DaybookStore {
    /// Writes every task to a sink, in chunks, from one consistent moment. Memory stays bounded, and the store can be used
    /// meanwhile.
    ///
    /// - Throws: `FileError.busy` while another export of this store runs in this process; what the sink throws.
    public func export(
        as format: TaskFormat, options: ExportOptions = ExportOptions(), to sink: @escaping TaskWriter.Sink
    ) throws {
        try Self.running.begin(store.environment)
        defer { Self.running.end(store.environment) }
        // A reading gives every error the type of the tasks'; what the sink said must not get lost.
        var failure: FileError?
        let noted: TaskWriter.Sink = { (bytes) throws(FileError) in
            do throws(FileError) {
                try sink(bytes)
            } catch {
                failure = error
                throw error
            }
        }
        do {
            if options.isCompressed {
                let compressed = ZstdWriter(sink: noted)
                try write(format, options) { (bytes) throws(FileError) in try compressed.write(bytes) }
                try compressed.finish()
            } else {
                try write(format, options, to: noted)
            }
        } catch {
            throw failure ?? error
        }
    }

    private func write(_ format: TaskFormat, _ options: ExportOptions, to sink: @escaping TaskWriter.Sink) throws {
        try store.read { transaction in
            let reading = transaction.tasks
            var writer = TaskWriter(
                format: format, exportDate: context.clock.wall, appVersion: LibraryVersion.current,
                zone: context.zone, isRaw: options.isRaw, sink: sink)
            var progress = FileProgress()
            progress.total = try reading.count()
            try reading.forEach { task, order in
                try writer.append(TaskDocument(task, sortOrder: order))
                progress.done += 1
                if progress.done % 1000 == 0 { try options.progress(progress) }
            }
            if format == .ndjson {
                try reading.forEachTombstone { try writer.append(TombstoneDocument($0)) }
            }
            try writer.finish()
        }
    }

    /// The stores that are being exported in this process.
    private static let running = RunningExports()
}

/// Two exports of a store at once are a mistake, such as a button that was pressed twice (requirement C-S7.2).
private final class RunningExports: Sendable {
    private struct Export: Hashable {
        // The engine is one for a folder, however often and by whatever path it is opened.
        let engine: ObjectIdentifier
        // An export of the parent's never ends in the child of a fork, where its engine's address may be used again.
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
