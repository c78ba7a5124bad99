#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much memory a load may take for the entries of indexes. More means fewer and longer sorted runs.
enum LoadingMemory {
    /// Where memory is not limited.
    static let ample = 12 << 20

    /// The limit of this process on its data (`ulimit -d`), in bytes; nil for none.
    static var dataLimit: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_DATA, &limit)
        #endif
        guard result == 0, limit.rlim_cur < rlim_t(Int.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// Returns the bytes of entries in memory. As much again is being written, and both double while they grow.
    static func runLimit(under limit: Int?) -> Int {
        guard let limit else { return ample }
        return min(ample, max(limit / 32, 1 << 18))
    }
}
