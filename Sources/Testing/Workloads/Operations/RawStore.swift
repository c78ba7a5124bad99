import CRawLMDB

/// A store's folder read by plain LMDB in C: what the reads are set beside.
final class RawStore {
    private let handle: OpaquePointer

    /// The store could not be read by plain LMDB.
    struct Failure: Error, CustomStringConvertible {
        let what: String
        var description: String { "Plain LMDB could not \(what). Remove the temporary stores and try again." }
    }

    /// Opens a store's folder for reading. It may be open in this process already.
    init(at path: String) throws {
        guard let handle = raw_open(path, 1) else { throw Failure(what: "open the measured store") }
        self.handle = handle
    }

    deinit {
        raw_close(handle)
    }

    /// Reads every byte of a scan, and tells how many entries there were.
    func read(_ scan: RawScan) throws -> Int {
        var sum: UInt64 = 0
        let limit = Int32(clamping: scan.limit)
        let count = raw_scan(
            handle, scan.index, scan.records, scan.start, scan.start.count, scan.end, scan.end.count, limit, &sum)
        guard count >= 0 else { throw Failure(what: "read the index \(scan.index)") }
        return Int(count)
    }
}
