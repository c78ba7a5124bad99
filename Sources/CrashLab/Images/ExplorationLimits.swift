/// How many images of one moment to try. What is not counted here is always tried: none, all, each unit lost alone and
/// each kept alone.
struct ExplorationLimits: Sendable, Equatable {
    /// Up to so many units every subset is tried.
    var subsetLimit = 12
    /// Beyond it, so many subsets are drawn.
    var samples = 64
    /// How many torn writes are tried.
    var tears = 48
}
