/// Where an entry lies in the map: to see when a cursor has come to another page, and whether a search comes to the very
/// same entry.
package struct EntryPlace: Equatable {
    fileprivate let page: UInt
    fileprivate let value: UInt

    /// Whether another entry lies on the same page of keys.
    package func isOnPage(of other: EntryPlace) -> Bool { page == other.page }
}

extension Cursor {
    /// Where the entry lies that the cursor stands on. Only after a move that returned true.
    package var place: EntryPlace {
        let page = unsafe UInt(bitPattern: currentKey.mv_data) & ~UInt(state.pageSize - 1)
        return EntryPlace(page: page, value: unsafe UInt(bitPattern: currentValue.mv_data))
    }
}

extension RawReadTransaction {
    /// Whether a search from the root for a key comes to the entry at a place. Cost: one look-up.
    package func finds(_ key: RawSpan, at place: EntryPlace, in table: Table) throws(KeyValueError) -> Bool {
        guard let found = try unsafe find(key, in: table) else { return false }
        return unsafe UInt(bitPattern: found.mv_data) == place.value
    }
}
