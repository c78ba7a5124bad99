import Testing

@testable import CivilTime

/// The days of every zone against what an independent program found.
@Suite struct ZoneTruthTests {
    @Test func theHashIsSHA256() {
        #expect(
            SHA256.hexadecimal(Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            SHA256.hexadecimal([UInt8](repeating: 0x61, count: 119))
                == "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb")
    }

    /// The zones of the hard cases by default; all zones with `DAYBOOK_EXHAUSTIVE=1`.
    @Test(
        .enabled(
            if: SharedData.hasDigests,
            "needs the shared digests of this machine's zone data version: set DAYBOOK_SHARED"))
    func everyDayFrom1970To2037StartsWhereItShould() async throws {
        let rows = try SharedData.rows(SharedData.digestsPath)
        #expect(rows.count > 500)
        let hard = Set(try SharedData.rows("data/time/hard-cases.csv").compactMap { $0["zone"] })
        let chosen = rows.filter { row in SharedData.isExhaustive || row["zone"].map(hard.contains) == true }
        #expect(chosen.count > 50)
        let failed = try await withThrowingTaskGroup(of: String?.self) { group in
            for row in chosen {
                guard let name = row["zone"] else { continue }
                group.addTask {
                    let (digest, lines) = Self.digest(of: try Zone(name))
                    return digest == row["sha256"] && String(lines) == row["lines"] ? nil : name
                }
            }
            return try await group.reduce(into: [String]()) { failed, name in
                if let name { failed.append(name) }
            }
        }
        #expect(failed == [])
    }

    @Test(.enabled(if: SharedData.isExpected, "needs ../shared/data/time: set DAYBOOK_SHARED"))
    func theHardCasesAreRight() throws {
        let rows = try SharedData.rows("data/time/hard-cases.csv")
        #expect(rows.count > 150)
        for row in rows {
            if Zone.dataVersion == "2025b", row["same_in_debian_2025b"] == "0" { continue }
            let zone = try Zone(#require(row["zone"]))
            let instant = try Instant(#require(row["instant_utc"]))
            let date = try Day(#require(row["local_date"]))
            let start = try Instant(#require(row["start_of_day_utc"]))
            let end = try Instant(#require(row["next_day_start_utc"]))
            let comment = Comment(rawValue: "\(row["zone"] ?? ""): \(row["description"] ?? ""), \(instant)")
            #expect(zone.start(of: date) == start, comment)
            #expect(zone.end(of: date) == end, comment)
            #expect(zone.exists(date), comment)
            #expect(String(zone.offsetSeconds(at: instant)) == row["utc_offset_at_instant"], comment)
            if (start..<end).contains(instant) {
                #expect(zone.day(of: instant) == date, comment)
            } else {
                // The clock shows the earlier date once more; the later one has begun and stays.
                #expect(row["description"]?.hasPrefix("NONCONTIGUOUS") == true, comment)
                #expect(zone.day(of: instant) > date, comment)
            }
        }
    }

    private static func digest(of zone: Zone) -> (hexadecimal: String, lines: Int) {
        var text: [UInt8] = []
        text.reserveCapacity(600_000)
        var lines = 0
        for year in 1970...2037 {
            for month in 1...12 {
                let first = CalendarMath.days(year: year, month: month, day: 1)
                let prefix = Array("\(year)-\(padded(month, width: 2))-".utf8)
                for day in 1...CalendarMath.length(ofMonth: month, year: year) {
                    let date = Day(clampingDaysSince1970: first + day - 1)
                    guard zone.exists(date) else { continue }
                    text.append(contentsOf: prefix)
                    text.append(UInt8(0x30 + day / 10))
                    text.append(UInt8(0x30 + day % 10))
                    text.append(UInt8(ascii: ","))
                    text.append(contentsOf: String(zone.start(of: date).microsecondsSince1970 / 1_000_000).utf8)
                    text.append(UInt8(ascii: "\n"))
                    lines += 1
                }
            }
        }
        return (SHA256.hexadecimal(text), lines)
    }
}
