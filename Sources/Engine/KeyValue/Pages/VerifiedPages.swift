/// The pages of which LMDB may read anything in a write transaction, because they were checked, or it has written them itself.
struct VerifiedPages {
    /// A bit for each page that is sound.
    private var bits: [UInt64] = []
    /// A bit for each page that was free before the first write.
    private var freePages: [UInt64] = []
    /// The first page behind the file then.
    private var end = UInt64.max
    /// The state before the first write.
    private var firstState: UInt64 = 0
    /// Whether nothing has been written since.
    private var isFirst = true

    /// Begins with the state that a write transaction follows.
    mutating func begin(in map: PageMap, of number: UInt64) {
        isFirst = number == firstState
        let words = Int(map.pageCount / 64) + 1
        if words > bits.count { bits += [UInt64](repeating: 0, count: words + words / 2 - bits.count) }
    }

    /// Notes which pages were free before the first write. What is on them in a later state, LMDB has written since.
    mutating func trust(_ freePages: [UInt64], end: UInt64, in state: UInt64) {
        (self.freePages, self.end, firstState) = (freePages, end, state)
    }

    /// A page of a tree, which is checked unless it was before.
    @inline(__always)
    mutating func page(
        _ number: UInt64, isBranch: Bool, within bounds: KeyBounds, in map: PageMap
    ) throws(PageDamage) -> PageMap.Page {
        let page = try map.page(number)
        let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
        if bits[word] & bit != 0 {
            // It may be sound in another place: a damaged branch can lead to it a second time.
            try map.checkPlace(of: page, within: bounds, isBranch: isBranch)
            return page
        }
        if isWritten(number) {
            guard !isFirst else { throw map.damage(page, .isFree) }
            try map.checkPlace(of: page, within: bounds, isBranch: isBranch)
        } else {
            try map.checkSoundness(of: page, within: bounds, isBranch: isBranch)
        }
        bits[word] |= bit
        return page
    }

    /// Whether LMDB has written a page since the first write, if it is in use.
    private func isWritten(_ number: UInt64) -> Bool {
        let word = Int(number / 64)
        return number >= end || word < freePages.count && freePages[word] & 1 << (number % 64) != 0
    }
}
