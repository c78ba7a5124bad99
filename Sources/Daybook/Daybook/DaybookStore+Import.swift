import CivilTime
import Exchange
import Records
import Tasks

extension DaybookStore {
    /// Brings the records of a file into the store: of two versions of a task the newer stays, so that a second run changes
    /// nothing. A thousand records a transaction, so that other writers go on; undone as one if none came between. Memory
    /// stays bounded.
    ///
    /// All records are read and checked before the first is written, unless those that are not valid are skipped. An
    /// import that was interrupted is completed by the same import again.
    ///
    /// - Throws: `FileError`, with the line of the first record that cannot be taken; what `options.progress` throws.
    public func `import`(
        _ file: TaskFile, options: ImportOptions = ImportOptions()
    ) async throws -> ImportReport {
        if !options.skipInvalid, !options.isChecked {
            try Self.checkImport(of: file, context: context, options: options)
        }
        var reading = try FileReading(file, options, context, .importing)
        try reading.begin()
        var importer = Importer(tasks, reading.batch)
        while let record = try reading.next() {
            try await importer.append(record)
            reading.report = importer.report
        }
        var report = try await importer.finish()
        report.skipped = reading.skipped
        return report
    }

    /// Reads and checks all records of a file and keeps nothing: the first half of an import, for those that open the
    /// store only when the file is found good.
    ///
    /// - Throws: `FileError`, with the line of the first record that cannot be taken.
    public static func checkImport(
        of file: TaskFile, context: Context = .system, options: ImportOptions = ImportOptions()
    ) throws {
        var reading = try FileReading(file, options, context, .checking)
        try reading.begin()
        while try reading.next() != nil {}
    }

    /// Brings in records that stand in memory.
    ///
    /// - Parameter format: the format they were read from, for those that do not say when they were changed.
    public func `import`(_ file: TaskImport, format: TaskFormat = .json) async throws -> ImportReport {
        try await `import`(file, format: format, batch: ImportBatch.recordLimit) {}
    }

    /// The same with so many records a transaction, and told of each transaction: for the crash lab.
    package func `import`(
        _ file: TaskImport, format: TaskFormat = .json, batch recordLimit: Int,
        acknowledged: @escaping @Sendable () throws -> Void
    ) async throws -> ImportReport {
        let batch = ImportBatch(
            format: format, zone: context.zone, now: context.clock.wall, recordLimit: recordLimit)
        var importer = Importer(tasks, batch, acknowledged: acknowledged)
        for task in file.tasks { try await importer.append(.task(task)) }
        for tombstone in file.tombstones { try await importer.append(.tombstone(tombstone)) }
        var report = try await importer.finish()
        report.skipped = file.invalid.count
        return report
    }

    /// What an import of the file would do. Nothing is written, and no writer waits. A record that the file has twice
    /// counts twice.
    public func previewImport(_ file: TaskFile, options: ImportOptions = ImportOptions()) throws -> ImportReport {
        try Self.preview(file, options, context) { batch in try tasks.read { try batch.countNews(in: $0) } }
    }

    /// What an import of the file into a store that is not there yet would do.
    public static func previewImport(
        _ file: TaskFile, intoNewStoreOf context: Context, options: ImportOptions = ImportOptions()
    ) throws -> ImportReport {
        try preview(file, options, context) { $0.count }
    }

    private static func preview(
        _ file: TaskFile, _ options: ImportOptions, _ context: Context, countNews: (ImportBatch) throws -> Int
    ) throws -> ImportReport {
        var reading = try FileReading(file, options, context, .previewing)
        try reading.begin()
        var batch = reading.batch
        var isOver = false
        while !isOver {
            if let record = try reading.next() { batch.append(record) } else { isOver = true }
            guard batch.isFull || isOver else { continue }
            let news = try countNews(batch)
            reading.report.imported += news
            reading.report.unchanged += batch.count - news
            batch.removeAll()
        }
        reading.report.skipped = reading.skipped
        return reading.report
    }
}
