/// How much memory a load may take for the entries of indexes. More means fewer and longer sorted runs.
enum LoadingMemory {
    /// Where memory is not limited.
    static let ample = 12 << 20

    /// Returns the bytes of entries in memory. As much again is being written, and both double while they grow.
    static func runLimit(under limit: Int?) -> Int {
        guard let limit else { return ample }
        return min(ample, max(limit / 32, 1 << 18))
    }
}
