/// A stub to compile against: the runner brings the world itself.
public final class SimulatedWorld: Sendable {
    /// A world.
    public init() {}
}
