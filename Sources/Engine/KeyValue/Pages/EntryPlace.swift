#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
        let page = unsafe UInt(bitPattern: currentKey.mv_data) & ~UInt(state.environment.pageSize - 1)
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
        pageSize = UInt(transaction.state.environment.pageSize)
    }

    /// Notes an entry that the walk has passed.
    package mutating func note(_ place: EntryPlace) {
        guard place.page != last else { return }
        last = place.page
        lowest = min(lowest, place.page)
        highest = max(highest, place.page, place.value & ~(pageSize - 1))
        count += 1
        if count >= Self.limit { release() }
    }

    /// Returns the pages that were noted. Whatever reads them again gets them from the file.
    package mutating func release() {
        guard isOfMap, count > 0 else { return }
        // All pages in between are of the map as well.
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: lowest), Int(highest - lowest + pageSize), MADV_DONTNEED)
        (lowest, highest, count) = (.max, 0, 0)
    }
}
