#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Repairs the meta pages of a store that was opened while another program died opening it.
///
/// LMDB then worked with transaction 0: based on meta page 0, which holds an even transaction M, it committed as
/// transaction 1 into meta page 1. It reused no page, since to transaction 1 every free page is too recent. So both states
/// are whole, that of transaction 1 is the newer one, and LMDB would take the older one because its number is greater. The
/// repair gives the newer state the number M + 1.
public struct MetaPageRepair: Equatable, Sendable {
    /// The transaction of meta page 0, whose number is kept.
    public let olderTransaction: UInt64
    /// Whether the state of transaction 1 is kept. False when a page of it is damaged: then the older state is.
    public let keepsNewerState: Bool
    /// The name of the file in the store's folder that holds both meta pages as they were.
    public let backupName: String

    /// Whether the meta pages are those that such an opening leaves.
    static func isNeeded(for file: String) throws(KeyValueError) -> Bool {
        let pair = try MetaPage.pair(in: file)
        return pair.even.transaction > 2 && pair.even.transaction % 2 == 0 && pair.odd.transaction == 1
    }

    /// Repairs a store that no process has open. Each step is durable before the next one; a crash in between leaves the
    /// store as it was, or repaired. Cost: reads every page that is in use, at most twice.
    ///
    /// - Throws: `damaged` when neither state is whole.
    init(_ folder: StoreFolder) throws(KeyValueError) {
        let file = "\(folder.path)/\(StoreFolder.dataFile)"
        let pair = try MetaPage.pair(in: file)
        olderTransaction = pair.even.transaction
        backupName = "meta-pages-\(olderTransaction).backup"
        let newer = pair.odd.numbered(olderTransaction + 1)
        // Pages were only added, so a state that ends before the older one is not its successor.
        let isNewerWhole = try Self.isWhole(newer, in: file)
        keepsNewerState = isNewerWhole && newer.lastPage >= pair.even.lastPage
        let isOlderWhole = try Self.isWhole(pair.even, in: file)
        guard keepsNewerState || isOlderWhole else {
            throw .damaged(path: file, detail: "the pages of both meta pages' transactions are damaged")
        }

        let descriptor = unsafe open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .permissionDenied(path: file) }
        defer { _ = close(descriptor) }
        let pageSize = pair.even.pageSize
        var pages = [UInt8](repeating: 0, count: 2 * pageSize)
        guard unsafe pread(descriptor, &pages, pages.count, 0) == pages.count else {
            throw .refused("read the meta pages", code: errno)
        }
        try folder.replace(backupName, with: pages)
        let source = keepsNewerState ? pageSize : 0
        var meta = Array(pages[source + MetaPage.range.lowerBound..<source + MetaPage.range.upperBound])
        meta.replaceSubrange(
            MetaPage.transactionRange,
            with: (0..<8).map { UInt8(truncatingIfNeeded: (olderTransaction + 1) >> ($0 * 8)) })
        let offset = off_t(pageSize + MetaPage.range.lowerBound)
        // Less than a sector, which a disk writes whole or not at all.
        guard unsafe pwrite(descriptor, meta, meta.count, offset) == meta.count, fsync(descriptor) == 0 else {
            throw .refused("repair the meta pages", code: errno)
        }
    }

    private static func isWhole(_ meta: MetaPage, in file: String) throws(KeyValueError) -> Bool {
        try PageCensus(of: file, at: meta).problems.all.isEmpty
    }
}

extension MetaPageRepair: CustomStringConvertible {
    /// What was done, in one line.
    public var description: String {
        let state =
            keepsNewerState
            ? "The newer state was kept; of what was written before it, one transaction may be missing."
            : "The newer state was damaged, so the one before it was kept."
        return "Another program was killed while it opened the store, and left the meta pages of transactions "
            + "\(olderTransaction) and 1. \(state) The pages as they were are in \(backupName)."
    }
}
