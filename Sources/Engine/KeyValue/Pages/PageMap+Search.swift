/// Searching for keys, which sort as their bytes do.
extension PageMap {
    /// Where a key is on a page: the first node that is not before it, and whether that has the same key. A branch's first
    /// key stands for all that are smaller, so it is not looked at.
    @inline(__always)
    func firstNode(
        notBefore key: UnsafeRawBufferPointer, on page: Page
    ) throws(PageDamage) -> (index: Int, isExact: Bool) {
        var low = page.isBranch ? 1 : 0
        var high = page.nodeCount
        while low < high {
            let middle = (low + high) >> 1
            let comparison = unsafe order(of: try self.key(middle, of: page.offset), comparedTo: key)
            if comparison == 0 { return (middle, true) }
            if comparison < 0 { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The leaf and node of a key; nil when the tree does not have it.
    func find(
        _ key: UnsafeRawBufferPointer, from root: UInt64
    ) throws(PageDamage) -> (page: Int, index: Int)? {
        var number = root
        var depth = 0
        while depth < PageFormat.depthLimit || isLeftOut(.loops) {
            let page = try page(number)
            let (index, isExact) = try unsafe firstNode(notBefore: key, on: page)
            guard page.isBranch else { return isExact ? (page.offset, index) : nil }
            number = try child(isExact ? index : index - 1, of: page.offset)
            depth += 1
        }
        throw PageDamage(root, .isLoop)
    }

    /// Whether a page with keys between some bounds is the one for a key.
    func isBetween(_ key: UnsafeRawBufferPointer, _ bounds: KeyBounds) -> Bool {
        if let low = bounds.low, unsafe order(of: low, comparedTo: key) > 0 { return false }
        guard let high = bounds.high else { return true }
        return unsafe order(of: high, comparedTo: key) > 0
    }

    /// Negative when a key of a page comes before another one, positive when it comes after it.
    ///
    /// Eight bytes at a time: keys are short, and a call of the system's comparison costs more than most of them.
    @inline(__always)
    func order(of key: Extent, comparedTo other: UnsafeRawBufferPointer) -> Int {
        let common = min(key.count, other.count)
        guard common >= 8, let theirs = other.baseAddress else {
            return unsafe shortOrder(of: key, comparedTo: other)
        }
        let mine = bytes(at: key.offset)
        var place = 0
        while true {
            let left = mine.load(place, as: UInt64.self)
            let right = unsafe UInt64(littleEndian: theirs.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            if left != right { return left.byteSwapped < right.byteSwapped ? -1 : 1 }
            if place == common - 8 { return key.count - other.count }
            // The last eight bytes may overlap the ones before, which are equal.
            place = min(place + 8, common - 8)
        }
    }

    func order(of key: Extent, comparedTo other: Extent) -> Int {
        let bytes = unsafe UnsafeRawBufferPointer(start: base + other.offset, count: other.count)
        return unsafe order(of: key, comparedTo: bytes)
    }

    private func shortOrder(of key: Extent, comparedTo other: UnsafeRawBufferPointer) -> Int {
        let mine = bytes(at: key.offset)
        for place in 0..<min(key.count, other.count) {
            let (left, right) = (mine.load(place, as: UInt8.self), unsafe other[place])
            if left != right { return Int(left) - Int(right) }
        }
        return key.count - other.count
    }
}
