import Foundation
import TestSupport
import Testing

@Suite struct RecurrenceCommandTests {
    @Test("Repeat sets a rule, shows its days, and removes it")
    func repeats() throws {
        let program = try TestProgram()
        let id = try program.run("add", "Pay rent", "--on", "2026-03-31").line
        let task = try program.run("repeat", id, "monthly", "on", "31", "--json").json()
        #expect(task["recurrence"] as? String == "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1")
        #expect(task["scheduledDate"] as? String == "2026-03-31")
        #expect(task["recurringPattern"] == nil)
        let shown = try program.run("repeat", id, "--show", "--count", "3", "--json").json()
        #expect(shown["rule"] as? String == task["recurrence"] as? String)
        #expect(shown["days"] as? [String] == ["2026-03-31", "2026-04-30", "2026-05-31"])
        #expect(try program.run("repeat", id, "--show", "--count", "1").lines == ["monthly on 31", "Tue 2026-03-31"])
        #expect(try program.run("repeat", id, "none", "--json").json()["recurrence"] == nil)
        #expect(try program.run("repeat", id, "--show", "--json").json()["days"] as? [String] == [])
    }

    @Test("Rules are phrases or RRULEs; phrases keep to the end of the month, RRULEs are taken literally")
    func notations() throws {
        let program = try TestProgram()
        let id = try program.run("add", "x", "--on", "2026-03-31").line
        for (rule, rrule) in [
            ("every 2 weeks on mon,thu until dec 31", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20261231"),
            ("monthly", "FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"), ("FREQ=MONTHLY", "FREQ=MONTHLY"),
            ("RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=12", "FREQ=MONTHLY;BYDAY=2TU;COUNT=12"),
            ("yearly 10 times", "FREQ=YEARLY;COUNT=10"),
            ("every 3 days after completion", "FREQ=DAILY;INTERVAL=3;X-DAYBOOK-AFTER=COMPLETION"),
        ] {
            #expect(try program.run("repeat", id, rule, "--json").json()["recurrence"] as? String == rrule)
        }
        for wrong in [["secret"], ["daily", "until", "secret"], ["FREQ=SECRET"], [], ["daily", "--show"]] {
            let refused = try program.run(["repeat", id] + wrong)
            #expect(refused.isRefusal(2), "\(wrong)")
            #expect(!refused.errors.lowercased().contains("secret"))
        }
        #expect(try program.run("repeat", id, "daily until 2020-01-01").isRefusal(5))
        #expect(try program.run("repeat", "ffffffff", "daily").isRefusal(4))
    }

    @Test("Completing creates the next occurrence with its parent; skip moves the task on")
    func completesAndSkips() throws {
        let program = try TestProgram()
        let id = try program.run("add", "Stand-up", "--on", "today", "--repeat", "weekdays").line
        #expect(try program.run("skip", id, "--json").json()["scheduledDate"] as? String == "2026-02-11")
        #expect(try program.run("done", id).code == 0)
        #expect(try program.run("reopen", id).code == 0)
        #expect(try program.run("done", id).code == 0)
        let days = try program.run("upcoming", "--json").json()["days"] as? [[String: Any]]
        let tasks = (days ?? []).flatMap { $0["tasks"] as? [[String: Any]] ?? [] }.filter {
            $0["state"] as? String == "notStarted"
        }
        #expect(tasks.count == 1)
        #expect(tasks.first?["parent"] as? String == id)
        #expect(tasks.first?["scheduledDate"] as? String == "2026-02-12")
        #expect(try program.run("skip", id).isRefusal(5))
        let undone = try program.run("undo", "--json").json()
        #expect(undone["tasks"] != nil)
    }

    @Test("Add --parse takes a rule from the end of the text")
    func parses() throws {
        let program = try TestProgram()
        let task = try program.run(
            "add", "Call Ada tomorrow 17:30 every weekday #home !must @morning", "--parse", "--json"
        ).json()
        #expect(task["text"] as? String == "Call Ada")
        #expect(task["scheduledDate"] as? String == "2026-02-11")
        #expect(task["recurrence"] as? String == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")
        #expect(task["category"] as? String == "home")
        #expect(task["bucket"] as? String == "must" && task["region"] as? String == "morning")
        #expect((task["reminderDate"] as? [String: String]) == ["day": "2026-02-11", "time": "17:30"])
        let plain = try program.run("add", "Call Ada tomorrow", "--json").json()
        #expect(plain["text"] as? String == "Call Ada tomorrow" && plain["scheduledDate"] is NSNull)
        let weekly = try program.run("add", "Review every fri", "--parse", "--json").json()
        #expect(weekly["scheduledDate"] as? String == "2026-02-13")
    }
}
