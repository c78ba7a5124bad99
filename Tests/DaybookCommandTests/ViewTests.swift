import Foundation
import TestSupport
import Testing

@Suite struct ViewTests {
    @Test("Today lists its tasks in order [C-S1.7]")
    func todayListsItsTasksInOrder() throws {
        let program = try TestProgram()
        let ids = try ["a", "b", "c", "d"].map { try program.add($0, "--on", "today") }
        _ = try program.run("done", ids[0])
        _ = try program.run("start", ids[2])
        let json = try program.run("today", "--json").json()
        #expect(Set(json.keys) == ["date", "zone", "completedToday", "tasks", "due"])
        #expect(json["date"] as? String == "2026-02-10")
        #expect(json["zone"] as? String == "Europe/Istanbul")
        #expect(json["completedToday"] as? Int == 1)
        #expect(try program.texts("today") == ["c", "b", "d", "a"])
        #expect(try program.tasks("today").compactMap { $0["sortOrder"] as? Int } == [2, 1, 3, 0])
        let human = try program.run("today")
        #expect(human.output.contains("1 completed today"))
        #expect(human.errors.isEmpty)
    }

    @Test("Today counts only completed tasks of today's schedule")
    func todayCountsOnlyCompletedTasksOfTodaysSchedule() throws {
        let program = try TestProgram()
        _ = try program.run("done", program.add("in the Inbox"))
        #expect(try program.run("today", "--json").json()["completedToday"] as? Int == 0)
        #expect(try program.run("stats", "--json").json()["today"] as? Int == 1)
        let lines = try program.run("today").output.split(separator: "\n")
        #expect(lines.contains("0 completed today, of those planned for today"))
        #expect(lines.contains("1 task completed today, whatever day it was planned for"))
        #expect(try program.run("stats").output.split(separator: "\n").first == lines.last)
        // An empty view says what to do here: nothing can be dragged.
        #expect(lines[1].contains("daybook add") && !lines[1].contains("Drag"))
    }

    @Test("Without a command the program prints Today [C-FR38, C-S2.1]")
    func withoutACommandTheProgramPrintsToday() throws {
        let program = try TestProgram()
        _ = try program.add("x", "--on", "today")
        #expect(try program.run(program.standing, isBare: true).output == program.run("today").output)
        #expect(try program.run("--json").output == program.run("today", "--json").output)
    }

    @Test("Upcoming is grouped by day")
    func upcomingIsGroupedByDay() throws {
        let program = try TestProgram()
        for (text, day) in [("c", "2027-01-01"), ("a", "tomorrow"), ("b", "+2d"), ("a2", "tomorrow")] {
            _ = try program.add(text, "--on", day)
        }
        let json = try program.run("upcoming", "--json").json()
        #expect(Set(json.keys) == ["days"])
        let days = try #require(json["days"] as? [[String: Any]])
        #expect(days.allSatisfy { Set($0.keys) == ["date", "tasks", "due"] })
        #expect(days.compactMap { $0["date"] as? String } == ["2026-02-11", "2026-02-12", "2027-01-01"])
        #expect(try program.texts("upcoming") == ["a", "a2", "b", "c"])
        let human = try program.run("upcoming").output
        for label in ["Tomorrow", "Feb 12", "Jan 1, 2027"] { #expect(human.contains(label)) }
    }

    @Test("Past lists the tasks of past days [F-4]")
    func pastListsTheTasksOfPastDays() throws {
        var program = try TestProgram()
        for (text, day) in [("b", "tomorrow"), ("a", "today"), ("later", "+9d")] {
            _ = try program.add(text, "--on", day)
        }
        program.now = "2026-02-15T09:00:00Z"
        #expect(Set(try program.run("past", "--json").json().keys) == ["tasks", "next"])
        #expect(try program.texts("past") == ["a", "b"])
        #expect(try program.texts("upcoming") == ["later"])
        #expect(try program.texts("today") == [])
    }

    @Test("Views follow the given zone")
    func viewsFollowTheGivenZone() throws {
        var program = try TestProgram()
        program.now = "2026-02-10T22:30:00Z"
        _ = try program.add("x", "--on", "2026-02-11")
        #expect(try program.texts("today") == ["x"])
        program.zone = "America/New_York"
        #expect(try program.texts("upcoming") == ["x"])
        program.zone = nil
        let abroad = try program.run("today", "--json", environment: ["TZ": "Asia/Tokyo"]).json()
        #expect(abroad["zone"] as? String == "Asia/Tokyo")
    }

    @Test("Show prints every field")
    func showPrintsEveryField() throws {
        let program = try TestProgram()
        let id = try program.add("x", "--on", "today", "--note", "more")
        _ = try program.run("done", id)
        let task = try program.run("show", String(id.prefix(4)).uppercased(), "--json").json()
        #expect(task["id"] as? String == id)
        #expect(task["completedAt"] as? String == "2026-02-10T09:15:00Z")
        #expect(task["completedZone"] as? String == "Europe/Istanbul")
        #expect(task["completedOffsetSeconds"] as? Int == 10800)
        let human = try program.run("show", id).output
        for field in ["id:", "text:", "state:", "note:", "completedAt:", "scheduledDate:", "sortOrder:"] {
            #expect(human.contains(field))
        }
    }

    @Test("An empty view prints a message [C-S2.7]")
    func anEmptyViewPrintsAMessage() throws {
        let program = try TestProgram()
        #expect(
            try program.run("inbox").output == "No tasks in Inbox. Capture ideas here without scheduling them.\n")
        #expect(try program.run("today").output.contains("No tasks scheduled for today."))
        #expect(
            try program.run("upcoming").output == "No upcoming tasks. Schedule tasks for tomorrow and beyond.\n")
        #expect(try program.run("past").code == 0)
    }

    @Test("Views create no store", arguments: ["inbox", "today", "upcoming", "past", "stats"])
    func viewsCreateNoStore(_ view: String) throws {
        let program = try TestProgram()
        for arguments in [[view], [view, "--json"]] {
            let result = try program.run(arguments)
            #expect(result.code == 0)
            #expect(result.errors.isEmpty)
        }
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test("Options are accepted before the command")
    func optionsAreAcceptedBeforeTheCommand() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        let before = program.standing + ["--json", "inbox"]
        #expect(try program.run(before, isBare: true).output == program.run("inbox", "--json").output)
    }

    @Test("The environment selects the store")
    func theEnvironmentSelectsTheStore() throws {
        let program = try TestProgram()
        let (one, two, home) = (program.folder + "/one", program.folder + "/data", program.folder)
        for environment in [["DAYBOOK_STORE": one, "XDG_DATA_HOME": two], ["XDG_DATA_HOME": two], [:]] {
            #expect(try program.run("add", "x", environment: environment, isBare: true).code == 0)
        }
        for store in [one, two + "/daybook", home + "/.local/share/daybook"] {
            #expect(FileManager.default.fileExists(atPath: store + "/data.mdb"))
        }
    }

    private static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    @Test(
        "Output on a terminal has styles, and control characters of texts are replaced",
        .enabled(if: hasTerminals, "needs script(1) for a terminal"))
    func outputOnATerminalHasStylesAndControlCharactersOfTextsAreReplaced() throws {
        let program = try TestProgram()
        let id = try program.add("\u{1B}]0;x\u{07}evil\u{9B}31m " + String(repeating: "long ", count: 60))
        _ = try program.run("start", id)
        func onTerminal(_ command: String, _ environment: [String: String]) throws -> String {
            let options = program.standing.joined(separator: " ")
            let line = "stty cols 60; \(TestProgram.executable) \(command) \(options)"
            return try program.shell("script -qec '\(line)' /dev/null", environment: environment).output
        }
        let colourful = try onTerminal("inbox", ["TERM": "xterm"])
        #expect(colourful.contains("\u{1B}[2m\(id.suffix(4))\u{1B}[0m"))
        #expect(!colourful.contains("\u{1B}]") && !colourful.contains("\u{9B}") && !colourful.contains("\u{07}"))
        #expect(colourful.contains("…"))
        for environment in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"]] {
            let plain = try onTerminal("inbox", environment)
            #expect(!plain.contains("\u{1B}"))
            #expect(plain.split(whereSeparator: \.isNewline).allSatisfy { $0.count <= 60 })
        }
        #expect(try !onTerminal("inbox --json", ["TERM": "xterm"]).contains("\u{9B}"))
        #expect(try onTerminal("stats --month 2026-02", ["TERM": "xterm"]).contains("2026-02-28"))
    }

    @Test("The token of another view, search or thread is refused with exit 2, and the message says what to do")
    func foreignTokens() throws {
        var program = try TestProgram()
        program.zone = "UTC"
        for day in ["today", "+1d", "+2d"] {
            for number in 1...2 { _ = try program.add("call ada \(number)", "--on", day) }
        }
        for number in 1...2 { _ = try program.add("call \(number)") }
        for day in ["2026-02-07T09:00:00Z", "2026-02-08T09:00:00Z"] {
            _ = try program.add("late", "--on", "today", "--due", "today", "--now", day)
        }
        var commands = [["today"], ["inbox"], ["upcoming"], ["past"], ["overdue"], ["find", "ada"], ["find", "call"]]
        for title in ["Garden", "Work"] {
            let thread = try program.run("journal", "new", title).line
            for text in ["call", "call ada"] { _ = try program.run("journal", "write", thread, text) }
            commands.append(["journal", "read", thread])
        }
        commands += [["journal", "search", "call"]]
        var tokens: [String] = []
        for command in commands {
            let page = try program.run(command + ["--limit", "1", "--json"]).json()
            tokens.append(try #require(page["next"] as? String, "\(command)"))
        }
        for (place, command) in commands.enumerated() {
            for (other, token) in tokens.enumerated() {
                let result = try program.run(command + ["--limit", "1", "--after", token, "--json"])
                if place == other {
                    #expect(result.code == 0, "\(command)")
                } else {
                    #expect(result.isRefusal(2), "\(command) after \(commands[other])")
                    #expect(
                        result.errors.contains("The page token belongs to another view. Begin with the first page."))
                }
            }
        }
    }

    @Test("A task is found by 4 to 32 digits of the beginning or the end of its id, with or without hyphens")
    func digitsOfIDs() throws {
        let program = try TestProgram()
        let id = try program.add("x")
        let digits = id.replacingOccurrences(of: "-", with: "")
        for count in 13...32 {
            for text in [digits.prefix(count), digits.suffix(count)] {
                #expect(try program.run("show", String(text), "--json").json()["id"] as? String == id, "\(text)")
            }
        }
        for count in 9...12 {
            #expect(try program.run("show", String(digits.suffix(count)), "--json").json()["id"] as? String == id)
            #expect(try program.run("show", String(digits.prefix(count)), "--json").json()["id"] as? String == id)
        }
        #expect(try program.run("show", digits.uppercased(), "--json").json()["id"] as? String == id)
        for text in [
            digits + "0", id + "0", "01-9c", "abc",
            String(digits.prefix(6)) + "-" + String(digits.dropFirst(6).prefix(4)),
        ] {
            #expect(try program.run("show", text).isRefusal(2), "\(text)")
        }
    }

    @Test("A text that cannot be an id is a wrong command line, also without a store")
    func notAnID() throws {
        let program = try TestProgram()
        for command in [["show"], ["done"], ["delete"], ["purge", "--yes"], ["edit", "--text", "x"], ["edit"]] {
            #expect(try program.run(command + ["Buy milk"]).isRefusal(2), "\(command)")
            #expect(try program.run(command + ["3c2f"]).isRefusal(4), "\(command)")
        }
    }
}
