import CivilTime
import Injection

/// The rules of time that fault injection points break, so that the simulator has something to find.
extension Context {
    func injected(_ injectionPoint: ArmedInjectionPoints) -> Context {
        var context = self
        if injectionPoint(.countsDaysOf86400Seconds) {
            context.zones = EvenDays(of: context.zones, offsetAt: context.clock.wall)
        }
        if injectionPoint(.keepsZoneOfOpening) { context.zones = SettableZone(context.zone) }
        if injectionPoint(.measuresUndoByWallClock) { context.clock = WallClockOnly(clock: context.clock) }
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
