import Archive
import CivilTime
import Records

/// Goes through a file once or twice, and tells how far it has come.
struct FileReading {
    /// How many records were not valid, the last time through.
    private(set) var skipped = 0
    /// What the import did with the records so far.
    var report = ImportReport()
    private let file: TaskFile
    private let options: ImportOptions
    private let format: TaskFormat
    private let context: Context
    /// One moment for the whole import: both times through the same record is the same.
    private let now: Instant
    private let passes: Int
    private var pass = 0
    private var reader: TaskReader?
    private var recordsUntilReport = 0

    init(_ file: TaskFile, _ options: ImportOptions, _ context: Context, passes: Int) throws(ArchiveError) {
        self.file = file
        self.options = options
        self.context = context
        self.passes = passes
        format = if let format = options.format { format } else { try file.detectFormat() }
        now = context.clock.wall
    }

    /// A batch with nothing in it.
    var batch: ImportBatch { ImportBatch(format: format, zone: context.zone, now: now) }

    /// Goes to the beginning of the file.
    mutating func begin() throws(ArchiveError) {
        pass += 1
        skipped = 0
        reader = try TaskReader(
            file.bytes(again: pass < passes), format: format, zone: context.zone, skipInvalid: options.skipInvalid,
            now: now)
    }

    /// The next record that is valid; nil at the end.
    mutating func next() throws -> TaskRecord? {
        while let record = try reader?.next() {
            recordsUntilReport -= 1
            if recordsUntilReport <= 0 {
                recordsUntilReport = 250
                try tell()
            }
            guard case .invalid(let invalid) = record else { return record }
            skipped += 1
            options.leftOut(invalid)
        }
        return nil
    }

    private func tell() throws {
        var progress = FileProgress()
        progress.done = file.bytesRead
        progress.total = file.byteCount.map { $0 * passes }
        progress.report = report
        try options.progress(progress)
    }
}
