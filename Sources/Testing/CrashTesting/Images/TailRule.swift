/// What a file that a lost write would have made longer has in its place.
enum TailRule: String, Sendable, CaseIterable {
    /// Nothing: the file ends with the last byte that was kept.
    case lost
    /// The length came through, the bytes did not.
    case zeros
    /// The length came through, with whatever was on the disk there.
    case garbage
}
