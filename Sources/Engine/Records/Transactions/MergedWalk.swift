import KeyValue

/// The keys of pending entries, which a table does not have yet, to be merged into a walk through it.
///
/// It holds keys and no records: in generic code, each type that depends on a type parameter costs a look-up at run time, and nearly
/// all walks have nothing pending.
struct MergedWalk {
    /// In ascending order.
    private let pending: [KeyBytes]
    private let isBackwards: Bool
    private var next: Int

    /// - Parameter pending: the keys, in ascending order.
    init(_ pending: [KeyBytes], backwards: Bool = false) {
        self.pending = pending
        isBackwards = backwards
        next = backwards ? pending.count - 1 : 0
    }

    /// Passes each pending key before that of a stored entry, which comes next, to a closure until it returns false; for nil, all that
    /// are left. Returns whether the walk continues.
    mutating func pass(before stored: RawSpan?, to body: (KeyBytes) throws -> Bool) rethrows -> Bool {
        while pending.indices.contains(next) {
            let key = pending[next]
            if let stored, isBackwards ? !stored.precedes(key.bytes) : !key.bytes.precedes(stored) { return true }
            next += isBackwards ? -1 : 1
            guard try body(key) else { return false }
        }
        return true
    }
}
