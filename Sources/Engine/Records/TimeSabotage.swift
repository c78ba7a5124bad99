import CivilTime

/// A rule of time to break on purpose, so that it is known that the simulator finds out. Only this package can reach it.
package enum TimeSabotage: String, CaseIterable, Sendable {
    /// Today is computed with days of 86,400 seconds, from the offset at the opening.
    case countsDaysOf86400Seconds
    /// The zone of the opening is kept, wherever the person travels.
    case keepsZoneOfOpening
    /// Windows for undo are measured by the wall clock.
    case measuresUndoByWallClock
    /// Live views say nothing of tasks that change their place.
    case missesMoves
    /// A completion that is taken back stays counted.
    case neverReversesCounts

    /// The context as the broken rule has it.
    func spoil(_ context: Context) -> Context {
        var context = context
        switch self {
        case .countsDaysOf86400Seconds: context.zones = EvenDays(of: context.zones, offsetAt: context.clock.wall)
        case .keepsZoneOfOpening: context.zones = SettableZone(context.zone)
        case .measuresUndoByWallClock: context.clock = WallClockOnly(clock: context.clock)
        case .missesMoves, .neverReversesCounts: break
        }
        return context
    }

    /// Zones whose offset never changes.
    private struct EvenDays: ZoneSource {
        let zones: any ZoneSource
        let instant: Instant

        init(of zones: any ZoneSource, offsetAt instant: Instant) {
            self.zones = zones
            self.instant = instant
        }

        var zone: Zone { zones.zone.withFixedOffset(of: instant) }

        func waitForChange(from zone: Zone) async throws {
            try await zones.waitForChange(from: zone)
        }
    }

    /// A clock that takes its monotonic time from the wall.
    private struct WallClockOnly: TimeSource {
        let clock: any TimeSource

        var wall: Instant { clock.wall }
        var monotonic: MonotonicTime { MonotonicTime(microseconds: clock.wall.microsecondsSince1970) }

        func sleep(while range: Range<Instant>) async throws { try await clock.sleep(while: range) }
        func sleep(until time: MonotonicTime) async throws { try await clock.sleep(until: time) }
    }
}
