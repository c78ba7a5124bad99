import FoundationEssentials
import Testing

@testable import CivilTime

@Suite struct InstantTests {
    @Test(
        "ISO 8601 texts are parsed",
        arguments: [
            ("2026-02-10T09:15:00Z", 1_770_714_900_000_000), ("2026-02-10t09:15:00z", 1_770_714_900_000_000),
            ("2026-02-10T09:15Z", 1_770_714_900_000_000), ("2026-02-10T12:15:00+03:00", 1_770_714_900_000_000),
            ("2026-02-10T12:15:00+0300", 1_770_714_900_000_000), ("2026-02-10T12:15:00+03", 1_770_714_900_000_000),
            ("2026-02-10T05:45-03:30", 1_770_714_900_000_000), ("2026-02-10T09:15:00-00:00", 1_770_714_900_000_000),
            ("2026-02-10T09:15:00.25Z", 1_770_714_900_250_000), ("2026-02-10T09:15:00,25Z", 1_770_714_900_250_000),
            ("2026-02-10T09:15:00.1234567891Z", 1_770_714_900_123_456),
            ("2026-02-10T09:15:00.999999999999999999999999999999Z", 1_770_714_900_999_999),
            ("20150723T234931Z", 1_437_695_371_000_000), ("20150723T2349Z", 1_437_695_340_000_000),
            ("20150723T234931.5+0200", 1_437_688_171_500_000), ("1969-12-31T23:59:59.75Z", -250_000),
            ("2016-12-31T23:59:60Z", 1_483_228_799_999_999), ("2017-01-01T05:29:60.5+05:30", 1_483_228_799_999_999),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("+010000-01-01T00:00:00Z", 253_402_300_800_000_000),
        ])
    func isoTextsAreRead(text: String, microseconds: Int64) throws {
        #expect(try Instant(text).microsecondsSince1970 == microseconds)
    }

    @Test(
        "Other texts are refused",
        arguments: [
            "", "2026", "2026-02-10", "2026-02-10T09:15:00", "2026-02-10 09:15:00Z", "2026-02-10T09Z",
            "2026-02-30T09:15:00Z", "2026-02-10T24:00:00Z", "2026-02-10T09:60:00Z", "2026-02-10T09:15:61Z",
            "2026-02-10T09:15:60Z", "2026-02-10T09:15:00.Z", "2026-02-10T09:15:00+", "2026-02-10T09:15:00+3",
            "2026-02-10T09:15:00+03:", "2026-02-10T09:15:00+24:00", "2026-02-10T09:15:00+03:60",
            "2026-02-10T09:15:00ZZ",
            "2026-02-10T09:15:00Z ", " 2026-02-10T09:15:00Z", "202602-10T091500Z", "2026-0210T09:15:00Z",
            "20260210T09:15:00Z", "2026-02-10T091500Z", "12026-02-10T09:15:00Z", "+999999-01-01T00:00:00Z",
            "-999999-01-01T00:00:00Z", "2026-02-10T09:15:00PST", "2026-00-10T09:15:00Z", "2026-13-10T09:15:00Z",
        ])
    func otherTextsAreRefused(text: String) {
        #expect(throws: CivilTimeError.self) { try Instant(text) }
    }

    @Test("A text without a zone is an error that names the zone as missing")
    func aMissingZoneIsNamedAsWhatIsMissing() {
        let text = "2026-02-10T09:15"
        let reason = "the zone is missing: end with Z or +03:00"
        #expect(throws: CivilTimeError.malformedInstant(text, reason: reason)) { try Instant(text) }
    }

    @Test("Descriptions are UTC and short")
    func descriptionsAreUTCAndShort() {
        #expect(Instant(secondsSince1970: 1_770_714_900).description == "2026-02-10T09:15:00Z")
        #expect(Instant(microsecondsSince1970: 1_770_714_900_250_000).description == "2026-02-10T09:15:00.25Z")
        #expect(Instant(microsecondsSince1970: -1).description == "1969-12-31T23:59:59.999999Z")
        #expect(Instant(microsecondsSince1970: 1).description == "1970-01-01T00:00:00.000001Z")
    }

    @Test("Every instant parses from its description [L-DM6]")
    func everyInstantIsReadBackFromItsDescription() throws {
        let random = SeededRandomSource(seed: 7)
        for round in 0..<5_000 {
            let instant = Instant(microsecondsSince1970: Int64(bitPattern: random.next()) >> (round % 40))
            #expect(try Instant(instant.description) == instant)
        }
        for end in [Int64.min, Int64.max] {
            let instant = Instant(microsecondsSince1970: end)
            #expect(try Instant(instant.description) == instant)
        }
    }

    /// Mutates a valid text at random. The parser must refuse it or return an instant that survives formatting and
    /// parsing.
    @Test("No text makes the parser trap")
    func noTextMakesTheReaderFail() {
        let random = SeededRandomSource(seed: 11)
        let alphabet = Array("0123456789-+:.,TtZz é".unicodeScalars)
        var read = 0
        for _ in 0..<20_000 {
            var scalars = Array("2026-02-10T09:15:00.25+03:00".unicodeScalars)
            for _ in 0...(random.next() % 3) {
                let at = Int(random.next() % UInt64(scalars.count))
                switch random.next() % 3 {
                case 0: scalars.remove(at: at)
                case 1: scalars[at] = alphabet[Int(random.next() % UInt64(alphabet.count))]
                default: scalars.insert(alphabet[Int(random.next() % UInt64(alphabet.count))], at: at)
                }
            }
            let text = String(String.UnicodeScalarView(scalars))
            guard let instant = try? Instant(text) else { continue }
            read += 1
            #expect((try? Instant(instant.description)) == instant)
        }
        #expect(read > 100)
    }

    @Test("Arithmetic saturates at the ends")
    func arithmeticStopsAtTheEnds() {
        let last = Instant(microsecondsSince1970: Int64.max)
        let first = Instant(microsecondsSince1970: Int64.min)
        #expect(last.advanced(byMicroseconds: 1) == last)
        #expect(first.advanced(byMicroseconds: -1) == first)
        #expect(first.advanced(bySeconds: Int64.min) == first)
        #expect(Instant(secondsSince1970: 0).advanced(bySeconds: Int64.max) == last)
        #expect(Instant(secondsSince1970: Int64.min) == first)
        #expect(Instant(secondsSince1970: 5).advanced(bySeconds: -5) == Instant(secondsSince1970: 0))
        #expect(last.utcDay == Day.last)
        #expect(first.utcDay == Day.first)
        #expect(Instant(microsecondsSince1970: -1).utcDay.daysSince1970 == -1)
        #expect(first < last)
        let start = MonotonicTime(microseconds: Int64.min)
        #expect(MonotonicTime(microseconds: Int64.max).microseconds(since: start) == Int64.max)
        #expect(start.microseconds(since: MonotonicTime(microseconds: 1)) == Int64.min)
        #expect(start.advanced(byMicroseconds: -1) == start)
    }

    @Test("An instant is encoded as text")
    func anInstantIsCodedAsText() throws {
        let instants = [Instant(secondsSince1970: 1_770_714_900)]
        let data = try JSONEncoder().encode(instants)
        #expect(String(decoding: data, as: UTF8.self) == #"["2026-02-10T09:15:00Z"]"#)
        #expect(try JSONDecoder().decode([Instant].self, from: data) == instants)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Instant].self, from: Data(#"["2026-02-10"]"#.utf8))
        }
    }
}
