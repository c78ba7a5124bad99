#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LMDB's meta page, as far as needed to check a data file without mapping it.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): page header 16 bytes; magic `BEEFC0DE`, version, address, map size (24 bytes);
/// two 48-byte table records, the free list's first, each beginning with a number (in the first one the page size) and
/// ending in entries and root page; last page; transaction.
package struct MetaPage {
    package private(set) var transaction: UInt64
    package let lastPage: UInt64
    package let pageSize: Int
    package let freeList: TableHead
    package let main: TableHead

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let byteCount = 16 + 24 + 96 + 16
    /// The bytes of a page that are the meta page's own, behind the page header.
    static let range = 16..<byteCount
    /// The transaction's number, counted from the beginning of `range`.
    static let transactionRange = (24 + 96 + 8)..<(24 + 96 + 16)

    /// The newer of the two meta pages of a data file.
    static func newest(in file: String) throws(KeyValueError) -> MetaPage {
        while true {
            let (first, second) = try pair(in: file)
            // Transactions alternate between the two pages. LMDB does not check that, and would silently return to an
            // older state.
            if areConsecutive(first, second) {
                return first.transaction < second.transaction ? second : first
            }
            // Another process may have committed between the two reads.
            guard try pair(in: file).even.transaction != first.transaction else {
                throw .damaged(path: file, detail: "the meta pages are not those of consecutive transactions")
            }
        }
    }

    /// Whether two meta pages are those of consecutive transactions, each in its place.
    static func areConsecutive(_ even: MetaPage, _ odd: MetaPage) -> Bool {
        even.transaction % 2 == 0 && odd.transaction % 2 == 1
            && (even.transaction &+ 1 == odd.transaction || odd.transaction &+ 1 == even.transaction)
    }

    /// The meta pages that can be read, in their order, wherever the file ends.
    static func readable(in file: String) throws(KeyValueError) -> [MetaPage] {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("open the data file", on: file, code: errno) }
        defer { _ = close(descriptor) }
        // The first page's size of pages may be damaged; in the second one it is also where that page is.
        let odd = (9...16).lazy.map { 1 << $0 }.compactMap { size in
            read(from: descriptor, at: size).flatMap { $0.pageSize == size ? $0 : nil }
        }.first
        let even = read(from: descriptor, at: 0).flatMap { odd == nil || $0.pageSize == odd?.pageSize ? $0 : nil }
        return [even, odd].compactMap(\.self)
    }

    /// Both meta pages: the one that even transactions take, and the one that odd transactions take.
    package static func pair(in file: String) throws(KeyValueError) -> (even: MetaPage, odd: MetaPage) {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("open the data file", on: file, code: errno) }
        defer { _ = close(descriptor) }
        guard let even = read(from: descriptor, at: 0), let odd = read(from: descriptor, at: even.pageSize)
        else { throw .damaged(path: file, detail: "no meta page can be read") }
        return (even, odd)
    }

    /// The same page with another transaction's number.
    func numbered(_ transaction: UInt64) -> MetaPage {
        var page = self
        page.transaction = transaction
        return page
    }

    /// Gives a data file that nothing has open another transaction number: both meta pages lead to the newer state, as
    /// transactions `number` and `number - 1`. The file is flushed.
    ///
    /// - Parameter number: at least that of the file's newer transaction, whose number its free list has.
    static func renumber(_ file: String, as number: UInt64) throws(KeyValueError) {
        let newest = try newest(in: file)
        guard number >= max(newest.transaction, 1) else {
            throw .system(operation: "number the new file", code: EINVAL)
        }
        let descriptor = unsafe open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("open the data file", on: file, code: errno) }
        defer { _ = close(descriptor) }
        var meta = [UInt8](repeating: 0, count: range.count)
        let source = off_t(Int(newest.transaction % 2) * newest.pageSize + range.lowerBound)
        guard unsafe pread(descriptor, &meta, meta.count, source) == meta.count else {
            throw .refused("read the meta pages", code: errno)
        }
        for transaction in [number - 1, number] {
            meta.replaceSubrange(
                transactionRange, with: (0..<8).map { UInt8(truncatingIfNeeded: transaction >> ($0 * 8)) })
            let target = off_t(Int(transaction % 2) * newest.pageSize + range.lowerBound)
            guard unsafe pwrite(descriptor, meta, meta.count, target) == meta.count else {
                throw .refused("write the meta pages", code: errno)
            }
        }
        guard fsync(descriptor) == 0 else { throw .refused("flush the data file", code: errno) }
    }

    private static func read(from descriptor: Int32, at offset: Int) -> MetaPage? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, byteCount, off_t(offset))
        }
        return count == byteCount ? unsafe MetaPage(bytes.span.bytes) : nil
    }

    /// The meta page in a page's bytes; nil when it is none.
    package init?(_ bytes: RawSpan) {
        let meta = 16
        let freeList = meta + 24
        guard bytes.byteCount >= Self.byteCount, bytes.littleEndian(at: meta, as: UInt32.self) == Self.magic else {
            return nil
        }
        pageSize = Int(bytes.littleEndian(at: freeList, as: UInt32.self))
        guard (512...65536).contains(pageSize) else { return nil }
        self.freeList = TableHead(bytes, at: freeList)
        main = TableHead(bytes, at: freeList + TableHead.byteCount)
        lastPage = bytes.littleEndian(at: freeList + 96)
        transaction = bytes.littleEndian(at: freeList + 96 + 8)
    }
}

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

    private static let (backupPrefix, backupSuffix) = ("meta-pages-", ".backup")

    static func isBackup(_ name: String) -> Bool { name.hasPrefix(backupPrefix) && name.hasSuffix(backupSuffix) }

    /// Whether the meta pages are those that such an opening leaves.
    static func isNeeded(for file: String) throws(KeyValueError) -> Bool {
        let pair = try MetaPage.pair(in: file)
        return pair.even.transaction > 2 && pair.even.transaction % 2 == 0 && pair.odd.transaction == 1
    }

    /// Repairs a store that no process has open. Each step is durable before the next one; a crash in between leaves the
    /// store as it was, or repaired. Cost: reads every page that is in use, at most twice.
    ///
    /// - Throws: `damaged` when neither state is complete.
    init(_ folder: StoreFolder) throws(KeyValueError) {
        let file = "\(folder.path)/\(StoreFolder.dataFile)"
        let pair = try MetaPage.pair(in: file)
        olderTransaction = pair.even.transaction
        backupName = Self.backupPrefix + "\(olderTransaction)" + Self.backupSuffix
        let newer = pair.odd.numbered(olderTransaction + 1)
        // Pages were only added, so a state that ends before the older one is not its successor.
        let isNewerWhole = try Self.isWhole(newer, in: file)
        keepsNewerState = isNewerWhole && newer.lastPage >= pair.even.lastPage
        let isOlderWhole = try Self.isWhole(pair.even, in: file)
        guard keepsNewerState || isOlderWhole else {
            throw .damaged(path: file, detail: "the pages of both meta pages' transactions are damaged")
        }

        let descriptor = unsafe open(file, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .refused("open the data file", on: file, code: errno) }
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
        // Less than a sector, which a disk writes atomically.
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
