#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The extent of tests.
package enum TestBudget {
    /// Whether tests run at length: if the environment has `DAYBOOK_LONG_TESTS=1`.
    package static let isLong = isSet("DAYBOOK_LONG_TESTS")

    /// Whether somebody waits for them: if the environment has `DAYBOOK_QUICK_TESTS=1`, as in `Scripts/test` without an option. What is
    /// not optimized takes ten times as long, and some seeds of a property say there nearly as much as many.
    package static let isQuick = isSet("DAYBOOK_QUICK_TESTS") && !isLong

    /// Returns the usual number, the long one where tests run at length, the quick one where somebody waits.
    package static func count(_ usual: Int, long: Int? = nil, quick: Int? = nil) -> Int {
        (isLong ? long : isQuick ? quick : nil) ?? usual
    }

    /// Returns a range of that many numbers from 0, such as seeds.
    package static func range(_ usual: Int, long: Int? = nil, quick: Int? = nil) -> Range<UInt64> {
        0..<UInt64(count(usual, long: long, quick: quick))
    }

    private static func isSet(_ variable: String) -> Bool { getenv(variable).map { String(cString: $0) } == "1" }
}
