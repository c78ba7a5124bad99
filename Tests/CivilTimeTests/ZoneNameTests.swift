import FoundationEssentials
import TestSupport
import Testing

@testable import CivilTime

@Suite struct ZoneNameTests {
    @Test(
        "An invalid zone name is refused",
        arguments: [
            "", "/", ".", "..", "../etc/passwd", "Europe/../Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
            "Europe//Berlin", "Europe/", "/Europe/Berlin", "Europe", "./UTC", "tzdata.zi", "zone.tab", "iso3166.tab",
            "leapseconds", "leap-seconds.list", "PST", "Europe/Nowhere", "localtime", "posixrules",
            "posix/Europe/Berlin",
            "right/Europe/Berlin", "Europe/Berlin\u{0}", "Europe/Berlin\n", "CET-1CEST,M3.5.0,M10.5.0/3",
            "Europe/Zürich",
            "*", "Europe/*",
        ])
    func whatIsNoNameOfAZoneIsRefused(name: String) {
        #expect {
            try Zone(name)
        } throws: { error in
            guard case CivilTimeError.unknownZone(name, _) = error else { return false }
            return !"\(error)".contains("\n")
        }
    }

    @Test(
        "Similar zone names are suggested",
        arguments: [
            ("istanbul", "Europe/Istanbul"), ("Europe/Berln", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"),
            ("New York", "America/New_York"), ("berlin", "Europe/Berlin"), ("utc", "UTC"), ("Kiev", "Europe/Kiev"),
            ("Tokio", "Asia/Tokyo"),
        ])
    func nearNamesAreSuggested(name: String, expected: String) {
        #expect {
            try Zone(name)
        } throws: { error in
            guard case CivilTimeError.unknownZone(_, let suggestions) = error else { return false }
            return suggestions.first == expected && suggestions.count <= 3 && "\(error)".contains("did you mean")
        }
    }

    @Test("Every listed zone name works")
    func everyNameThatIsListedWorks() throws {
        let names = Zone.allIdentifiers()
        #expect(names.count > 400)
        #expect(names == names.sorted())
        #expect(names.contains("America/Argentina/Buenos_Aires"))
        #expect(names.contains("Etc/GMT+12"))
        #expect(!names.contains { $0.hasPrefix("posix/") || $0.hasPrefix("right/") || $0.contains(".") })
        for name in names { #expect(try Zone(name).identifier == name) }
    }

    @Test("Zones with the same name are equal")
    func zonesAreEqualByName() throws {
        #expect(try Zone("Europe/Berlin") == Zone("Europe/Berlin"))
        #expect(try Zone("US/Eastern") != Zone("America/New_York"))
        #expect(try Zone("UTC") == Zone.utc)
        #expect(try Set([Zone("Europe/Berlin"), Zone("Europe/Berlin"), .utc]).count == 2)
        #expect(try "\(Zone("Asia/Tokyo"))" == "Asia/Tokyo")
    }

    @Test("The zone data has a version")
    func theDataHasAVersion() throws {
        let version = try #require(Zone.dataVersion)
        #expect(version.utf8.count == 5)
        #expect(version.hasPrefix("20"))
    }

    @Test("The system zone comes from the environment first")
    func theSystemsZoneComesFromTheEnvironmentFirst() throws {
        func zone(_ variable: String?, _ path: String = "/nonexistent") throws -> Zone {
            try SystemZone().zone(variable, localtimePath: path)
        }
        #expect(try zone("Europe/Berlin").identifier == "Europe/Berlin")
        #expect(try zone(":Europe/Berlin").identifier == "Europe/Berlin")
        #expect(try zone("/usr/share/zoneinfo/Asia/Tokyo").identifier == "Asia/Tokyo")
        #expect(try zone("") == .utc)
        #expect(try zone(nil) == .utc)
        #expect(throws: CivilTimeError.self) { try zone("Mars/Olympus") }
    }

    @Test("The system zone follows changes of the link")
    func theSystemsZoneFollowsTheLinkWhenItChanges() throws {
        let folder = TemporaryFolder()
        let link = folder.file("localtime")
        let system = SystemZone()
        let zoneFolder = ZoneDirectory.current.path
        for name in ["Europe/Berlin", "Asia/Tokyo", "America/Argentina/Buenos_Aires"] {
            for target in [ZoneDirectory.current.path(of: name), "../usr/share/zoneinfo/" + name] {
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
                #expect(try system.zone(nil, localtimePath: link).identifier == name)
                try FileManager.default.removeItem(atPath: link)
            }
        }
        // Some systems copy the file.
        try FileManager.default.copyItem(atPath: zoneFolder + "/Asia/Kathmandu", toPath: link)
        let copied = try system.zone(nil, localtimePath: link)
        #expect(["Asia/Kathmandu", "Asia/Katmandu"].contains(copied.identifier))
    }

    @Test("Errors are one line without control characters")
    func errorsAreOneSafeLine() {
        let hostile = "a\nb\u{1B}[31m" + String(repeating: "x", count: 500)
        let errors: [CivilTimeError] = [
            .malformedDay(hostile), .impossibleDay(hostile),
            .malformedMonth(hostile), .malformedWeekday(hostile), .malformedInstant(hostile, reason: "why"),
            .unknownZone(hostile, suggestions: []), .unusableZoneFile(zone: hostile, reason: "why"),
        ]
        for error in errors {
            #expect(!error.description.contains { $0.isNewline || $0 == "\u{1B}" })
            #expect(error.description.count < 250)
        }
    }
}
