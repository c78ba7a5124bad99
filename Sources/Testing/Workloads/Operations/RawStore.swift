import CRawLMDB

/// A store's folder read by plain LMDB in C: the floor of queries.
final class RawStore {
    private let handle: OpaquePointer

    /// Plain LMDB could not read the store.
    struct Failure: Error, CustomStringConvertible {
        let what: String
        var description: String { "Plain LMDB could not \(what). Remove the temporary stores and try again." }
    }

    /// Opens a store's folder for reading. It may already be open in this process.
    init(at path: String) throws {
        guard let handle = raw_open(path, 1) else { throw Failure(what: "open the measured store") }
        self.handle = handle
    }

    deinit {
        raw_close(handle)
    }

    /// Reads every byte of a scan and returns the number of entries.
    func read(_ scan: RawScan) throws -> Int {
        var sum: UInt64 = 0
        let limit = Int32(clamping: scan.limit)
        let count = raw_scan(
            handle, scan.index, scan.records, scan.start, scan.start.count, scan.end, scan.end.count, limit, &sum)
        guard count >= 0 else { throw Failure(what: "read the index \(scan.index)") }
        return Int(count)
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
