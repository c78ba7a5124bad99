import Threading

/// A zone that stays until another is set: for tests, for `--zone`, for the simulator, and for applications that know
/// better than the machine where their user is.
public final class SettableZone: ZoneSource {
    private let state: ForkSafeMutex<Zone>
    private let signal = Signal()

    /// A source that names this zone.
    public init(_ zone: Zone) {
        state = ForkSafeMutex(acrossForks: zone)
    }

    /// The zone that was set.
    public var zone: Zone { state.withLock { $0 } }

    /// Travels to a zone, and wakes all who wait for that, in the order in which they came. The zone that it is already
    /// wakes nobody.
    public func set(_ zone: Zone) {
        let isChange = state.withLock { current in
            defer { current = zone }
            return current != zone
        }
        if isChange { signal.raise() }
    }

    /// How many tasks wait now; a test waits for it before it sets the zone.
    public var waiterCount: Int { signal.waiterCount }

    /// Returns when another zone than this one is set, or was already.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForChange(from zone: Zone) async throws {
        let generation = signal.generation
        guard self.zone == zone else { return }
        try await signal.wait(past: generation)
    }
}
