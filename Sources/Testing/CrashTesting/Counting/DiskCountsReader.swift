/// Adds up what the log says from one look to the next.
struct DiskCountsReader {
    static let dataFileName = "data.mdb"

    private var cursor: UInt64 = 0
    /// Which openings are of LMDB's data file.
    private var dataFiles: Set<Int> = []

    /// What was logged since the last time, or since the recording began.
    mutating func next() throws(CrashLabError) -> DiskCounts {
        guard !DiskLog.hasOverflowed else { throw .logOverflowed }
        var counts = DiskCounts()
        var pages: Set<Int> = []
        while let entry = DiskLog.next(after: &cursor, withBytes: false) {
            guard case .call(let call) = entry, !call.hasFailed else { continue }
            take(call, into: &counts, &pages)
        }
        counts.pagesWritten = pages.count
        return counts
    }

    private mutating func take(_ call: DiskCall, into counts: inout DiskCounts, _ pages: inout Set<Int>) {
        switch call.kind {
        case .flush, .flushData, .flushMap:
            counts.flushes += 1
        case .write:
            let count = Int(call.result)
            counts.writeCalls += 1
            counts.bytesWritten += count
            if call.isSynchronous { counts.synchronousWrites += 1 }
            if count > 0, dataFiles.contains(call.file) {
                pages.formUnion(call.offset / Page.size...(call.offset + count - 1) / Page.size)
            }
        case .open:
            counts.filesOpened += 1
            if DiskImage.name(of: call.path) == Self.dataFileName { dataFiles.insert(call.file) }
        case .rename:
            counts.renames += 1
        case .close, .resize, .allocate, .link, .remove, .makeFolder, .removeFolder, .map:
            break
        }
    }
}
