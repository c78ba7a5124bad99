import KeyValue
import Threading

/// Appends entries to the tables of a draft, many in each transaction, whichever tables they are for: a small load is one
/// transaction.
///
/// While a transaction writes on a dedicated thread, entries for the next one are collected. Nothing else may use the draft
/// until `flush` or `settle` has returned.
final class TableFiller {
    private struct Item {
        let table: Int
        let keyEnd: Int
        let valueEnd: Int
        let checksum: UInt32
    }

    /// The entries of a transaction.
    private struct Batch {
        var tables: [Table] = []
        var bytes: [UInt8] = []
        var items: [Item] = []
    }

    private let draft: DraftEnvironment
    private let byteLimit: Int
    private var batch = Batch()
    /// The transaction that is being written.
    private var writing: BackgroundResult<Result<Void, any Error>>?
    private let look: () throws -> Void
    private var count = 0

    private static let entriesBetweenLooks = 4096

    /// - Parameters:
    ///   - byteLimit: how many bytes one transaction writes; there are two such buffers.
    ///   - look: called from time to time; what it throws ends the work.
    init(_ draft: DraftEnvironment, byteLimit: Int, looking look: @escaping () throws -> Void = {}) {
        self.draft = draft
        self.byteLimit = byteLimit
        self.look = look
    }

    deinit {
        // The other thread uses the draft, which goes with this one.
        _ = writing?.wait()
    }

    /// Adds an entry, whose key comes after all others of the table.
    func append(_ key: RawSpan, _ value: RawSpan, checksum: UInt32, to table: Table) throws {
        count += 1
        if count % Self.entriesBetweenLooks == 0 { try look() }
        if batch.tables.last != table { batch.tables.append(table) }
        batch.bytes.append(key)
        let keyEnd = batch.bytes.count
        batch.bytes.append(value)
        batch.items.append(
            Item(table: batch.tables.count - 1, keyEnd: keyEnd, valueEnd: batch.bytes.count, checksum: checksum))
        if batch.bytes.count + batch.items.count * MemoryLayout<Item>.stride >= byteLimit { try startWriting() }
    }

    /// Writes what is left.
    func flush() throws {
        try settle()
        guard !batch.items.isEmpty else { return }
        try Self.write(batch, to: draft)
        // A single large record must not keep its memory allocated.
        batch.bytes.removeAll(keepingCapacity: batch.bytes.count < 32 << 20)
        batch.items.removeAll(keepingCapacity: true)
        batch.tables.removeAll(keepingCapacity: true)
    }

    /// Waits until the draft is not in use. Entries that were added since are not written yet.
    ///
    /// - Throws: the error of the last transaction.
    func settle() throws {
        guard let result = writing?.wait() else { return }
        writing = nil
        try result.get()
    }

    private func startWriting() throws {
        let full = batch
        batch = Batch()
        try settle()
        // Only this object ends the draft's use, and waits before it does.
        nonisolated(unsafe) unowned let draft = draft
        writing = BackgroundResult { Result { try Self.write(full, to: draft) } }
    }

    /// Writes a batch in one transaction.
    private static func write(_ batch: Batch, to draft: DraftEnvironment) throws {
        try draft.write { transaction in
            let span = batch.bytes.span.bytes
            var start = 0
            for item in batch.items {
                try transaction.fill(
                    span.extracting(start..<item.keyEnd), span.extracting(item.keyEnd..<item.valueEnd),
                    checksum: item.checksum, isLast: true, in: batch.tables[item.table])
                start = item.valueEnd
            }
        }
    }
}
