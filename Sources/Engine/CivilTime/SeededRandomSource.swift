import Synchronization

/// Random numbers that a seed determines, for tests and the simulator: the same seed gives the same numbers on every
/// machine. (SplitMix64; not for secrets.) Several tasks may share one; each number is handed out once.
public final class SeededRandomSource: RandomSource {
    private let state: Atomic<UInt64>

    /// The numbers of this seed, from the first.
    public init(seed: UInt64) {
        state = Atomic(seed)
    }

    /// The next number. Cost: some nanoseconds.
    public func next() -> UInt64 {
        var mixed = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
