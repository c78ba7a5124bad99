/// How many images of one moment to try. What is not counted here is always tried: none, all, each unit lost alone and
/// each kept alone.
struct ExplorationLimits: Sendable, Equatable {
    /// Up to so many units every subset is tried.
    var subsetLimit = 12
    /// Beyond it, so many subsets are drawn.
    var samples = 64
    /// How many torn writes are tried.
    var tears = 48

    /// For the recovery of an image, which is interrupted at each of its calls.
    static let recovery = ExplorationLimits(subsetLimit: 3, samples: 2, tears: 2)
    /// For each of hundreds of operations.
    static let long = ExplorationLimits(subsetLimit: 12, samples: 32, tears: 12)
    /// For a power cut after a fault.
    static let fault = ExplorationLimits(subsetLimit: 2, samples: 2, tears: 0)
}
