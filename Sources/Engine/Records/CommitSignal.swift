import CivilTime

/// Lets tasks sleep until something was committed. Nothing runs in the meantime.
///
/// Read `generation` before looking at the store, look, then wait past it: a commit in between ends the wait at once, so
/// none is missed. Those who wait are woken in the order in which they came.
public final class CommitSignal: Sendable {
    private let signal = Signal()

    /// How often the signal was raised.
    public var generation: UInt64 { signal.generation }

    func raise() { signal.raise() }

    /// Returns when the signal was raised since `generation` was read. Throws when the task is cancelled.
    public func wait(past generation: UInt64) async throws(CancellationError) {
        try await signal.wait(past: generation)
    }
}
