import CivilTime
import Injection
import KeyValue
import Threading

/// The writes that a fault injection point moves to a second transaction, after the first has been committed.
final class PostponedWrites: Sendable {
    typealias Step = @Sendable (borrowing RawWriteTransaction) throws -> Void

    private let injectionPoint: ArmedInjectionPoints
    private let steps = ForkSafeMutex<[Step]>([])

    /// Nil for a store that keeps its promises.
    init?(_ injectionPoint: ArmedInjectionPoints) {
        let points: [InjectionPoint] = [
            .indexOutsideTransaction, .rollUpInSecondTransaction, .tallyInSecondTransaction,
        ]
        guard points.contains(where: { injectionPoint($0) }) else { return nil }
        self.injectionPoint = injectionPoint
    }

    func takes(_ point: InjectionPoint) -> Bool { injectionPoint(point) }

    /// The closure may run again; only its last run counts.
    func begin() {
        steps.withLock { $0.removeAll() }
    }

    func add(_ step: @escaping Step) {
        steps.withLock { $0.append(step) }
    }

    /// Runs the second transaction, on the calling thread.
    func carryOut(in environment: Environment) throws {
        let steps = steps.withLock { $0 }
        guard !steps.isEmpty else { return }
        try environment.write { engine in
            for step in steps { try step(engine) }
        }
    }
}

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
