import ByteStreams
import CivilTime
import FoundationEssentials
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
            // Below the task that it is a part of, in the order made by hand, where the format shows that.
            var tree = try format == .markdown && reading.hasSubtasks() ? SubtaskTree(reading) : nil
            func write(_ task: TaskItem, _ order: Int, depth: Int) throws {
                let blockers = hasLinks ? try reading.blockerIDs(of: task.id) : []
                var record = ImportedTask(
                    task, sortOrder: order, blockedBy: blockers, listName: task.listID.flatMap { names[$0] })
                try record.stateLinks(in: format, hasLinks ? reading : nil)
                try writer.append(record, depth: depth)
                progress.done += 1
                if progress.done % 1000 == 0 { try options.progress(progress) }
            }
            try reading.forEach { task, order in
                for (task, depth) in try tree?.rows(from: task) ?? [(task, 0)] { try write(task, order, depth: depth) }
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

/// Tasks with those below them, for a format that indents: each is written once, whatever devices that were apart have made of the
/// parents. Memory holds the ids of the subtasks.
private struct SubtaskTree {
    private let reading: TaskReading
    private var written: Set<UUID> = []

    init(_ reading: TaskReading) { self.reading = reading }

    /// Returns what to write when a task is reached: it and all below it, or nothing if it is written below another one.
    mutating func rows(from task: TaskItem) throws -> [(task: TaskItem, depth: Int)] {
        if try written.contains(task.id) || isBelowAnother(task) { return [] }
        let below = Dictionary(grouping: try reading.descendants(of: task.id)) { $0.parentTaskID }
        var rows: [(task: TaskItem, depth: Int)] = []
        func add(_ task: TaskItem, _ depth: Int) {
            if !below.isEmpty || depth > 0 || task.parentTaskID != nil {
                guard written.insert(task.id).inserted else { return }
            }
            rows.append((task, depth))
            for part in below[task.id] ?? [] { add(part, depth + 1) }
        }
        add(task, 0)
        return rows
    }

    /// Whether there is a task without a parent above it.
    private func isBelowAnother(_ task: TaskItem) throws -> Bool {
        var above: Set<UUID> = [task.id]
        var next = task.parentTaskID
        while let id = next, let parent = try reading.get(id) {
            guard above.insert(id).inserted else { return false }
            next = parent.parentTaskID
        }
        return above.count > 1
    }
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
