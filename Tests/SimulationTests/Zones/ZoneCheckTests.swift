import Daybook
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Simulation

@Suite("The zone check") struct ZoneCheckTests {
    @Test("Correct zones pass, and the report counts what was compared")
    func passes() throws {
        let folder = TemporaryFolder(on: .memory)
        let phases = Mutex<[ZoneCheck.Phase: Int]>([:])
        let report = try ZoneCheck(against: ZoneFixtures.truth(), asking: .nearOddDays(within: 1))
            .run(in: folder.store) { phase, done, total in
                #expect(done <= total)
                phases.withLock { $0[phase] = done }
            }
        #expect(report.findings == [])
        #expect(report.zones == 3)
        #expect(report.days == 3 * 24_837)
        #expect(report.instants == 3 * 24_837 * 4)
        #expect(report.transitions == 0)
        #expect(report.hardCases == 3)
        #expect(report.skippedHardCases == 1)
        #expect(report.distinctZones == 2)
        #expect(phases.withLock { $0[.rules] } == 3)
    }

    @Test("A different digest and a different number of days are findings")
    func wrongDigest() throws {
        let wrong = "UTC,UTC,24836,26c13a70ff6deba94797d014fc74e00957ce2f0a289fa0d1bce9c6eeceb24b1c"
        let (report, digest) = ZoneRulesCheck(truth: try ZoneFixtures.truth(digests: [wrong]).digests[0]).run()
        #expect(report.findings.map(\.subject) == [.dayCount, .digest])
        #expect(report.findings.map(\.zone) == ["UTC", "UTC"])
        #expect(digest == "26c13a70ff6deba94797d014fc74e00957ce2f0a289fa0d1bce9c6eeceb24b1d")
    }

    @Test("A missing zone is a finding, and the other zones are still checked")
    func missingZone() throws {
        let folder = TemporaryFolder(on: .memory)
        let truth = try ZoneFixtures.truth(digests: ["Nowhere/Nothing,x,1,x"] + ZoneFixtures.digests, hardCases: [])
        let report = try ZoneCheck(against: truth, asking: .nearOddDays(within: 0)).run(in: folder.store)
        #expect(report.findings.map(\.subject) == [.unusableZone])
        #expect(report.zones == 4)
        #expect(report.distinctZones == 2)
    }

    @Test(
        "Every difference from a hard case is a finding",
        arguments: [
            (5, "2020-03-28T22:59:59Z", ZoneFinding.Subject.startOfDay), (6, "2020-03-29T21:59:59Z", .endOfDay),
            (9, "3600", .offset), (3, "2020-03-28T22:59:59Z", .dayOfInstant),
            (3, "2020-03-29T22:00:00Z", .dayThatHasBegun),
            (1, "Nowhere/Nothing", .unusableZone),
        ])
    func wrongHardCase(column: Int, text: String, subject: ZoneFinding.Subject) throws {
        var fields = ZoneFixtures.hardCases[0].components(separatedBy: ",")
        fields[column - 1] = text
        let truth = try ZoneFixtures.truth(hardCases: [fields.joined(separator: ",")])
        var report = ZoneReport()
        truth.hardCases[0].check(version: "2025b", into: &report)
        #expect(report.findings.contains { $0.subject == subject })
    }

    @Test("A hard case of later zone data is skipped before that version")
    func laterHardCase() throws {
        let hardCase = try #require(ZoneFixtures.truth().hardCases.last)
        var report = ZoneReport()
        hardCase.check(version: "2026e", into: &report)
        #expect(report.skippedHardCases == 1)
        #expect(report.isClean)
        for version in ["2026f", "2027a"] {
            hardCase.check(version: version, into: &report)
            #expect(!report.isClean)
        }
        #expect(report.skippedHardCases == 1)
        #expect(report.hardCases == 2)
    }

    @Test("Wrong starts of days are found at every instant around them")
    func wrongRules() throws {
        var report = ZoneReport()
        ZoneRulesCheck.checkBoundaries(of: try ZoneDays.berlinWithDaysOfUTC, into: &report)
        // All but the first microseconds of days in winter and summer.
        #expect(report.findingCount > 24_837 * 2)
        #expect(report.findings.count == ZoneReport.keptFindings)
        report = ZoneReport()
        ZoneRulesCheck.checkTransitions(of: try ZoneDays.newYorkShifted, into: &report)
        #expect(report.findingCount > 0)
    }

    @Test("Changes of the offset are located to the microsecond")
    func transitions() throws {
        let transitions = ZoneDays(of: try Zone("Europe/Berlin")).transitions
        #expect(transitions.contains(try Instant("2020-03-29T01:00:00Z")))
        #expect(transitions.contains(try Instant("2020-10-25T01:00:00Z")))
        #expect(transitions.allSatisfy { $0.microsecondsSince1970 % 1_000_000 == 0 })
        // Twice a year since 1980.
        #expect(transitions.count == 2 * 58)
    }

    @Test("A report keeps a limited number of findings and counts all of them")
    func cap() {
        var report = ZoneReport()
        for number in 0..<250 { report.expect(.offset, number, -1, zone: .utc, day: nil) }
        var sum = ZoneReport()
        sum.add(report)
        sum.add(report)
        #expect(sum.findings.count == ZoneReport.keptFindings)
        #expect(sum.findingCount == 500)
        #expect(sum.findings[0].description == "UTC: offset from UTC: expected 0, found -1")
    }
}

extension ZoneDays {
    static var berlinWithDaysOfUTC: ZoneDays {
        get throws {
            let utc = ZoneDays(of: .utc)
            return ZoneDays(zone: try Zone("Europe/Berlin"), days: utc.days, starts: utc.starts)
        }
    }

    /// Days that start two hours late, at the hour of the changes.
    static var newYorkShifted: ZoneDays {
        get throws {
            let days = ZoneDays(of: try Zone("America/New_York"))
            return ZoneDays(
                zone: days.zone, days: days.days, starts: days.starts.map { $0.advanced(bySeconds: 2 * 3_600) })
        }
    }
}
