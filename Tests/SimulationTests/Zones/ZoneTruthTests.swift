import Daybook
import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite("Zones compared with independent results") struct ZoneTruthTests {
    /// Every irregularity, and an alias.
    static let shortSample = [
        "Pacific/Apia", "Africa/Cairo", "America/St_Johns", "Antarctica/Casey", "Africa/Monrovia",
        "Canada/Newfoundland",
    ]

    /// Every irregular zone of the design's list, and some ordinary ones.
    static let longSample = [
        "Pacific/Apia", "Pacific/Fakaofo", "Pacific/Kwajalein", "Pacific/Kiritimati", "Australia/Lord_Howe",
        "Antarctica/Troll", "Europe/Dublin", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "America/Havana",
        "America/Santiago", "Atlantic/Azores", "America/St_Johns", "America/Goose_Bay", "America/Moncton",
        "Antarctica/Casey", "Africa/Monrovia", "Asia/Kathmandu", "Asia/Pyongyang", "America/Caracas",
        "America/New_York", "Europe/Berlin", "Canada/Newfoundland", "UTC",
    ]

    @Test(
        "Days, hard cases, Today and counts of a sample of zones agree with the independent results",
        .enabled(
            if: SharedZones.isExpected("digests-\(Zone.dataVersion ?? "unknown").csv"),
            "needs ../shared/data/time, with digests of this machine's version of the zone data: set DAYBOOK_SHARED"))
    func sample() throws {
        let sample = TestBudget.isLong ? Self.longSample : Self.shortSample
        let folder = TemporaryFolder(on: .memory)
        let truth = try ZoneTruth(folder: SharedZones.folder)
        let check = ZoneCheck(against: try truth.restricted(to: sample), asking: .nearOddDays(within: 1))
        let report = try check.run(in: folder.store)
        #expect(report.findings == [])
        #expect(report.zones == sample.count)
        #expect(report.distinctZones == sample.count - 1)
        #expect(report.days > 24_830 * sample.count)
        #expect(report.transitions > TestBudget.count(200, long: 1_500))
        #expect(report.hardCases + report.skippedHardCases == truth.hardCases.count)
        #expect(report.hardCases > 140)
        #expect(report.completions > TestBudget.count(1_000, long: 10_000))
        #expect(report.views > TestBudget.count(1_000, long: 10_000))
        #expect(report.counts > TestBudget.count(4_000, long: 50_000))
    }

    @Test("An unknown version of the zone data is an error that names the version")
    func unknownVersion() throws {
        let folder = TemporaryFolder(on: .memory)
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

    @Test("A malformed row is an error with its file, line and column")
    func malformedRow() throws {
        #expect(throws: ZoneTruthError.malformedRow(file: "digests.csv", line: 3, column: "lines")) {
            try ZoneFixtures.truth(digests: [ZoneFixtures.digests[0], "UTC,UTC,many,x"])
        }
        #expect(throws: ZoneTruthError.malformedRow(file: "hard-cases.csv", line: 2, column: "description")) {
            try ZoneFixtures.truth(hardCases: ["UTC"])
        }
    }

    @Test("Quoted fields may contain commas")
    func quotes() throws {
        #expect(try ZoneFixtures.truth().hardCases[1].description == "starts at one, not at midnight")
    }

    @Test("Restricting the check to some zones keeps the hard cases and rejects unknown zones")
    func restriction() throws {
        let truth = try ZoneFixtures.truth()
        let part = try truth.restricted(to: ["Etc/GMT+5"])
        #expect(part.digests.map(\.zone) == ["Etc/GMT+5"])
        #expect(part.hardCases.count == truth.hardCases.count)
        #expect(throws: ZoneTruthError.zoneWithoutTruth("Mars/Base")) { try truth.restricted(to: ["Mars/Base"]) }
    }
}

/// The folder with independent results.
enum SharedZones {
    static let folder = SharedData.path("time")

    /// Whether tests that need a file of it run.
    static func isExpected(_ name: String) -> Bool { SharedData.isExpected("time/\(name)") }
}

@Suite struct SHA256Tests {
    /// The first two are from FIPS 180-2; the third was computed by another program, and needs two blocks of padding.
    @Test(
        "The digest is SHA-256",
        arguments: [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        ])
    func theHashIsSHA256(message: String, digest: String) {
        #expect(ZoneDays.hexadecimalSHA256(of: Array(message.utf8)) == digest)
    }
}
