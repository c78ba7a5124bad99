/// What is asked of a damaged store, in this order. Each may end the process, so a later one can begin in a new one.
enum BitRotStage: Int, CaseIterable, Comparable, Sendable {
    /// Does LMDB alone see anything else than before?
    case looking
    case verifying
    case reading
    case undoing
    case rebuilding
    /// Only of damage that nobody sees: do later writes trip over it?
    case writing

    var name: String { "\(self)" }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
