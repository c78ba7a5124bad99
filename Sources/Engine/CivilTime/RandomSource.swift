/// The one source of random numbers. A store takes it from its ``Context``, so that a run can be replayed.
public protocol RandomSource: Sendable {
    /// The next number, each of the 2^64 as likely as any other.
    func next() -> UInt64
}
