import CivilTime
import Foundation
import TestSupport
import Testing

@Suite struct DateTests {
    @Test(
        "Add takes every form of a day",
        arguments: [
            ("next friday", "2026-02-20"), ("in 3 days", "2026-02-13"), ("feb 11", "2026-02-11"),
            ("9 feb", "2027-02-09"),
            ("end of month", "2026-02-28"), ("end of week", "2026-02-15"), ("feb 11 2027", "2027-02-11"),
        ])
    func addTakesPhrases(_ phrase: String, _ day: String) throws {
        let program = try TestProgram()
        #expect(try program.run("add", "x", "--on", phrase, "--json").json()["scheduledDate"] as? String == day)
    }

    @Test("Schedule takes a day of several words after several ids")
    func scheduleTakesSeveralWords() throws {
        let program = try TestProgram()
        let ids = [try program.run("add", "a").line, try program.run("add", "b").line]
        for (words, day) in [
            (["next", "friday"], "2026-02-20"), (["feb", "11", "2027"], "2027-02-11"), (["end of month"], "2026-02-28"),
            (["on", "feb", "11", "2028"], "2028-02-11"), (["fri"], "2026-02-13"),
        ] {
            let tasks = try program.run(["schedule"] + ids + words + ["--json"]).json()["tasks"] as? [[String: Any]]
            #expect(tasks?.map { $0["scheduledDate"] as? String } == [day, day], "\(words)")
        }
        #expect(try program.run("schedule", ids[0], "feb", "30").isRefusal(2))
        #expect(try program.run("schedule", ids[0], "next", "someday").isRefusal(2))
    }

    @Test("A day that is none is refused without repeating it, and names the help")
    func refusals() throws {
        let program = try TestProgram()
        let refused = try program.run("add", "x", "--on", "secret")
        #expect(refused.isRefusal(2))
        #expect(!refused.errors.contains("secret"))
        #expect(refused.errors.contains("'daybook help dates'"))
    }

    @Test("'help dates' prints every form with what it means")
    func help() throws {
        let program = try TestProgram()
        let help = try program.run("help", "dates", isBare: true)
        #expect(help.code == 0)
        for form in DateGrammar.days + DateGrammar.moments {
            #expect(help.lines.contains { $0.contains(form.example) && $0.contains(form.result) }, "\(form.example)")
        }
        for form in ["daily", "every 2 weeks on mon,thu", "monthly on 31", "after completion"] {
            #expect(help.output.contains(form))
        }
        #expect(help.lines.allSatisfy { $0.count <= 120 })
        #expect(try program.run("help", "datez", isBare: true).isRefusal(2))
    }
}
