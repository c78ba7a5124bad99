import Daybook
import Simulation
import Testing

@Suite struct MomentTests {
    @Test("A moment reads back from its text", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<200 {
            let day = try #require(Day(daysSince1970: .random(in: -100_000...100_000, using: &dice)))
            let scale: Int64 = [1, 1_000, 1_000_000, 60_000_000].randomElement(using: &dice)!
            let time = Int64.random(in: 0..<86_400_000_000 / scale, using: &dice) * scale
            let instant = Instant(microsecondsSince1970: .random(in: -(1 << 60)...(1 << 60), using: &dice))
            for moment in [
                Moment.local(day, microseconds: time), .timeOfDay(microseconds: time), .instant(instant), .midnight,
            ] {
                #expect(Moment(moment.description) == moment)
            }
        }
    }

    @Test("Moments are written as people write them")
    func texts() throws {
        let day = try Day("2026-03-29")
        #expect(Moment("2026-03-29 00:30") == .local(day, microseconds: 1_800_000_000))
        #expect(Moment("23:59:59.999") == .timeOfDay(microseconds: 86_399_999_000))
        #expect(Moment("00:00:00.000001") == .timeOfDay(microseconds: 1))
        #expect(Moment("midnight") == .midnight)
        #expect(Moment("2026-03-29T00:30:00Z") == .instant(try Instant("2026-03-29T00:30:00Z")))
        #expect(Moment.timeOfDay(microseconds: 1).description == "00:00:00.000001")
        #expect(Moment.local(day, microseconds: 86_399_500_000).description == "2026-03-29 23:59:59.5")
        #expect(Moment.local(day, microseconds: 0).description == "2026-03-29 00:00")
    }

    @Test(
        "What is no moment is none",
        arguments: [
            "", " ", "24:00", "23:60", "23:59:60", "8:00", "08:0", "08", "08:00:", "08:00:00.", "08:00.5",
            "08:00:00.1234567",
            "+1:30", "-0:30", "00:00:00.+5", "00:00:00.-5", "08:00 ", " 08:00", "2026-03-29", "2026-03-29  08:00",
            "2026-03-29 08:00 x", "2026-02-30 08:00", "tomorrow 08:00", "Midnight", "2026-03-29T00:30:00", "٠٨:٠٠",
        ])
    func malformed(text: String) {
        #expect(Moment(text) == nil)
    }

    @Test("A time of day is the next one, midnight the end of the day, by the zone's own rules")
    func instants() throws {
        let cairo = try Zone("Africa/Cairo")
        // On 2026-04-24 the day starts at 01:00 there.
        let evening = try Instant("2026-04-23T20:00:00Z")
        #expect(Moment.midnight.instant(after: evening, in: cairo) == (try Instant("2026-04-23T22:00:00Z")))
        #expect(
            Moment.timeOfDay(microseconds: 1_800_000_000).instant(after: evening, in: cairo)
                == (try Instant("2026-04-23T22:00:00Z")))
        #expect(
            Moment.timeOfDay(microseconds: 79_200_000_000).instant(after: evening, in: cairo)
                == (try Instant("2026-04-24T19:00:00Z")))
    }
}
