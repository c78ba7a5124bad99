import Daybook
import Foundation
import Observation

/// A store in simulated time.
public final class World: Sendable {
    /// The clock, which a story advances.
    public let clock: SettableClock
    /// The store.
    public let store: DaybookStore
    private let folder: String?

    /// - Parameters:
    ///   - now: the moment at which it begins, 13:00 in Istanbul unless another is given.
    ///   - options: of a store in a folder that survives ``reopened()``; nil for a temporary one.
    public init(at now: String = "2026-02-11T10:00:00Z", options: StoreOptions? = nil) throws {
        clock = SettableClock(try Instant(now))
        let context = try Self.context(clock)
        folder = options.map { _ in NSTemporaryDirectory() + "/stories-\(UUID().uuidString)" }
        if let options, let folder {
            store = try DaybookStore.open(at: folder, context: context, options: options)
        } else {
            store = try DaybookStore.temporary(context: context)
        }
    }

    deinit {
        guard let folder else { return }
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func context(_ clock: SettableClock) throws -> Context {
        Context(
            clock: clock, random: SeededRandomSource(seed: 1), zones: SettableZone(try Zone("Europe/Istanbul")),
            weekStart: .monday)
    }

    /// Lets time pass.
    public func advance(seconds: Int64) { clock.advance(byMicroseconds: seconds * 1_000_000) }
}

/// Waits until models show something.
@MainActor public func shown(_ holds: @escaping @MainActor @Sendable () -> Bool) async {
    for await isShown in Observations({ holds() }) where isShown { return }
}

extension Sequence where Element == TaskItem {
    /// The texts of the tasks.
    public var texts: [String] { map(\.text) }
}
