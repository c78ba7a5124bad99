import Glibc
import KeyValue

/// Counts the file system calls of operations and the pages they read.
///
/// A counter records this process's calls for as long as it lives. Only one can exist at a time, and stores have to be
/// opened after it. Nothing else may use the store between two measurements.
///
///     let counter = try DiskCounter(in: folder)
///     let daybook = try DaybookStore.open(at: folder + "/store", context: context)
///     let (task, counts) = try await counter.count { try await daybook.tasks.create("Review chapter 3") }
///     let (view, pages) = try await counter.countPagesRead(of: folder + "/store") { try daybook.tasks.today() }
package final class DiskCounter {
    private static let metaPageCount = 2

    private var reader = DiskCountsReader()

    /// Starts recording the calls on files at or below an existing folder.
    package init(in folder: String) throws {
        try DiskLog.begin(folder: folder)
    }

    deinit {
        DiskLog.end()
    }

    /// Returns the counts since the previous call, or since the recording began.
    package func countsSinceLast() throws -> DiskCounts {
        try reader.next()
    }

    /// Returns the result and the counts of an operation.
    package func count<Result>(_ operation: () async throws -> Result) async throws -> (Result, DiskCounts) {
        _ = try reader.next()
        let result = try await operation()
        return (result, try reader.next())
    }

    /// Returns the result and the counts of an operation that opens its stores itself.
    package static func count<Result>(
        in folder: String, _ operation: () async throws -> Result
    ) async throws -> (Result, DiskCounts) {
        let counter = try DiskCounter(in: folder)
        return try await counter.count(operation)
    }

    /// Returns the number of distinct LMDB pages of an open store that an operation reads; nil on systems whose pages
    /// are larger than LMDB's.
    ///
    /// The two meta pages are excluded: every transaction reads them, and the writer thread does so once more at some
    /// time after it has acknowledged a write.
    package func countPagesRead<Result>(
        of store: String, _ operation: () async throws -> Result
    ) async throws -> (Result, Int?) {
        let file = "\(store)/\(DiskCountsReader.dataFileName)"
        let pageSize = try MetaPage.pair(in: file).even.pageSize
        guard try DiskLog.watchPages(of: file, pageSize: pageSize, from: Self.metaPageCount) else {
            return (try await operation(), nil)
        }
        let result: Result
        do {
            result = try await operation()
        } catch {
            _ = try? DiskLog.endWatchingPages()
            throw error
        }
        return (result, try DiskLog.endWatchingPages())
    }
}

/// File system calls below a folder. Failed calls are not counted.
package struct DiskCounts: Equatable, Sendable {
    /// Flushes of files, folders and maps: fsync, fdatasync, msync.
    package var flushes = 0
    /// Writes that were durable when they returned, such as that of LMDB's meta page.
    package var synchronousWrites = 0
    /// Write calls of every kind, including synchronous ones.
    package var writeCalls = 0
    package var bytesWritten = 0
    /// Distinct 4 KiB pages of LMDB's data file that were written.
    package var pagesWritten = 0
    package var filesOpened = 0
    package var renames = 0

    package init() {}
}

/// Adds up the log entries since the previous read.
struct DiskCountsReader {
    static let dataFileName = "data.mdb"
    private static let pageSize = 4096

    private var cursor: UInt64 = 0
    /// The openings of LMDB's data file.
    private var dataFiles: Set<Int> = []

    /// Returns the counts since the previous call, or since the recording began.
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
                pages.formUnion(call.offset / Self.pageSize...(call.offset + count - 1) / Self.pageSize)
            }
        case .open:
            counts.filesOpened += 1
            if call.path.split(separator: "/").last == Self.dataFileName[...] { dataFiles.insert(call.file) }
        case .rename:
            counts.renames += 1
        case .close, .resize, .allocate, .link, .remove, .makeFolder, .removeFolder, .map:
            break
        }
    }
}
