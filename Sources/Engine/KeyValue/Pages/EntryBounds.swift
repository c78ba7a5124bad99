import CLMDB

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// LMDB trusts the lengths on a page. A damaged length would make a value reach beyond the page, into other entries or
/// past the end of the file, which ends the process. So each length is compared with its page: an impossible one yields
/// no bytes, which fail their checksum.
///
/// In a write transaction pages are in LMDB's private memory, where their bounds are unknown; lengths are trusted
/// there.
extension TransactionState {
    /// How many bytes of a value can be read.
    @inlinable
    func readableCount(ofValue value: MDB_val) -> Int {
        let start = unsafe Int(bitPattern: value.mv_data) & (pageSize - 1)
        let count = unsafe value.mv_size
        return isWrite || count <= pageSize - start ? count : unsafe readableCount(ofLongValue: value)
    }

    /// How many bytes of a key can be read: it is always within its page.
    @inlinable
    func readableCount(ofKey key: MDB_val) -> Int {
        let start = unsafe Int(bitPattern: key.mv_data) & (pageSize - 1)
        let count = unsafe key.mv_size
        return isWrite || count <= pageSize - start ? count : 0
    }

    /// A value that is larger than a page is on overflow pages, after a header with their number.
    @usableFromInline
    func readableCount(ofLongValue value: MDB_val) -> Int {
        let headerSize = 16
        guard let start = unsafe value.mv_data, Int(bitPattern: start) & (pageSize - 1) == headerSize else { return 0 }
        let header = unsafe RawSpan(_unsafeStart: start - headerSize, byteCount: headerSize)
        let isOverflow = header.littleEndian(at: 10, as: UInt16.self) & 0x04 != 0
        let pages = Int(header.littleEndian(at: 12, as: UInt32.self))
        let count = unsafe value.mv_size
        return isOverflow && count <= pages * pageSize - headerSize ? count : 0
    }
}

/// The position of an entry in the map: to detect that a cursor has reached another page, and whether a search finds
/// the same entry.
package struct EntryPlace: Equatable {
    fileprivate let page: UInt
    fileprivate let value: UInt

    /// Whether another entry is on the same page of keys.
    package func isOnPage(of other: EntryPlace) -> Bool { page == other.page }
}

extension Cursor {
    /// The position of the current entry. Only after a move that returned true.
    package var place: EntryPlace {
        let page = unsafe UInt(bitPattern: currentKey.mv_data) & ~UInt(state.pageSize - 1)
        return EntryPlace(page: page, value: unsafe UInt(bitPattern: currentValue.mv_data))
    }
}

extension RawReadTransaction {
    /// Whether a search for a key from the root finds the entry at a position. Cost: one look-up.
    package func finds(_ key: RawSpan, at place: EntryPlace, in table: Table) throws(KeyValueError) -> Bool {
        guard let found = try unsafe find(key, in: table) else { return false }
        return unsafe UInt(bitPattern: found.mv_data) == place.value
    }
}

/// The pages of the map that a walk has passed. The walk returns them to the system from time to time, so that a long one
/// does not make the process as large as the file.
package struct PassedPages {
    private let isOfMap: Bool
    private let pageSize: UInt
    private var lowest = UInt.max
    private var highest: UInt = 0
    private var last: UInt = 0
    private var count = 0

    /// How many pages of keys a walk may pass before it returns them.
    private static let limit = 2048

    package init(of transaction: borrowing RawReadTransaction) {
        // In a write transaction pages can be in LMDB's private memory, which has no other copy.
        isOfMap = !transaction.state.isWrite
        pageSize = UInt(transaction.state.pageSize)
    }

    /// Notes an entry that the walk has passed.
    package mutating func note(_ place: EntryPlace) {
        guard place.page != last else { return }
        last = place.page
        lowest = min(lowest, place.page)
        highest = max(highest, place.page, place.value & ~(pageSize - 1))
        count += 1
        if count >= Self.limit { giveBack() }
    }

    /// Returns the pages that were noted. Whatever reads them again gets them from the file.
    package mutating func giveBack() {
        guard isOfMap, count > 0 else { return }
        // All pages in between are of the map as well.
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: lowest), Int(highest - lowest + pageSize), MADV_DONTNEED)
        (lowest, highest, count) = (.max, 0, 0)
    }
}
