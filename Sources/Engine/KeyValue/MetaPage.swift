#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LMDB's meta page, as far as it is needed to judge a data file without mapping it.
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
            // Transactions take the two pages in turns. LMDB does not look, and would go back to an older state in
            // silence.
            if first.transaction % 2 == 0, second.transaction % 2 == 1,
                first.transaction &+ 1 == second.transaction || second.transaction &+ 1 == first.transaction
            {
                return first.transaction < second.transaction ? second : first
            }
            // Another process may have committed between the two looks.
            guard try pair(in: file).even.transaction != first.transaction else {
                throw .damaged(path: file, detail: "the meta pages are not those of two transactions in turn")
            }
        }
    }

    /// Both meta pages: the one that even transactions take, and the one that odd transactions take.
    package static func pair(in file: String) throws(KeyValueError) -> (even: MetaPage, odd: MetaPage) {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .permissionDenied(path: file) }
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
