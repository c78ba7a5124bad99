/// The page numbers that a value of the free list names: a count, then so many numbers.
enum FreeList {
    /// Whether the count fits, and the numbers descend, as LMDB takes for granted when it merges lists.
    static func isSound(_ value: RawSpan) -> Bool {
        guard value.byteCount >= 8, value.littleEndian(at: 0, as: UInt64.self) <= UInt64(value.byteCount / 8 - 1) else {
            return false
        }
        var last = UInt64.max
        var descends = true
        forEachPage(in: value) { page in
            descends = descends && page < last
            last = page
        }
        return descends
    }

    static func forEachPage(in value: RawSpan, _ body: (UInt64) -> Void) {
        guard value.byteCount >= 8 else { return }
        let entries = min(value.littleEndian(at: 0, as: UInt64.self), UInt64(value.byteCount / 8 - 1))
        for entry in 0..<Int(entries) { body(value.littleEndian(at: 8 + entry * 8)) }
    }
}
