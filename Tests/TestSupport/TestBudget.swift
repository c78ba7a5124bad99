#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much a test tries.
package enum TestBudget {
    /// Whether tests run at length: where the environment has `DAYBOOK_LONG_TESTS=1`, as in `.ci/run`.
    package static let isLong = getenv("DAYBOOK_LONG_TESTS").map { String(cString: $0) } == "1"

    /// Returns the short number, or the long one where tests run at length.
    package static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// Returns that many seeds, choices or the like, from 0.
    package static func range(_ short: Int, long: Int) -> Range<UInt64> { 0..<UInt64(count(short, long: long)) }
}
