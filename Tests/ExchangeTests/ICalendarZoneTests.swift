import CivilTime
import Foundation
import Tasks
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct ICalendarZoneTests {
    private func due(_ identifier: String, _ definition: String = "") throws -> Instant? {
        let file = """
            BEGIN:VCALENDAR
            \(definition)BEGIN:VTODO
            UID:1
            DTSTAMP:20260101T100000Z
            SUMMARY:a
            DUE;TZID=\(identifier):20260701T173000
            END:VTODO
            END:VCALENDAR
            """
        return try TaskReader.read(bytes(file), format: .ics, zone: .utc).tasks.first?.dueAt
    }

    private func definition(_ standard: (String, String), _ daylight: (String, String)?) -> String {
        var lines = ["BEGIN:VTIMEZONE", "TZID:My Zone", "BEGIN:STANDARD", "DTSTART:20001029T030000"]
        if daylight != nil { lines.append("RRULE:FREQ=YEARLY;" + standard.1) }
        lines += ["TZOFFSETFROM:+0000", "TZOFFSETTO:" + standard.0, "END:STANDARD"]
        if let daylight {
            lines += ["BEGIN:DAYLIGHT", "DTSTART:20000326T020000", "RRULE:FREQ=YEARLY;" + daylight.1]
            lines += ["TZOFFSETFROM:+0000", "TZOFFSETTO:" + daylight.0, "END:DAYLIGHT"]
        }
        return (lines + ["END:VTIMEZONE", ""]).joined(separator: "\n")
    }

    @Test("Zones by the names of Windows and by the rules of their definitions [N-5]")
    func zones() throws {
        #expect(try due("W. Europe Standard Time") == (try Instant("2026-07-01T15:30:00Z")))
        #expect(try due("Tokyo Standard Time") == (try Instant("2026-07-01T08:30:00Z")))
        #expect(throws: FileError.self) { try due("My Zone") }
        let europe = definition(("+0100", "BYDAY=-1SU;BYMONTH=10"), ("+0200", "BYDAY=-1SU;BYMONTH=3"))
        #expect(try due("My Zone", europe) == (try Instant("2026-07-01T15:30:00Z")))
        let america = definition(("-0500", "BYDAY=1SU;BYMONTH=11"), ("-0400", "BYDAY=2SU;BYMONTH=3"))
        #expect(try due("My Zone", america) == (try Instant("2026-07-01T21:30:00Z")))
        let south = definition(("+1000", "BYDAY=1SU;BYMONTH=4"), ("+1100", "BYDAY=1SU;BYMONTH=10"))
        #expect(try due("My Zone", south) == (try Instant("2026-07-01T07:30:00Z")))
        #expect(try due("My Zone", definition(("+0530", ""), nil)) == (try Instant("2026-07-01T12:00:00Z")))
        // No zone has such a clock.
        #expect(throws: FileError.self) { try due("My Zone", definition(("+0117", ""), nil)) }
    }

    @Test("Every zone that Windows names is known here")
    func known() throws {
        for name in [
            "UTC", "GMT Standard Time", "Yakutsk Standard Time", "Greenland Standard Time", "FLE Standard Time",
        ] {
            #expect(try due(name) != nil, "\(name)")
        }
    }
}
