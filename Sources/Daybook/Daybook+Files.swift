import Archive
import CivilTime
import Records
import Tasks

/// What an import did.
public struct ImportReport: Sendable, Equatable {
    /// Records that were written.
    public var imported = 0
    /// Records that were there already, as new or newer.
    public var unchanged = 0
    /// Records that could not be read and were left out on request.
    public var skipped = 0

    /// Nothing yet.
    public init() {}
}

extension Daybook {
    /// Writes every task to a sink, in chunks, from one consistent moment. Memory stays bounded.
    public func export(as format: TaskFormat, to sink: @escaping TaskWriter.Sink) throws {
        // A reading gives every error the type of the tasks'; what the sink said must not get lost.
        var failure: ArchiveError?
        do {
            try store.read { transaction in
                let reading = transaction.taskViews
                var writer = TaskWriter(
                    format: format, exportDate: context.clock.wall, appVersion: LibraryVersion.current,
                    zone: context.zone
                ) { (bytes) throws(ArchiveError) in
                    do throws(ArchiveError) {
                        try sink(bytes)
                    } catch {
                        failure = error
                        throw error
                    }
                }
                try reading.forEach { task, order in try writer.append(TaskDocument(task, sortOrder: order)) }
                if format == .ndjson {
                    try reading.forEachTombstone { try writer.append(TombstoneDocument($0)) }
                }
                try writer.finish()
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Brings the tasks of a file into the store: of two versions of a task the newer stays, so that a second run changes
    /// nothing. A thousand records a transaction, so that other writers go on; undone as one if none came between.
    public func `import`(_ file: TaskImport) async throws -> ImportReport {
        try await `import`(file, batch: Self.importBatch)
    }

    /// The same with so many records a transaction, and told of each transaction: for the crash lab.
    package func `import`(
        _ file: TaskImport, batch batchSize: Int, acknowledged: @Sendable () throws -> Void = {}
    ) async throws -> ImportReport {
        var report = ImportReport()
        report.skipped = file.invalid.count
        // Within a day or the Inbox new tasks follow each other as the file orders them.
        let tasks = file.tasks.enumerated().sorted { left, right in
            (left.element.sortOrder, left.offset) < (right.element.sortOrder, right.offset)
        }.map(\.element)
        var first: UInt64?
        for start in stride(from: 0, to: tasks.count, by: batchSize) {
            let batch = tasks[start..<min(start + batchSize, tasks.count)].map(\.imported)
            let (written, sequence) = try await self.tasks.merge(batch, [], continuing: first)
            if first == nil, sequence != 0 { first = sequence }
            report.imported += written
            report.unchanged += batch.count - written
            try acknowledged()
        }
        for start in stride(from: 0, to: file.tombstones.count, by: batchSize) {
            let end = min(start + batchSize, file.tombstones.count)
            let batch = file.tombstones[start..<end].map(\.tombstone)
            let (written, sequence) = try await self.tasks.merge([], batch, continuing: first)
            if first == nil, sequence != 0 { first = sequence }
            report.imported += written
            report.unchanged += batch.count - written
            try acknowledged()
        }
        return report
    }

    /// What an import of the file would do, by doing it in one transaction that is then given up.
    public func previewImport(_ file: TaskImport) async throws -> ImportReport {
        var report = ImportReport()
        report.skipped = file.invalid.count
        do {
            try await write { transaction in
                var written = 0
                for task in file.tasks where try transaction.tasks.merge(task.imported) { written += 1 }
                for tombstone in file.tombstones where try transaction.tasks.merge(tombstone.tombstone) { written += 1 }
                throw GivenUp(written: written)
            }
        } catch let preview as GivenUp {
            report.imported = preview.written
            report.unchanged = file.tasks.count + file.tombstones.count - preview.written
        }
        return report
    }

    private struct GivenUp: Error {
        let written: Int
    }

    private static let importBatch = 1000
}
