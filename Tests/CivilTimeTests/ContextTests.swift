import Synchronization
import Testing

@testable import CivilTime

@Suite struct ContextTests {
    @Test("Today is the clock's day in the current zone")
    func todayIsTheDayOfTheClockInTheZoneOfTheMoment() throws {
        let clock = SettableClock(try Instant("2026-02-10T12:00:00Z"))
        let holder = Holder(try Zone("Pacific/Auckland"))
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), currentZone: { holder.zone.withLock { $0 } },
            weekStart: .monday)
        #expect(context.today.description == "2026-02-11")
        holder.zone.withLock { $0 = .utc }
        #expect(context.today.description == "2026-02-10")
        clock.advance(byMicroseconds: 12 * 3_600 * 1_000_000)
        #expect(context.today.description == "2026-02-11")
    }

    private final class Holder: Sendable {
        let zone: Mutex<Zone>

        init(_ zone: Zone) {
            self.zone = Mutex(zone)
        }
    }

    @Test("The system context works")
    func theSystemsContextWorks() {
        let context = Context.system
        #expect(context.today >= Day(clampingDaysSince1970: 20_000))
        #expect(context.random.next() != context.random.next())
        #expect(context.clock.monotonic <= context.clock.monotonic)
    }

    @Test("A seed determines the numbers")
    func aSeedDeterminesTheNumbers() {
        // The first numbers of SplitMix64 for this seed, as its author's program prints them.
        let source = SeededRandomSource(seed: 1_234_567)
        #expect(source.next() == 6_457_827_717_110_365_317)
        #expect(source.next() == 3_203_168_211_198_807_973)
        #expect(source.next() == 9_817_491_932_198_370_423)
    }

    @Test("A branch has numbers of its own, and leaves those of its source as they are")
    func branch() {
        let (source, same) = (SeededRandomSource(seed: 7), SeededRandomSource(seed: 7))
        let numbers = source.branch()
        let drawn = (0..<3).map { _ in numbers.next() }
        #expect((0..<3).map { _ in source.next() } == (0..<3).map { _ in same.next() })
        #expect(Set(drawn).isDisjoint(with: (0..<100).map { _ in SeededRandomSource(seed: 7).next() }))
        let again = SeededRandomSource(seed: 7).branch()
        #expect(drawn == (0..<3).map { _ in again.next() })
    }
}
