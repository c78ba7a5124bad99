/// A set of the last pending changes of a disk, of which each image keeps some.
struct ChangeSet: Hashable, Sendable {
    /// Images vary only the last so many changes. Those before were varied at earlier points.
    static let capacity = 256

    private var words = SIMD4<UInt64>()

    init() {}

    init(_ range: Range<Int>) {
        for word in 0..<4 {
            let lower = max(range.lowerBound - 64 * word, 0)
            let upper = min(range.upperBound - 64 * word, 64)
            guard lower < upper else { continue }
            let count = upper - lower
            words[word] = (count == 64 ? ~0 : (1 << UInt64(count)) - 1) << UInt64(lower)
        }
    }

    func contains(_ index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }

    mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }

    mutating func remove(_ index: Int) { words[index >> 6] &= ~(1 << UInt64(index & 63)) }

    mutating func formUnion(_ other: ChangeSet) { words |= other.words }

    func isDisjoint(with other: ChangeSet) -> Bool { words & other.words == SIMD4() }

    var count: Int { (0..<4).reduce(0) { $0 + words[$1].nonzeroBitCount } }

    var isEmpty: Bool { words == SIMD4() }
}
