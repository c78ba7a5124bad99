import ByteStreams
import CivilTime
import Exchange
import Records

/// Goes through a file once, and tells how far it has come.
struct FileReading {
    /// What for.
    enum Purpose {
        /// For the first of two times.
        case checking
        /// For the last time, which is the only one if records that are not valid are skipped.
        case importing
        /// For the only time.
        case previewing
    }

    /// How many records were not valid.
    private(set) var skipped = 0
    /// What the import did with the records so far.
    var report = ImportReport()
    private let file: TaskFile
    private let options: ImportOptions
    private let format: TaskFormat
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

    /// A batch with nothing in it.
    var batch: ImportBatch { ImportBatch(format: format, zone: context.zone, now: now) }

    /// Goes to the beginning of the file.
    mutating func begin() throws(FileError) {
        reader = try TaskReader(
            file.bytes(again: purpose == .checking), format: format, zone: context.zone,
            skipInvalid: options.skipInvalid, now: now)
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
        let passes = purpose == .previewing || options.skipInvalid ? 1 : 2
        progress.total = file.byteCount.map { $0 * passes }
        progress.report = report
        try options.progress(progress)
    }
}
