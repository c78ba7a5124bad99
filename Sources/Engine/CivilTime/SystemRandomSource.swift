/// The operating system's random numbers: unpredictable, fit for identifiers.
public struct SystemRandomSource: RandomSource {
    /// The operating system's random numbers.
    public init() {}

    /// The next number. Cost: up to one system call.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
