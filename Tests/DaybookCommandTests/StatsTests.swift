import Foundation
import TestSupport
import Testing

@Suite struct StatsTests {
    @Test("Statistics follow the boundaries of days in the zone [C-FR31]")
    func statisticsFollowTheBoundariesOfDaysInTheZone() throws {
        var program = try TestProgram()
        for now in ["2026-01-31T20:59:59Z", "2026-01-31T21:00:00Z", "2026-02-08T21:00:00Z", "2026-02-10T09:00:00Z"] {
            program.now = now
            _ = try program.run("done", program.add("x"))
        }
        program.now = "2026-02-10T09:15:00Z"
        let json = try program.run("stats", "--json").json()
        #expect(
            Set(json.keys) == [
                "date", "zone", "today", "week", "month", "lastMonth", "trend", "sentence", "weekStart",
            ])
        #expect(json["today"] as? Int == 1)
        #expect(json["week"] as? Int == 2)
        #expect(json["month"] as? Int == 3)
        #expect(json["lastMonth"] as? Int == 1)
        #expect(json["trend"] as? String == "up")
        #expect(json["sentence"] as? String == "3 tasks this month, up from 1 last month")
        #expect(json["weekStart"] as? String == "2026-02-09")
        for (weekday, start) in [("sunday", "2026-02-08"), ("saturday", "2026-02-07"), ("monday", "2026-02-09")] {
            let json = try program.run("stats", "--json", "--week-start", weekday).json()
            #expect(json["weekStart"] as? String == start)
        }
        let american = try program.run("stats", "--json", environment: ["LC_ALL": "en_US.UTF-8"]).json()
        #expect(american["weekStart"] as? String == "2026-02-08")
        #expect(try program.run("stats").output.contains("1 task completed today"))
    }

    @Test("Statistics of an empty store are zero")
    func statisticsOfAnEmptyStoreAreZero() throws {
        let program = try TestProgram()
        for _ in 0..<2 {
            let json = try program.run("stats", "--json").json()
            #expect(json["today"] as? Int == 0)
            #expect(json["trend"] as? String == "noData")
            #expect(json["sentence"] as? String == "No data available yet")
            #expect(json["weekStart"] as? String == "2026-02-09")
            let month = try program.run("stats", "--month", "2024-02", "--json").json()
            #expect((month["days"] as? [Any])?.count == 29)
            #expect(month["completed"] as? Int == 0)
            _ = try program.add("now there is a store")
        }
    }

    @Test(
        "Statistics agree with a real history",
        .enabled(if: SharedData.isExpected, "needs the folder shared: set DAYBOOK_SHARED"))
    func statisticsAgreeWithARealHistory() throws {
        let program = try TestProgram()
        let file = SharedData.path("history-etcd.taskwarrior.json")
        #expect(try program.run("import", file, "--json").json()["imported"] as? Int == 12000)
        let expected = [
            ("2018-04", "UTC", 417), ("2018-04", "America/Los_Angeles", 411), ("2018-04", "Asia/Kolkata", 400),
            ("2018-04", "Pacific/Apia", 397), ("2018-04", "Europe/Istanbul", 402), ("2022-12", "UTC", 143),
            ("2022-12", "America/Los_Angeles", 141),
        ]
        for (month, zone, count) in expected {
            let arguments = ["stats", "--month", month, "--json", "--zone", zone, "--store", program.store]
            let json = try program.run(arguments, isBare: true).json()
            #expect(Set(json.keys) == ["month", "zone", "completed", "previousMonth", "days"])
            #expect(json["month"] as? String == month)
            #expect(json["zone"] as? String == zone)
            #expect(json["completed"] as? Int == count)
            let days = try #require(json["days"] as? [[String: Any]])
            #expect(days.count == (month == "2018-04" ? 30 : 31))
            #expect(days.compactMap { $0["completed"] as? Int }.reduce(0, +) == count)
            #expect(days.first?["date"] as? String == month + "-01")
        }
        let again = try program.run("import", file, "--json").json()
        #expect(again["imported"] as? Int == 0)
        #expect(again["unchanged"] as? Int == 12000)
        let verified = try program.run("verify", "--json").json()
        #expect(verified["ok"] as? Bool == true)
        #expect(verified["records"] as? Int == 12000)
    }
}
