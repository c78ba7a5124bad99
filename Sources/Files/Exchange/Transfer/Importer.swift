import ByteStreams
import CivilTime
import Records
import Tasks

/// Imports files into a task list and exports it.
package struct TaskTransfer: Sendable {
    let tasks: TaskList
    let context: Context

    package init(_ tasks: TaskList, context: Context) {
        self.tasks = tasks
        self.context = context
    }

    /// Imports the records of a file.
    package func `import`(_ file: TaskFile, options: ImportOptions) async throws -> ImportReport {
        var options = options
        if let (report, links, first) = try load(file, options: &options) {
            try await links.write(to: tasks, continuing: first)
            return report
        }
        if !options.skipInvalid, !options.isChecked {
            try Self.check(file, context: context, options: options)
        }
        var reading = try FileReading(file, options, context, .importing)
        try reading.begin()
        var importer = Importer(tasks, reading.batch, context.clock)
        while let record = try reading.next() {
            try await importer.append(record)
            reading.report = importer.report
        }
        var report = try await importer.finish()
        reading.complete(&report)
        return report
    }

    /// Imports the records of a file into a store that has none, all at once: a single pass, since an invalid record
    /// leaves nothing behind. Returns nil if that is not possible, and the options for importing in batches.
    private func load(_ file: TaskFile, options: inout ImportOptions) throws
        -> (report: ImportReport, links: ImportedLinks, first: UInt64)?
    {
        var report = ImportReport()
        var links = ImportedLinks()
        var complete: (inout ImportReport) -> Void = { _ in }
        let skips = SkippedRecords(options.leftOut)
        options.leftOut = skips.report
        let first = try tasks.load { loader in
            var reading = try FileReading(file, options, context, .loading)
            try reading.begin()
            while let record = try reading.next() {
                try loader.insert(record, number: report.imported)
                links.add(record)
                if case .list = record { continue }
                report.imported += 1
            }
            complete = { reading.complete(&$0) }
        }
        if let first {
            complete(&report)
            return (report, links, first)
        }
        skips.beginAgain()
        options.bytesReadBefore = file.bytesRead
        return nil
    }

    /// Reads and checks all records of a file.
    package static func check(_ file: TaskFile, context: Context, options: ImportOptions) throws {
        var reading = try FileReading(file, options, context, .checking)
        try reading.begin()
        while try reading.next() != nil {}
    }

    /// Returns the first tasks of a file.
    package static func firstTasks(
        of file: TaskFile, limit: Int, context: Context, options: ImportOptions
    ) throws -> [ImportedTask] {
        var reading = try FileReading(file, options, context, .previewing)
        try reading.begin()
        var tasks: [ImportedTask] = []
        while tasks.count < limit, let record = try reading.next() {
            if case .task(let task) = record { tasks.append(task) }
        }
        return tasks
    }

    /// Imports records that are in memory.
    ///
    /// - Parameters:
    ///   - recordLimit: The number of records of a transaction.
    ///   - acknowledged: Called when a transaction is durable.
    package func `import`(
        _ file: TaskImport, format: TaskFormat, batch recordLimit: Int?,
        acknowledged: @escaping @Sendable () throws -> Void
    ) async throws -> ImportReport {
        if recordLimit == nil, let (report, first) = try load(file) {
            var links = ImportedLinks()
            for task in file.tasks { links.add(.task(task)) }
            try await links.write(to: tasks, continuing: first)
            return report
        }
        let batch = ImportBatch(
            format: ImportFormat(format), zone: context.zone, now: context.clock.wall,
            recordLimit: recordLimit ?? ImportBatch.recordLimit)
        var importer = Importer(tasks, batch, context.clock, acknowledged: acknowledged)
        for list in file.lists { try await importer.append(.list(list)) }
        for task in file.tasks { try await importer.append(.task(task)) }
        for tombstone in file.tombstones { try await importer.append(.tombstone(tombstone)) }
        var report = try await importer.finish()
        report.skipped = file.invalid.count
        report.unsupported = file.unsupported
        return report
    }

    /// Imports records that are in memory into a store that has none; nil if that is not possible.
    private func load(_ file: TaskImport) throws -> (report: ImportReport, first: UInt64)? {
        var report = ImportReport()
        report.skipped = file.invalid.count
        report.unsupported = file.unsupported
        let first = try tasks.load { loader in
            for list in file.lists { loader.insert(list) }
            for task in file.tasks {
                try loader.insert(.task(task), number: report.imported)
                report.imported += 1
            }
            for tombstone in file.tombstones { try loader.insert(tombstone) }
            report.imported += file.tombstones.count
        }
        return first.map { (report, $0) }
    }

    /// Returns what an import of a file would do.
    package func preview(_ file: TaskFile, options: ImportOptions) throws -> ImportReport {
        try Self.preview(file, options, context) { batch in try tasks.read { try batch.countNews(in: $0) } }
    }

    /// Returns what an import into an empty store would do.
    package static func preview(_ file: TaskFile, context: Context, options: ImportOptions) throws -> ImportReport {
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
        var report = reading.report
        reading.complete(&report)
        return report
    }
}

/// Writes records to a store, a batch in each transaction, undone as one if no other write came in between.
struct Importer {
    private let tasks: TaskList
    private let clock: any TimeSource
    private var batch: ImportBatch
    private var places = ImportPlaces()
    private var first: UInt64?
    private var links = ImportedLinks()
    /// The result of the batches so far.
    private(set) var report = ImportReport()
    /// Called when a batch is durable.
    private let acknowledged: @Sendable () throws -> Void

    init(
        _ tasks: TaskList, _ batch: ImportBatch, _ clock: any TimeSource,
        acknowledged: @escaping @Sendable () throws -> Void = {}
    ) {
        self.tasks = tasks
        self.clock = clock
        self.batch = batch
        self.acknowledged = acknowledged
    }

    /// Adds a record, and writes the batch when it is full.
    mutating func append(_ record: TaskRecord) async throws {
        batch.append(record)
        links.add(record)
        if batch.isFull { try await writeBatch() }
    }

    /// Writes the last batch.
    mutating func finish() async throws -> ImportReport {
        if !batch.isEmpty { try await writeBatch() }
        try await links.write(to: tasks, continuing: first)
        return report
    }

    private mutating func writeBatch() async throws {
        let (batch, places) = (batch, places)
        let start = clock.monotonic
        let ((written, nextPlaces), sequence) = try await tasks.import(continuing: first) { transaction in
            var places = places
            return (try batch.merge(into: transaction, at: &places), places)
        }
        if first == nil, sequence != 0 { first = sequence }
        self.places = nextPlaces
        report.imported += written
        report.unchanged += batch.count - written
        self.batch.removeAll(after: clock.monotonic.microseconds(since: start))
        try acknowledged()
    }
}

/// Reads a file once and reports the progress.
struct FileReading {
    /// The reason for reading the file.
    enum Purpose {
        /// The only pass of an import into a store without records.
        case loading
        /// The first of two passes.
        case checking
        /// The last pass; the only one if invalid records are skipped.
        case importing
        /// The only pass.
        case previewing
    }

    /// The number of invalid records.
    private var skipped = 0
    private var unsupported: [UnsupportedRule] = []
    /// The number of records so far.
    private var number = 0
    /// The result of the import so far.
    var report = ImportReport()
    private let file: TaskFile
    private let options: ImportOptions
    private let format: ImportFormat
    private let context: Context
    private let purpose: Purpose
    private let now: Instant
    private var reader: TaskReader?
    private var recordsUntilReport = 0

    init(_ file: TaskFile, _ options: ImportOptions, _ context: Context, _ purpose: Purpose) throws(FileError) {
        self.file = file
        self.options = options
        self.context = context
        self.purpose = purpose
        format = if let format = options.format { format } else { try file.detectFormat() }
        now = context.clock.wall
    }

    /// An empty batch.
    var batch: ImportBatch { ImportBatch(format: format, zone: context.zone, now: now) }

    /// Starts at the beginning of the file.
    mutating func begin() throws(FileError) {
        reader = try TaskReader(
            file.bytes(again: purpose == .checking || purpose == .loading), format: format, table: options.table,
            zone: context.zone,
            skipInvalid: options.skipInvalid, now: now)
    }

    /// Returns the next valid record; nil at the end.
    mutating func next() throws -> TaskRecord? {
        while let record = try read() {
            recordsUntilReport -= 1
            if recordsUntilReport <= 0 {
                recordsUntilReport = 250
                try reportProgress()
            }
            if case .list = record {} else { number += 1 }
            if let rule = UnsupportedRule(record, number: number) { unsupported.append(rule) }
            guard case .invalid(let invalid) = record else { return record }
            skipped += 1
            options.leftOut(invalid)
        }
        return nil
    }

    /// Adds to the report of a reading that is over what it left out or could not follow.
    func complete(_ report: inout ImportReport) {
        report.skipped = skipped
        report.unsupported = unsupported
    }

    /// Reads the next record. Whoever named the format needs no hint to do so.
    private mutating func read() throws(FileError) -> TaskRecord? {
        do throws(FileError) {
            return try reader?.next()
        } catch {
            guard options.format != nil, case .malformed(let format, let line, let reason) = error else { throw error }
            throw .notAsNamed(format: format, line: line, reason: reason)
        }
    }

    private func reportProgress() throws {
        var progress = FileProgress()
        progress.done = file.bytesRead
        let passes = purpose == .previewing || purpose == .loading || options.skipInvalid ? 1 : 2
        progress.total = file.byteCount.map { options.bytesReadBefore + $0 * passes }
        progress.report = report
        try options.progress(progress)
    }
}

extension TaskLoader {
    /// Adds a record of a file.
    ///
    /// - Parameter number: the number of records before it.
    fileprivate func insert(_ record: TaskRecord, number: Int) throws {
        switch record {
        case .list(let list): insert(list)
        case .task(var task):
            task.number = number
            try insert(task)
        case .tombstone(let tombstone): try insert(tombstone)
        case .invalid: break
        }
    }
}

/// Reports each invalid record once, if a file has to be read from the beginning again.
private final class SkippedRecords {
    private let receive: (InvalidRecord) -> Void
    private var reported = 0
    private var toPass = 0

    init(_ receive: @escaping (InvalidRecord) -> Void) {
        self.receive = receive
    }

    func report(_ record: InvalidRecord) {
        guard toPass == 0 else {
            toPass -= 1
            return
        }
        reported += 1
        receive(record)
    }

    func beginAgain() {
        toPass = reported
    }
}
