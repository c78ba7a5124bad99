import KeyValue

extension ChecksummedTable {
    /// Passes each key of a range to a closure, forward or backward, until it returns false. Each entry's checksum and
    /// order are checked: a page in the place of another one has valid checksums.
    func forEachKey(
        _ range: KeyRange, backwards: Bool, by cursor: inout Cursor, _ body: (RawSpan) throws -> Bool
    ) throws {
        var edge = (backwards ? range.upper : range.lower).map { KeyBeginning($0.bytes) }
        try range.forEachEntry(backwards: backwards, by: &cursor) { key, checksummed in
            let beginning = KeyBeginning(key)
            if let edge, backwards ? edge < beginning : beginning < edge { throw damage(key) }
            edge = beginning
            return try open(key: key, checksummed: checksummed) { _, _ in try body(key) }
        }
    }

    /// Passes each entry of a range to a closure, unchecked, until it returns false. Returns whether it returned true for all.
    @discardableResult
    func forEachEntry(
        _ range: KeyRange = .all, in engine: borrowing RawReadTransaction,
        _ body: (_ key: RawSpan, _ checksummed: RawSpan) throws -> Bool
    ) throws -> Bool {
        try engine.withCursor(over: table) { try range.forEachEntry(by: &$0, body) }
    }
}

/// The first 16 bytes of a key, as numbers that sort like the bytes: enough to detect a page in the place of another
/// one, and several times cheaper than comparing complete keys.
private struct KeyBeginning: Comparable {
    private let high: UInt64
    private let low: UInt64

    init(_ key: RawSpan) {
        guard key.byteCount < 16 else {
            high = key.bigEndian(at: 0)
            low = key.bigEndian(at: 8)
            return
        }
        var halves: (UInt64, UInt64) = (0, 0)
        for offset in 0..<16 {
            let byte = offset < key.byteCount ? UInt64(key[byteAt: offset]) : 0
            if offset < 8 { halves.0 = halves.0 << 8 | byte } else { halves.1 = halves.1 << 8 | byte }
        }
        (high, low) = halves
    }

    static func < (left: Self, right: Self) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

/// A half-open range of keys.
struct KeyRange {
    let lower: KeyBytes?
    let upper: KeyBytes?

    static let all = KeyRange(lower: nil, upper: nil)

    init(lower: KeyBytes?, upper: KeyBytes?) {
        self.lower = lower
        self.upper = upper
    }

    init(prefix: KeyBytes) {
        lower = prefix
        upper = prefix.successorOfPrefix
    }

    /// Passes each entry of the range to a closure, in order or backwards, until it returns false. Returns whether it returned
    /// true for all. Inlined: it is part of the loop of every view.
    @discardableResult
    @inline(__always)
    func forEachEntry(
        backwards: Bool = false, by cursor: inout Cursor,
        _ body: (_ key: RawSpan, _ checksummed: RawSpan) throws -> Bool
    ) throws -> Bool {
        var isOnEntry = backwards ? try seekLast(&cursor) : try seekFirst(&cursor)
        while isOnEntry {
            let shouldContinue: Bool? = try cursor.withEntry { key, checksummed in
                guard backwards ? isAtOrAfterLower(key) : isBeforeUpper(key) else { return nil }
                return try body(key, checksummed)
            }
            guard let shouldContinue else { break }
            guard shouldContinue else { return false }
            isOnEntry = backwards ? try cursor.moveToPrevious() : try cursor.moveToNext()
        }
        return true
    }

    private func seekFirst(_ cursor: inout Cursor) throws(KeyValueError) -> Bool {
        guard let lower else { return try cursor.moveToFirst() }
        return try cursor.seek(lower.bytes)
    }

    private func seekLast(_ cursor: inout Cursor) throws(KeyValueError) -> Bool {
        guard let upper else { return try cursor.moveToLast() }
        return try cursor.seekBefore(upper.bytes)
    }

    func isBeforeUpper(_ key: RawSpan) -> Bool {
        guard let upper else { return true }
        return key.precedes(upper.bytes)
    }

    func isAtOrAfterLower(_ key: RawSpan) -> Bool {
        guard let lower else { return true }
        return !key.precedes(lower.bytes)
    }

    func contains(_ key: RawSpan) -> Bool { isAtOrAfterLower(key) && isBeforeUpper(key) }
}
