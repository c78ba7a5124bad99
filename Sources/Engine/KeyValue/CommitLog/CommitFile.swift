import FileSystem
import Injection
import SystemErrors

/// The file `commits` beside the data file: the slots, which say how the store commits, and the log.
///
/// Only used under LMDB's write lock, or by a process that has the store alone. No call is repeated after a failed flush.
final class CommitFile {
    static let name = "commits"

    /// Each record begins at a multiple of it, so that no write touches a page that holds an acknowledged record.
    static let recordSpacing = 4096

    private let descriptor: FileDescriptor
    private let injectionPoint: ArmedInjectionPoints
    /// The slots as they were last read, and their bytes: they are parsed only when they differ.
    private var known: (bytes: [UInt8], slots: CommitSlots)
    /// What they are read into: every write begins with it, and a new array would have to be filled with zeros each time.
    private var buffer = [UInt8](repeating: 0, count: CommitSlots.byteCount)

    /// The bytes of a new file: one confirmed slot, in direct mode.
    static var contentOfNew: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: CommitSlots.byteCount)
        let slot = CommitSlot(number: 1, mode: .direct)
        bytes.replaceSubrange(0..<CommitSlot.byteCount, with: slot.encoded)
        let place = CommitSlots.confirmationOffset
        let confirmation = SlotConfirmation(number: 1, position: 0, checksum: slot.checksum)
        bytes.replaceSubrange(place..<place + SlotConfirmation.byteCount, with: confirmation.encoded)
        return bytes
    }

    /// Opens the file of a store; nil when the store has none, and commits directly.
    init?(
        inStore path: String, isReadOnly: Bool, injectionPoint: ArmedInjectionPoints = ArmedInjectionPoints()
    ) throws(KeyValueError) {
        self.injectionPoint = injectionPoint
        known = ([], CommitSlots())
        do throws(SystemCondition) {
            descriptor = try FileDescriptor("\(path)/\(Self.name)", for: isReadOnly ? .reading : .readingAndWriting)
        } catch {
            if error == .notFound { return nil }
            throw .refused("open the commit log", on: path, code: error.code)
        }
    }

    deinit { descriptor.close() }

    // MARK: Slots

    /// The slots as they are now. Cost: one read of 16 kB; they are decoded when they have changed.
    func slots() throws(KeyValueError) -> CommitSlots {
        let count = try systemCall(Self.reading, descriptor.fill(&buffer, at: 0))
        for index in count..<buffer.count { buffer[index] = 0 }
        // Comparing arrays goes byte by byte.
        if unsafe !buffer.span.bytes.isEqual(to: known.bytes.span.bytes) {
            known = unsafe (buffer, CommitSlots(decoding: buffer.span.bytes))
        }
        return known.slots
    }

    /// The slots, read by a process that has no lock: twice in the same way, since a read can be partly older than a write.
    func settledSlots() throws(KeyValueError) -> CommitSlots {
        var slots = try slots()
        for _ in 0..<Self.attempts {
            let again = try self.slots()
            if again == slots { break }
            slots = again
        }
        return slots
    }

    private static let attempts = 16

    /// Makes a slot the current one: written, flushed and confirmed. If the flush fails it stays unconfirmed, and the next writer
    /// writes it again.
    ///
    /// - Throws: `commitFailed` when the flush has failed; anything else when nothing was flushed.
    func put(_ slot: CommitSlot) throws(KeyValueError) {
        let position = try freePosition(for: slot)
        try write(slot.encoded, at: position * CommitSlots.spacing)
        try flush()
        let confirmation = SlotConfirmation(number: slot.number, position: position, checksum: slot.checksum)
        // Without it the next writer writes the slot again, which costs a flush and no more.
        try? write(confirmation.encoded, at: CommitSlots.confirmationOffset)
    }

    /// Writes a slot without a flush, for one that matters only while the page cache lives.
    func putUnflushed(_ slot: CommitSlot) throws(KeyValueError) {
        try write(slot.encoded, at: freePosition(for: slot) * CommitSlots.spacing)
    }

    private func freePosition(for slot: CommitSlot) throws(KeyValueError) -> Int {
        if injectionPoint(.rewritesSlotsInPlace) { return Int(slot.number % 2) }
        return try slots().freePosition
    }

    // MARK: The log

    /// How many bytes a record takes up in the log.
    static func space(for record: Int) -> Int { (record + recordSpacing - 1) / recordSpacing * recordSpacing }

    /// Fills the log with zeros and flushes it, so that appending to it changes no metadata.
    func fill(_ length: Int) throws(KeyValueError) {
        let zeros = [UInt8](repeating: 0, count: min(length, 1 << 18))
        var done = 0
        while done < length {
            try write(Array(zeros.prefix(length - done)), at: CommitSlots.byteCount + done)
            done += zeros.count
        }
        try flush()
    }

    /// Gives up the log, with the content of its records.
    func removeRecords() throws(KeyValueError) {
        try shorten(to: 0)
        try flush()
    }

    /// Gives back what is behind a length of the log.
    func shorten(to length: Int) throws(KeyValueError) {
        try systemCall("shorten the commit log", descriptor.truncate(to: CommitSlots.byteCount + length))
    }

    /// Writes a record at an offset in the log and flushes it.
    func append(_ record: [UInt8], at offset: Int) throws(KeyValueError) {
        try write(record, at: CommitSlots.byteCount + offset)
        if !injectionPoint(.skipsLogFlush) { try flush() }
    }

    /// The records of a slot's log, in order, up to the first that is none.
    ///
    /// - Throws: `damaged` when a record of the same chain is behind one that is none: the log is damaged in its middle. Damage to
    ///   the last record cannot be distinguished from one that was never flushed.
    func records(of slot: CommitSlot, inStore path: String) throws(KeyValueError) -> [CommitRecord] {
        let log = try log(of: slot)
        try log.check(slot, ofStore: path)
        return log.records
    }

    /// What a log holds, damaged or not.
    struct Log {
        /// Those up to the first that is none.
        var records: [CommitRecord] = []
        /// The transaction of a record of the same log that is behind one that is none.
        var laterTransaction: UInt64?

        /// Throws `damaged` when it is damaged in its middle.
        func check(_ slot: CommitSlot, ofStore path: String) throws(KeyValueError) {
            guard let laterTransaction else { return }
            let missing = slot.checkpoint + UInt64(records.count) + 1
            throw .damaged(
                path: path, detail: "its commit log holds transaction \(laterTransaction), but not \(missing)")
        }
    }

    /// The records of a slot's log, and whether it is damaged.
    func log(of slot: CommitSlot) throws(KeyValueError) -> Log {
        var records: [CommitRecord] = []
        var offset = 0
        while let (record, length) = try record(
            at: offset, after: injectionPoint(.believesEveryRecord) ? nil : records.last?.checksum ?? slot.seed,
            within: Int(slot.logLength))
        {
            records.append(record)
            offset += Self.space(for: length)
        }
        while offset + Self.recordSpacing < Int(slot.logLength) {
            offset += Self.recordSpacing
            if let (record, _) = try record(at: offset, after: nil, within: Int(slot.logLength)),
                record.seed == slot.seed
            {
                return Log(records: records, laterTransaction: record.transaction)
            }
        }
        return Log(records: records)
    }

    private func record(
        at offset: Int, after chain: UInt64?, within length: Int
    ) throws(KeyValueError) -> (CommitRecord, length: Int)? {
        guard offset + Self.recordSpacing <= length else { return nil }
        let start = CommitSlots.byteCount + offset
        let header = try read(CommitRecord.headerSize, at: start)
        guard let count = unsafe CommitRecord.length(statedIn: header.span.bytes, limit: length - offset) else {
            return nil
        }
        if let chain, unsafe !CommitRecord.follows(header.span.bytes, chain) { return nil }
        let bytes = try read(count, at: start)
        guard let record = unsafe CommitRecord(decoding: bytes.span.bytes, after: chain) else { return nil }
        return (record, count)
    }

    // MARK: Bytes

    private func read(_ count: Int, at offset: Int) throws(KeyValueError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // What is behind the file's end was never written.
        _ = try systemCall(Self.reading, descriptor.fill(&bytes, at: offset))
        return bytes
    }

    private static let reading = "read the commit log"

    private func write(_ bytes: [UInt8], at offset: Int) throws(KeyValueError) {
        do throws(SystemCondition) {
            try descriptor.write(bytes, at: offset)
        } catch {
            throw error.isStorageFull ? .diskFull : .refused("write the commit log", code: error.code)
        }
    }

    private func flush() throws(KeyValueError) {
        // Never again: the system considers the pages clean after a failure.
        do throws(SystemCondition) { try descriptor.flushData() } catch { throw .commitFailed(code: error.code) }
    }
}
