import ByteStreams
import CivilTime
import FoundationEssentials
import Journals
import Records

/// Writes the entries of one thread, in bounded memory.
package struct JournalExporter {
    /// How many entries are in memory at a time.
    private static let batchSize = 256
    /// How many bytes are passed on at a time.
    private static let chunkSize = 1 << 16

    let thread: JournalThread
    let format: JournalFormat
    /// Whether CSV has text as it is, even if a spreadsheet would take it for a formula.
    var isRaw = false
    /// The size of a part in bytes, from which on the next one is begun; nil for one file. An entry is in one part.
    var partSize: Int?

    package init(_ thread: JournalThread, as format: JournalFormat, isRaw: Bool = false, partSize: Int? = nil) {
        self.thread = thread
        self.format = format
        self.isRaw = isRaw
        self.partSize = partSize
    }

    /// Passes the bytes of each part, in chunks. Deleted entries are left out.
    ///
    /// - Parameter sink: called with the number of the part, from 1, and its next bytes.
    /// - Returns: how many entries were written.
    package func write(
        _ reading: JournalReading, zone: Zone, to sink: (_ part: Int, _ bytes: [UInt8]) throws -> Void
    ) throws -> Int {
        let layout = try layout(reading, zone: zone)
        let tail = layout.tail()
        var (part, written, count, isFirst) = (1, 0, 0, true)
        var chunk = layout.head()
        func flush() throws {
            try reading.checkLock()
            guard !chunk.isEmpty else { return }
            try sink(part, chunk)
            written += chunk.count
            chunk.removeAll(keepingCapacity: true)
        }
        func add(_ entries: [JournalEntry]) throws {
            for filled in try reading.filled(entries) {
                var bytes = layout.entry(filled, isFirst: isFirst)
                if let partSize, !isFirst, written + chunk.count + bytes.count + tail.count > partSize {
                    chunk += tail
                    try flush()
                    (part, written, isFirst) = (part + 1, 0, true)
                    chunk = layout.head()
                    bytes = layout.entry(filled, isFirst: true)
                }
                chunk += bytes
                isFirst = false
                count += 1
                if chunk.count >= Self.chunkSize { try flush() }
            }
        }
        var batch: [JournalEntry] = []
        try reading.forEachEntry(of: thread.id) { entry in
            batch.append(entry)
            if batch.count == Self.batchSize {
                try add(batch)
                batch.removeAll(keepingCapacity: true)
            }
            return true
        }
        try add(batch)
        chunk += tail
        try flush()
        return count
    }

    private func layout(_ reading: JournalReading, zone: Zone) throws -> any JournalLayout {
        switch format {
        case .csv:
            return JournalCSV(
                columns: try reading.exportedFields(of: thread.id), fields: try reading.fields(of: thread.id),
                isRaw: isRaw)
        case .json:
            let names = FieldNames(try reading.allFields(of: thread.id).map { ($0, $0.name) }, limit: 50)
            return JournalJSON(thread: thread, fields: try reading.fields(of: thread.id), names: names)
        case .markdown: return JournalMarkdown(thread: thread, zone: zone)
        }
    }
}
