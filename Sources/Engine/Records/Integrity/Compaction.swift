import KeyValue

/// The result of a compaction.
public struct CompactionReport: Sendable, Equatable {
    /// The length of the data file before, in bytes.
    public let bytesBefore: Int
    /// The length of the data file after, in bytes.
    public let bytesAfter: Int
}

extension RecordStore {
    /// Rewrites the store's file, so that nothing that was purged, deleted or overwritten before the call is left in it:
    /// neither in free pages nor between the entries. The store's id, sequence numbers, change log and quarantine stay as
    /// they are. What others purge meanwhile may be left, as after a purge without a compaction.
    ///
    /// Every entry is checked, written to a new file, compared, flushed, and the new file takes the place of the old one in
    /// one step. A crash leaves the old file or the new one, both complete. Readers of all processes continue meanwhile, and
    /// their open transactions stay valid. So do writers; they wait only at the end, while what they have written since the
    /// beginning is brought over.
    ///
    /// While others write, it makes pauses, and the old file may grow, by 256 MiB or its own length, before the compaction begins
    /// again; writers wait for the third attempt from its beginning.
    ///
    /// - Complexity: reads the store three times and writes it once; needs as much free space as the new file.
    /// - Throws: `damagedEntry` or `engine(.damaged)` when an entry or a table is damaged; nothing is changed then.
    ///   `engine(.nestedWrite)` inside a transaction of this thread.
    @discardableResult
    public func compact() throws(RecordsError) -> CompactionReport {
        guard !isReadOnly else { throw .engine(.readOnly) }
        return try rethrowing {
            var checked: ChecksummedTable?
            let pace = BackgroundPace(in: self)
            let bytes = try environment.compact { table, key, value in
                let current = checked.flatMap { $0.table == table ? $0 : nil } ?? ChecksummedTable(table)
                checked = current
                guard current.hash(key: key, checksummed: value) != nil else { throw current.damage(key) }
            } pausing: {
                pace.step()
            }
            return CompactionReport(bytesBefore: bytes.bytesBefore, bytesAfter: bytes.bytesAfter)
        }
    }

    /// Rewrites the store's file without blocking the calling task.
    @discardableResult
    public func compact() async throws(RecordsError) -> CompactionReport {
        do {
            return try await onDedicatedThread { try self.compact() }
        } catch {
            throw RecordsError(error)
        }
    }
}
