import Daybook
import Foundation
import Testing

@testable import Simulation

@Suite("The truth about the zones") struct ZoneTruthTests {
    /// Every oddity of the design's list, and some zones of every day.
    static let sample = [
        "Pacific/Apia", "Pacific/Fakaofo", "Pacific/Kwajalein", "Pacific/Kiritimati", "Australia/Lord_Howe",
        "Antarctica/Troll", "Europe/Dublin", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "America/Havana",
        "America/Santiago", "Atlantic/Azores", "America/St_Johns", "America/Goose_Bay", "America/Moncton",
        "Antarctica/Casey", "Africa/Monrovia", "Asia/Kathmandu", "Asia/Pyongyang", "America/Caracas",
        "America/New_York", "Europe/Berlin", "Canada/Newfoundland", "UTC",
    ]

    @Test(
        "Days, hard cases, Today and counts of a sample of the zones",
        .enabled(
            if: ZoneTruthFolder.isExpected,
            "needs ../shared/data/time, with digests of this machine's version of the zone data: set DAYBOOK_SHARED"))
    func sample() throws {
        let folder = try ZoneFolder()
        let truth = try ZoneTruth(folder: ZoneTruthFolder.path)
        let check = ZoneCheck(against: try truth.restricted(to: Self.sample), asking: .nearOddDays(within: 1))
        let report = try check.run(in: folder.store)
        #expect(report.findings == [])
        #expect(report.zones == Self.sample.count)
        #expect(report.distinctZones == Self.sample.count - 1)
        #expect(report.days > 24_830 * Self.sample.count)
        #expect(report.transitions > 1_500)
        #expect(report.hardCases + report.skippedHardCases == truth.hardCases.count)
        #expect(report.hardCases > 140)
        #expect(report.completions > 10_000)
        #expect(report.views > 10_000)
        #expect(report.counts > 50_000)
    }

    @Test("An unknown version of the zone data is an error that names it")
    func unknownVersion() throws {
        let folder = try ZoneFolder()
        #expect(throws: ZoneTruthError.unreadableFile(path: "\(folder.path)/hard-cases.csv")) {
            try ZoneTruth(folder: folder.path, version: "1999z")
        }
        try Data("zone\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/hard-cases.csv"))
        let expected = ZoneTruthError.noDigests(version: "1999z", path: "\(folder.path)/digests-1999z.csv")
        #expect(throws: expected) { try ZoneTruth(folder: folder.path, version: "1999z") }
        #expect(expected.description.contains("1999z"))
        #expect(throws: ZoneTruthError.unknownVersion) { try ZoneTruth(folder: folder.path, version: nil) }
        try Data("zone,lines,sha256\nUTC,1,x\n".utf8).write(
            to: URL(fileURLWithPath: "\(folder.path)/digests-1999z.csv"))
        #expect(try ZoneTruth(folder: folder.path, version: "1999z").digests.map(\.zone) == ["UTC"])
    }

    @Test("A row that makes no sense is named by file, line and column")
    func malformedRow() throws {
        #expect(throws: ZoneTruthError.malformedRow(file: "digests.csv", line: 3, column: "lines")) {
            try ZoneFixtures.truth(digests: [ZoneFixtures.digests[0], "UTC,UTC,many,x"])
        }
        #expect(throws: ZoneTruthError.malformedRow(file: "hard-cases.csv", line: 2, column: "description")) {
            try ZoneFixtures.truth(hardCases: ["UTC"])
        }
    }

    @Test("Fields in quotes may hold commas")
    func quotes() throws {
        #expect(try ZoneFixtures.truth().hardCases[1].description == "starts at one, not at midnight")
    }

    @Test("A truth about some zones keeps the hard cases, and refuses zones that it does not know")
    func restriction() throws {
        let truth = try ZoneFixtures.truth()
        let part = try truth.restricted(to: ["Etc/GMT+5"])
        #expect(part.digests.map(\.zone) == ["Etc/GMT+5"])
        #expect(part.hardCases.count == truth.hardCases.count)
        #expect(throws: ZoneTruthError.zoneWithoutTruth("Mars/Base")) { try truth.restricted(to: ["Mars/Base"]) }
    }
}
