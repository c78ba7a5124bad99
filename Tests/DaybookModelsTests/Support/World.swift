import Daybook
import Observation
import TestSupport
import Testing

/// A store in simulated time, with a session for the screens of an application.
@MainActor final class World {
    let folder: TemporaryFolder
    let clock: SettableClock
    let zone: SettableZone
    let store: DaybookStore
    let session: DaybookSession

    var tasks: TaskList { session.tasks }
    var path: String { "\(folder.path)/store" }

    init(
        at now: String = "2026-02-11T10:00:00Z", zone: String = "Europe/Istanbul", records: Schema = Schema(),
        options: StoreOptions = StoreOptions()
    ) throws {
        folder = TemporaryFolder(on: .memory)
        clock = SettableClock(try Instant(now))
        self.zone = SettableZone(try Zone(zone))
        store = try DaybookStore.open(
            at: "\(folder.path)/store",
            context: Context(clock: clock, random: SeededRandomSource(seed: 1), zones: self.zone, weekStart: .monday),
            records: records, options: options)
        session = store.session()
    }

    func advance(seconds: Int64) { clock.advance(byMicroseconds: seconds * 1_000_000) }

    /// Waits until something holds that is no property of a model.
    func wait(until holds: () -> Bool) async {
        while !holds() { await Task.yield() }
    }
}

/// Waits until models show something. It ends as soon as they do, and needs no time.
@MainActor func shown(_ holds: @escaping @MainActor @Sendable () -> Bool) async {
    for await isShown in Observations({ holds() }) where isShown { return }
}

/// An observer of whatever it is given, which counts how often it was told of a change.
@MainActor final class Counter {
    private(set) var changes = 0

    func count(_ look: @escaping @MainActor @Sendable () -> Void) {
        withObservationTracking(look) { [weak self] in
            Task { @MainActor in
                self?.changes += 1
                self?.count(look)
            }
        }
    }
}

extension Sequence where Element == TaskItem {
    var texts: [String] { map(\.text) }
}
