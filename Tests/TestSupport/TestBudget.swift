#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The extent of tests.
package enum TestBudget {
    /// Whether tests run at length: if the environment has `DAYBOOK_LONG_TESTS=1`, as in `.ci/run`.
    package static let isLong = getenv("DAYBOOK_LONG_TESTS").map { String(cString: $0) } == "1"

    /// Returns the short number, or the long one where tests run at length.
    package static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }

    /// Returns a range of that many numbers from 0, such as seeds.
    package static func range(_ short: Int, long: Int) -> Range<UInt64> { 0..<UInt64(count(short, long: long)) }
}
