import KeyValue

/// A page of an LMDB data file as far as it leads to other pages.
///
/// Layout (lmdb 0.9 `mdb.c`, 64-bit): number, padding, flags at 10. The first page of an overflow run has the number of
/// its pages at 12. A meta page goes on at 16 with magic, version, address and map size, then the records of the free
/// list (which begins with the page size) and of the main table, last page and transaction.
final class LMDBPage: Sendable {
    enum Kind: Sendable {
        case meta(roots: [Int], lastPage: Int, transaction: UInt64)
        case tree(LMDBLinks)
        case overflow(pages: Int)
        case other
    }

    static let headerSize = 16

    let kind: Kind

    init(_ bytes: RawSpan) {
        // Leaves without nodes, and pages inside of pages, belong to features that are not in use here.
        switch bytes.littleEndian(at: 10, as: UInt16.self) {
        case 0x01: kind = LMDBLinks(branch: bytes).map(Kind.tree) ?? .other
        case 0x02: kind = LMDBLinks(leaf: bytes).map(Kind.tree) ?? .other
        case 0x04: kind = .overflow(pages: Int(bytes.littleEndian(at: 12, as: UInt32.self)))
        case 0x08: kind = Self.meta(bytes)
        default: kind = .other
        }
    }

    private static func meta(_ bytes: RawSpan) -> Kind {
        let freeList = headerSize + 24
        let mainTable = freeList + LMDBLinks.tableRecordSize
        let end = mainTable + LMDBLinks.tableRecordSize
        guard bytes.littleEndian(at: headerSize, as: UInt32.self) == 0xBEEF_C0DE,
            bytes.littleEndian(at: freeList, as: UInt32.self) == UInt32(Page.size),
            let lastPage = LMDBLinks.pageNumber(bytes, at: end)
        else { return .other }
        let roots = [freeList, mainTable].compactMap { LMDBLinks.root(ofTableRecord: bytes, at: $0) }
        return .meta(roots: roots, lastPage: lastPage, transaction: bytes.littleEndian(at: end + 8))
    }
}
