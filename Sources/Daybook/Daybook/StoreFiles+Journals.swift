import ByteStreams
import CivilTime
import Exchange
import FoundationEssentials
import Journals
import Records

/// What an import of a journal did.
public struct JournalImportReport: Sendable, Equatable {
    /// The thread that has the entries.
    public let thread: UUID
    /// The number of entries that were written.
    public let imported: Int
    /// The number of entries that the store had in this version or a later one, or that were deleted.
    public let unchanged: Int
    /// The entries that were left out, and why: those without text or time, and, if that was asked for, invalid ones.
    public let skippedEntries: [SkippedEntry]
    /// The number of entries that were left out.
    public var skipped: Int { skippedEntries.count }
}

extension StoreFiles {
    /// Exports the entries of a thread, from one consistent snapshot, in bounded memory. Deleted entries are left out.
    ///
    /// - Parameters:
    ///   - isRaw: whether CSV has text as it is, even if a spreadsheet would take it for a formula.
    ///   - partSize: the size in bytes from which on the next part is begun; nil for one part. Each part is a complete file.
    ///   - sink: called with the number of the part, from 1, and its next bytes.
    /// - Returns: The number of entries.
    /// - Throws: `JournalError`: `noSuchThread`; `locked` while the journal is locked, and at the moment of locking, after which the
    ///   sink gets nothing more; what the sink throws.
    @discardableResult
    public func exportThread(
        _ thread: UUID, as format: JournalFormat, isRaw: Bool = false, partSize: Int? = nil,
        to sink: (_ part: Int, _ bytes: [UInt8]) throws -> Void
    ) throws -> Int {
        // Also before the transaction, since the first look at the lock reads the settings.
        try lock.check()
        return try store.read(isRepeatable: false) { transaction in
            let journals = JournalReading(transaction: transaction, lock: lock)
            guard let found = try journals.thread(thread) else { throw JournalError.noSuchThread }
            let exporter = JournalExporter(found, as: format, isRaw: isRaw, partSize: partSize)
            return try exporter.write(journals, zone: transaction.context.zone, to: sink)
        }
    }

    /// Exports the entries of a thread to a file, which is complete or does not exist.
    ///
    /// - Throws: `JournalError`: `noSuchThread`, `locked`; `FileError`: `targetExists` if the file exists and `overwrite` is false.
    @discardableResult
    public func exportThread(
        _ thread: UUID, as format: JournalFormat, to file: URL, isRaw: Bool = false, overwrite: Bool = false
    ) throws -> Int {
        let file = try AtomicFile(path: file.path, overwrite: overwrite)
        let count = try exportThread(thread, as: format, isRaw: isRaw) { _, bytes in try file.write(bytes) }
        try lock.check()
        try file.commit()
        return count
    }

    /// Imports the entries of a file of Daybook, Day One, jrnl or iCalendar (VJOURNAL) into one thread, in one transaction.
    /// Importing a file again changes nothing.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - thread: the thread; nil for the one with the title of the file, which is created if there is none.
    ///   - name: the title if the file has none, such as its name.
    ///   - options: whether invalid entries are skipped, and the order of dates.
    /// - Throws: `FileError` for a file that is none of these, or with the line of the first invalid entry; `JournalError`, `locked`
    ///   while the journal is locked.
    @discardableResult
    public func importJournal(
        _ bytes: [UInt8], into thread: UUID? = nil, name: String, options: JournalImportOptions = JournalImportOptions()
    ) throws -> JournalImportReport {
        try lock.check()
        let file = try JournalFile(bytes, zone: store.context.zone, options: options)
        return try store.write(JournalOperation.importing.label) { transaction in
            let journals = transaction.journals
            let owner = try thread ?? Self.thread(titled: file.title ?? name, in: journals)
            _ = try journals.thread(owner)
            var imported = 0
            for entry in file.entries where try journals.merge(entry, into: owner) { imported += 1 }
            if imported > 0 { try journals.noteChange(of: owner) }
            return JournalImportReport(
                thread: owner, imported: imported, unchanged: file.entries.count - imported,
                skippedEntries: file.skipped)
        }
    }

    private static func thread(titled title: String, in journals: JournalTransaction) throws -> UUID {
        let title = title.allSatisfy(\.isWhitespace) ? "Imported" : title
        if let found = try? journals.reading.findThread(title), found.title == title { return found.id }
        return try journals.createThread(title).id
    }
}
