/// Where the zone of the person who asks comes from.
public protocol ZoneSource: Sendable {
    /// The zone at this moment: it changes while they travel.
    var zone: Zone { get }

    /// Returns when the zone may be another one than `zone`: the caller looks again. Nothing runs while it waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func waitForChange(from zone: Zone) async throws
}
