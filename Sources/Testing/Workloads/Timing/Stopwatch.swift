/// Real time, for what is measured.
public enum Stopwatch {
    /// How long something took, in nanoseconds.
    public static func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
        try ContinuousClock().measure(body).nanoseconds
    }
}
