import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct RollUpTests {
    @Test("Counts of random ranges equal a recount, at any range ends [D3]")
    func brutForce() async throws {
        let opened = try TestStore()
        var dice = Dice(11)
        let readings = (0..<400).map { Reading.random($0, &dice) }
        try await opened.store.write { transaction in
            for reading in readings { try transaction.put(reading) }
        }
        let instants = readings.compactMap(\.takenAt)
        try opened.store.read { (transaction) throws in
            func expectCount(_ lower: Instant, _ upper: Instant) throws {
                let range = min(lower, upper)..<max(lower, upper)
                #expect(try transaction[Reading.perDay].count(in: range) == instants.count(where: range.contains))
            }
            for _ in 0..<2000 {
                var ends = [Instant.random(&dice), Instant.random(&dice)]
                // Ends that are instants of records themselves, and ranges within one quarter.
                if dice.chance(30) { ends[0] = dice.pick(instants) }
                if dice.chance(20) { ends[1] = ends[0].advanced(byMicroseconds: Int64(dice.below(900_000_000))) }
                try expectCount(ends[0], ends[1])
            }
            let far = [Int64.min, .min + 1, -900_000_000, 0, 1, .max - 1, .max]
            for lower in far {
                for upper in far {
                    try expectCount(
                        Instant(microsecondsSince1970: lower), Instant(microsecondsSince1970: upper))
                }
            }
        }
    }

    @Test("Counts between boundaries equal the counts of the single ranges [D3]", arguments: [true, false])
    func boundaries(onQuarters: Bool) async throws {
        let opened = try TestStore()
        var dice = Dice(13)
        let readings = (0..<400).map { Reading.random($0, &dice) }
        try await opened.store.write { transaction in
            for reading in readings { try transaction.put(reading) }
        }
        try opened.store.read { (transaction) throws in
            let counts = transaction[Reading.perDay]
            #expect(
                try counts.counts(between: []) == []
                    && counts.counts(between: [Instant(microsecondsSince1970: 0)]) == [])
            for _ in 0..<500 {
                var boundaries = (0..<dice.below(12) + 2).map { _ in Instant.random(&dice) }.sorted()
                if onQuarters {
                    boundaries = boundaries.map {
                        Instant(microsecondsSince1970: $0.microsecondsSince1970 / 900_000_000 * 900_000_000)
                    }
                }
                // A day that a zone has left out ends where it begins.
                if dice.chance(30) { boundaries.append(boundaries[boundaries.count - 1]) }
                let expected = try zip(boundaries, boundaries.dropFirst()).map { try counts.count(in: $0..<$1) }
                #expect(try counts.counts(between: boundaries) == expected)
            }
        }
    }

    @Test("The count of a day follows the zone, including days of 23 and 25 hours and half-hour offsets [D3]")
    func zones() async throws {
        let opened = try TestStore()
        var dice = Dice(12)
        // Around the end of daylight saving in New York and Lord Howe, 2026.
        let base = try Instant("2026-10-30T00:00:00Z")
        let instants = (0..<500).map { _ in base.advanced(bySeconds: Int64(dice.below(5 * 86_400))) }
        try await opened.store.write { transaction in
            for (number, instant) in instants.enumerated() { try transaction.put(Reading(UInt64(number), at: instant)) }
        }
        for name in ["America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati", "UTC"] {
            let zone = try Zone(name)
            for offset in 0..<6 {
                let day = try Day("2026-10-30").advanced(by: offset)
                let counted = try opened.store.read { try $0[Reading.perDay].count(on: day, in: zone) }
                #expect(counted == instants.count { zone.day(of: $0) == day }, "\(name) \(day)")
            }
        }
    }

    @Test("A count reads one row per UTC day and no record [S-5]")
    func cost() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<1000 {
                let instant = Instant(secondsSince1970: Int64(number) * 600)
                try transaction.put(Reading(UInt64(number), at: instant))
            }
        }
        try opened.store.read { (transaction) throws in
            let day = try Day("1970-01-02")
            #expect(try transaction[Reading.perDay].count(on: day, in: .utc) == 144)
            #expect(transaction.counters.gets == 0)
            #expect(transaction.counters.cursorSteps <= 2)
        }
    }

    @Test("A roll-up without records is empty, also after everything was deleted")
    func isEmpty() async throws {
        let opened = try TestStore()
        #expect(try opened.store.read { try $0[Reading.perDay].isEmpty() })
        try await opened.put(Reading(1, at: TestStore.start))
        #expect(try opened.store.read { try !$0[Reading.perDay].isEmpty() })
        try await opened.store.write { try $0.delete(Reading.self, id: uuid(1)) }
        #expect(try opened.store.read { try $0[Reading.perDay].isEmpty() })
        #expect(try opened.store.rawEntries("readings.perDay").isEmpty)
    }
}
