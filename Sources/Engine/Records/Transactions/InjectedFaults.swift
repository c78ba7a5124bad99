import CivilTime
import Injection
import KeyValue
import Threading

/// The writes that a fault injection point moves to a second transaction, after the first has been committed.
final class PostponedWrites: Sendable {
    typealias Step = @Sendable (borrowing RawWriteTransaction) throws -> Void

    /// A part of an operation that becomes a transaction by itself.
    typealias Part = @Sendable (WriteTransaction) throws -> Void

    private let injectionPoint: ArmedInjectionPoints
    private let steps = ForkSafeMutex<[Step]>([])
    private let parts = ForkSafeMutex<[Part]>([])

    /// Nil for a store that keeps its promises.
    init?(_ injectionPoint: ArmedInjectionPoints) {
        guard !injectionPoint.isEmpty else { return nil }
        self.injectionPoint = injectionPoint
    }

    func takes(_ point: InjectionPoint) -> Bool { injectionPoint(point) }

    /// The closure may run again; only its last run counts.
    func begin() {
        steps.withLock { $0.removeAll() }
        parts.withLock { $0.removeAll() }
    }

    func add(_ step: @escaping Step) {
        steps.withLock { $0.append(step) }
    }

    func add(part: @escaping Part) {
        parts.withLock { $0.append(part) }
    }

    /// Runs the second transaction, and then one for each part, on the calling thread.
    func perform(
        in environment: Environment, _ run: (Part, consuming RawWriteTransaction) throws -> Void = { _, _ in }
    ) throws {
        let steps = steps.withLock { $0 }
        if !steps.isEmpty {
            try environment.write { engine in
                for step in steps { try step(engine) }
            }
        }
        for part in parts.withLock({ $0 }) { try environment.write { try run(part, $0) } }
    }
}

extension WriteTransaction {
    /// Whether a fault injection point makes a part of this operation a transaction by itself.
    package func isPostponed(_ point: InjectionPoint) -> Bool { postponed?.takes(point) ?? false }

    /// Runs a part of this operation after it, in a transaction by itself.
    package func postpone(_ part: @escaping @Sendable (WriteTransaction) throws -> Void) {
        postponed?.add(part: part)
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
