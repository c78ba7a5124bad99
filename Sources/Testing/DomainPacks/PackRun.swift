import CivilTime
import Daybook
import Records

/// A random history of a domain in a store. After every step, the store must show what the domain's model has, while hours pass,
/// clocks step and the person travels. The store stays open in this process; the crash lab and the simulator do the rest.
package final class PackRun {
    package let daybook: DaybookStore
    /// How often each operation was done; refused ones are counted by `NAME refused`.
    package private(set) var counts: [String: Int] = [:]
    private let clock: SettableClock
    private let zone = SettableZone(.utc)
    private let draws: SeededRandomSource
    private let names: [String]
    private var history: PackHistory

    private static let zones = [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "Australia/Lord_Howe",
    ]

    /// Opens a new store and performs what the domain begins with.
    package init(of pack: any DomainPack.Type, at path: String, seed: UInt64) async throws {
        clock = SettableClock(Instant(secondsSince1970: 1_774_645_200))  // 2026-03-27T21:00:00Z
        draws = SeededRandomSource(seed: seed)
        names =
            pack.weightedNames + Array(repeating: PackAction.undoName, count: 4) + [
                PackAction.redoName, PackAction.redoName,
            ]
        history = PackHistory(of: pack)
        daybook = try DaybookStore.open(
            at: path, context: Context(clock: clock, random: draws.branch(), zones: zone, weekStart: .monday),
            records: pack.records)
        for step in pack.start {
            let parts = step.split(separator: ".")
            try await perform(String(parts[0]), parts.count == 1 ? 0 : Int(parts[1]) ?? 0)
        }
    }

    /// Lets time pass, and performs an operation.
    ///
    /// - Throws: ``PackError/differs(_:)`` if the store does not show what the model has.
    package func step() async throws {
        if below(10) < 6 { clock.advance(byMicroseconds: Int64(below(4 * 3600)) * 1_000_000) }
        if below(20) == 0 { clock.advance(byMicroseconds: Int64(below(48 * 3600)) * 1_000_000) }
        if below(40) == 0 { clock.setWall(clock.wall.advanced(bySeconds: Int64(below(5 * 86_400)) - 3 * 86_400)) }
        if below(20) == 0 { zone.set(try Zone(Self.zones[below(Self.zones.count)])) }
        try await perform(names[below(names.count)], below(9973))
    }

    private func below(_ limit: Int) -> Int { Int(draws.next() % UInt64(limit)) }

    private var moment: DomainMoment { DomainMoment(clock.wall, in: zone.zone) }

    private func perform(_ name: String, _ draw: Int) async throws {
        guard let action = history.action(name, DomainDraw(draw, at: moment)) else { return }
        do {
            try await action.perform(in: daybook)
        } catch {
            throw PackError.differs("\(name).\(draw) fails: \(error)")
        }
        counts[action.isRefused ? "\(name) refused" : name, default: 0] += 1
        history.apply(action)
        let pack = type(of: history.content)
        let expected = history.lines(at: moment)
        let (found, problems) = try daybook.read { (try pack.lines(in: $0), try pack.problems(in: $0)) }
        guard found == expected, problems.isEmpty else {
            let missing = expected.filter { !found.contains($0) }
            let other = found.filter { !expected.contains($0) }
            throw PackError.differs("after \(name).\(draw): expected \(missing), found \(other), \(problems)")
        }
    }
}

extension PackAction {
    /// Whether a program must refuse it.
    fileprivate var isRefused: Bool {
        if case .changes(let changes) = self, case .refused = changes.first?.work { true } else { false }
    }
}
