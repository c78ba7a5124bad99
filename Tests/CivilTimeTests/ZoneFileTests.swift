import Testing

@testable import CivilTime

/// Invalid and unusual zone files: each is refused with a typed error or can be used, and none causes a trap.
@Suite struct ZoneFileTests {
    private let good = ZoneFileMaker.bytes(
        transitions: [(-1_000_000, 1), (0, 0), (1_000_000, 1)], offsets: [3600, 7200],
        footer: "CET-1CEST,M3.5.0,M10.5.0/3")

    /// Calls every query of a zone that was read from unusual bytes.
    private func exercise(_ rules: ZoneRules) {
        let zone = Zone(rules: rules)
        let days = [-719_162, -1, 0, 1, 12, 20_000, 30_000, 2_932_895, 2_932_896].map(Day.init(clampingDaysSince1970:))
        for day in days {
            #expect(zone.start(of: day) <= zone.end(of: day))
            _ = (zone.exists(day), zone.instant(day: day, secondsIntoDay: 43_200))
            _ = zone.day(of: zone.start(of: day))
        }
        for microseconds in [Int64.min, -62_135_596_800_000_000, 0, 1 << 52, Int64.max] {
            let instant = Instant(microsecondsSince1970: microseconds)
            _ = (zone.day(of: instant), zone.offsetSeconds(at: instant))
        }
    }

    @Test("A valid zone file is read")
    func aGoodFileIsRead() throws {
        let rules = try ZoneFileMaker.rules(good)
        #expect(rules.offset(at: -1_000_001) == 3600)
        #expect(rules.offset(at: -1) == 7200)
        #expect(rules.offset(at: 0) == 3600)
        #expect(rules.offset(at: 1_000_000) == 7200)
        exercise(rules)
    }

    @Test("A truncated zone file is refused")
    func aFileThatIsCutOffAnywhereIsRefused() {
        for count in 0..<good.count {
            #expect(throws: ZoneFile.Problem.self) { try ZoneFile(Array(good.prefix(count))) }
        }
        #expect(throws: ZoneFile.Problem.notAZoneFile) { try ZoneFile([]) }
        #expect(throws: ZoneFile.Problem.notAZoneFile) { try ZoneFile(Array("# version 2025b".utf8)) }
    }

    @Test("Damaged bytes are refused or harmless")
    func damagedBytesAreRefusedOrHarmless() {
        let random = SeededRandomSource(seed: 3)
        var used = 0
        for _ in 0..<3_000 {
            var bytes = good
            for _ in 0...(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            guard let rules = try? ZoneFileMaker.rules(bytes) else { continue }
            used += 1
            // The long tables are slow to build in a debug build.
            if used.isMultiple(of: 25) { exercise(rules) }
        }
        #expect(used > 100)
    }

    @Test("Huge counts allocate nothing")
    func hugeCountsAllocateNothing() {
        let huge = Int(UInt32.max)
        var bytes = ZoneFileMaker.header(version: "2", leaps: huge, times: huge, types: huge, characters: huge)
        #expect(throws: ZoneFile.Problem.damaged("it is cut off")) { try ZoneFile(bytes) }
        bytes = ZoneFileMaker.header(version: "2", times: 0, types: 0, characters: 0)
        bytes += ZoneFileMaker.header(version: "2", times: huge, types: huge)
        #expect(throws: ZoneFile.Problem.damaged("it is cut off")) { try ZoneFile(bytes + good) }
    }

    @Test("Impossible contents are refused")
    func impossibleContentsAreRefused() {
        func expectRefusal(_ bytes: [UInt8], _ comment: Comment) {
            #expect(throws: ZoneFile.Problem.self, comment) { try ZoneFile(bytes) }
        }
        expectRefusal(ZoneFileMaker.bytes(version: "1"), "version 1 has no rule")
        expectRefusal(ZoneFileMaker.bytes(transitions: [(5, 0), (5, 0)]), "equal times")
        expectRefusal(ZoneFileMaker.bytes(transitions: [(5, 0), (4, 0)]), "descending times")
        expectRefusal(ZoneFileMaker.bytes(transitions: [(Int64.min, 0)]), "a time before everything")
        expectRefusal(ZoneFileMaker.bytes(transitions: [(Int64.max, 0)]), "a time after everything")
        expectRefusal(ZoneFileMaker.bytes(transitions: [(5, 1)]), "no such type")
        expectRefusal(ZoneFileMaker.bytes(offsets: []), "no type at all")
        expectRefusal(ZoneFileMaker.bytes(offsets: [Int32.min]), "an offset without an absolute value")
        expectRefusal(ZoneFileMaker.bytes(offsets: [26 * 3600]), "an offset of more than a day")
        expectRefusal(ZoneFileMaker.bytes(footer: "nonsense!"), "a footer that is no rule")
        var leaps = ZoneFileMaker.header(version: "2", times: 0, types: 0, characters: 0)
        leaps += ZoneFileMaker.header(version: "2", leaps: 1, times: 0, types: 1) + [UInt8](repeating: 0, count: 40)
        expectRefusal(leaps, "leap seconds")
    }

    @Test("Extreme transitions are harmless")
    func extremeTransitionsAreHarmless() throws {
        exercise(
            try ZoneFileMaker.rules(
                ZoneFileMaker.bytes(
                    transitions: [(-(1 << 59), 0), (1 << 59, 1)], offsets: [93_599, -93_599],
                    footer: "A0B,J1/-167,J365/167".replacing("A", with: "AAA").replacing("B", with: "BBB"))))
        exercise(
            try ZoneFileMaker.rules(
                ZoneFileMaker.bytes(
                    transitions: (0..<2_000).map { (Int64($0), UInt8($0 % 2)) }, offsets: [93_599, -93_599],
                    footer: "<+24>-24<-24>24,0/-167,0/-166")))
        exercise(
            try ZoneFileMaker.rules(
                ZoneFileMaker.bytes(
                    transitions: [(1_000_000_000_000, 1)], offsets: [0, 60], footer: "AAA0BBB,M1.1.0,M12.5.6")))
    }
}
