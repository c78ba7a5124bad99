import CRawLMDB
import Measuring

/// A store's folder read by plain LMDB in C: the floor of queries.
package final class RawStore {
    fileprivate let handle: OpaquePointer

    /// Plain LMDB could not read the store.
    struct Failure: Error, CustomStringConvertible {
        let what: String
        var description: String { "Plain LMDB could not \(what). Remove the temporary stores and try again." }
    }

    /// Opens a store's folder. It may already be open in this process if it is only read.
    package init(at path: String, isReadOnly: Bool = true) throws {
        guard let handle = raw_open(path, isReadOnly ? 1 : 0) else { throw Failure(what: "open the measured store") }
        self.handle = handle
    }

    deinit {
        raw_close(handle)
    }

    /// Reads every byte of a scan and returns the number of entries.
    package func read(_ scan: RawScan) throws -> Int {
        var sum: UInt64 = 0
        let limit = Int32(clamping: scan.limit)
        let count = raw_scan(
            handle, scan.index, scan.records, scan.start, scan.start.count, scan.end, scan.end.count, limit, &sum)
        guard count >= 0 else { throw Failure(what: "read the index \(scan.index)") }
        return Int(count)
    }
}

/// Plain LMDB in C that commits what a store's operations write, in a copy of the store: the floor of changes.
package final class CommitFloor {
    private let original, copy: RawStore

    /// Opens a store and a copy of it.
    package init(of store: String, copy: String) throws {
        original = try RawStore(at: store)
        self.copy = try RawStore(at: copy, isReadOnly: false)
    }

    /// Commits to the copy what the store has and it lacks, and returns the nanoseconds; nil if it lacks nothing. Call it before an operation as well: both timed sides then
    /// follow a comparison of the two, which loads the same pages into the CPU caches.
    @discardableResult
    package func commit() throws -> Int64? {
        guard let changes = raw_difference(original.handle, copy.handle) else {
            throw RawStore.Failure(what: "compare the measured stores")
        }
        defer { raw_free_changes(changes) }
        guard raw_put_count(changes) + raw_delete_count(changes) > 0 else { return nil }
        var code: Int32 = 0
        let time = Stopwatch.nanoseconds { code = raw_apply(copy.handle, changes) }
        guard code == 0 else { throw RawStore.Failure(what: "commit to the copy of the measured store") }
        return time
    }
}

/// A range of an index in key order, with the record of each entry.
public struct RawScan: Sendable, Equatable {
    /// The table of the index.
    let index: String
    /// The table of the records; nil to read only the entries.
    let records: String?
    /// The first key.
    let start: [UInt8]
    /// The key after the last one.
    let end: [UInt8]
    /// The maximum number of entries.
    let limit: Int
}
