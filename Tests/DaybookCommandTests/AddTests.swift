import Foundation
import TestSupport
import Testing

@Suite struct AddTests {
    @Test("Add prints the full id and nothing else")
    func addPrintsTheFullIdAndNothingElse() throws {
        let program = try TestProgram()
        let result = try program.run("add", "Buy", "milk")
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        #expect(result.output == result.line + "\n")
        #expect(UUID(uuidString: result.line) != nil)
        #expect(result.line == result.line.lowercased())
        #expect(try program.texts("inbox") == ["Buy milk"])
    }

    @Test("Add sets the day and the note")
    func addSetsTheDayAndTheNote() throws {
        let program = try TestProgram()
        let task = try program.run("add", "Call Ada", "--on", "tomorrow", "--note", "engine", "--json").json()
        #expect(task["scheduledDate"] as? String == "2026-02-11")
        #expect(task["note"] as? String == "engine")
        #expect(task["state"] as? String == "notStarted")
        #expect(task["completedAt"] is NSNull)
        #expect(task["createdAt"] as? String == "2026-02-10T09:15:00Z")
        #expect(task["updatedAt"] as? String == "2026-02-10T09:15:00Z")
        #expect(task["sortOrder"] as? Int == 0)
    }

    @Test(
        "Add parses days",
        arguments: [
            ("2026-02-11", "2026-02-11"), ("today", "2026-02-10"), ("+3d", "2026-02-13"), ("+2w", "2026-02-24"),
            ("fri", "2026-02-13"), ("tue", "2026-02-17"), ("9999-12-31", "9999-12-31"),
        ])
    func addParsesDays(_ phrase: String, _ day: String) throws {
        let program = try TestProgram()
        let task = try program.run("add", "x", "--on", phrase, "--json").json()
        #expect(task["scheduledDate"] as? String == day)
    }

    @Test("Add resolves days in the given zone")
    func addResolvesDaysInTheGivenZone() throws {
        var program = try TestProgram()
        program.now = "2026-02-10T22:30:00Z"
        let task = try program.run("add", "x", "--on", "today", "--json").json()
        #expect(task["scheduledDate"] as? String == "2026-02-11")
    }

    @Test("Add ignores empty text [C-S1.6]", arguments: ["", "   ", "\t\n"])
    func addIgnoresEmptyText(_ text: String) throws {
        let program = try TestProgram()
        let result = try program.run("add", text)
        #expect(result.code == 0)
        #expect(result.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test("Add stores text unchanged")
    func addStoresTextUnchanged() throws {
        let program = try TestProgram()
        let text = "  \u{1B}[31mré\u{0301}d\u{202E}\n👩‍👩‍👧 \"quoted\" \\ "
        let id = try program.add(text)
        #expect(try program.run("show", id, "--json").json()["text"] as? String == text)
        let human = try program.run("inbox").output
        #expect(!human.unicodeScalars.contains("\u{1B}"))
        #expect(!human.unicodeScalars.contains("\u{202E}"))
        #expect(human.split(separator: "\n").count == 1)
    }

    @Test("Add reads one task per line")
    func addReadsOneTaskPerLine() throws {
        let program = try TestProgram()
        let result = try program.run("add", "-", "--on", "today", input: Data("one\n\n  \ntwo\r\nthree".utf8))
        #expect(result.code == 0)
        #expect(result.lines.count == 3)
        #expect(try program.texts("today") == ["one", "two", "three"])
        #expect(try program.tasks("today").compactMap { $0["id"] as? String } == result.lines)
    }

    @Test("Add reads JSON lines")
    func addReadsJSONLines() throws {
        let program = try TestProgram()
        let result = try program.run("add", "-", "--json", input: Data("one\ntwo\n".utf8))
        let tasks = try result.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(tasks.compactMap { $0["text"] as? String } == ["one", "two"])
        #expect(tasks.compactMap { $0["sortOrder"] as? Int } == [0, 1])
    }

    @Test("Add skips invalid lines only")
    func addSkipsInvalidLinesOnly() throws {
        let program = try TestProgram()
        let result = try program.run("add", "-", input: Data("good\n".utf8) + [0xFF, 0x0A] + Data("n\0l\nlast\n".utf8))
        #expect(result.code == 2)
        #expect(result.lines.count == 2)
        #expect(result.errors.split(separator: "\n").count == 2)
        #expect(result.errors.contains("Line 2") && result.errors.contains("UTF-8"))
        #expect(result.errors.contains("Line 3") && result.errors.contains("NUL"))
        #expect(try program.texts("inbox") == ["good", "last"])
    }

    @Test("Add creates the tasks of many lines in order")
    func addCreatesTheTasksOfManyLinesInOrder() throws {
        let program = try TestProgram()
        let texts = (0..<5000).map { "task number \($0)" }
        let result = try program.run("add", "-", input: Data(texts.joined(separator: "\n").utf8))
        #expect(result.lines.count == texts.count)
        #expect(result.lines == result.lines.sorted())
        #expect(try program.texts("inbox") == texts)
    }

    @Test("Add acknowledges each line before it reads the next")
    func addAcknowledgesEachLineBeforeItReadsTheNext() throws {
        let program = try TestProgram()
        let running = try RunningProgram(program.process(["add", "-"] + program.standing))
        for text in ["one", "two", "three"] {
            running.send([text])
            let id = try #require(running.line())
            #expect(try program.run("show", id, "--json").json()["text"] as? String == text)
        }
        #expect(try running.finish() == 0)
    }

    @Test("A killed process loses no acknowledged task [S-3, C-FR6, C-FR32, C-NFR12, C-NFR13]")
    func aKilledProcessLosesNoAcknowledgedTask() throws {
        let program = try TestProgram()
        var acknowledged: Set<String> = []
        for round in 0..<6 {
            let running = try RunningProgram(program.process(["add", "-"] + program.standing))
            for batch in 0..<40 { running.send((0..<10).map { "task \(round) \(batch) \($0)" }) }
            for _ in 0..<(20 + round * 61) { acknowledged.insert(try #require(running.line())) }
            running.kill()
            while let id = running.line() { acknowledged.insert(id) }
            let stored = Set(try program.tasks("inbox").compactMap { $0["id"] as? String })
            #expect(acknowledged.isSubset(of: stored))
        }
        #expect(try program.run("verify").code == 0)
    }

    @Test("Add refuses text that is not UTF-8")
    func addRefusesTextThatIsNotUTF8() throws {
        let program = try TestProgram()
        let result = try program.shell("daybook add $'bad\\xff'")
        #expect(result.isRefusal(2))
        #expect(result.errors.contains("not valid UTF-8"))
        #expect(!FileManager.default.fileExists(atPath: program.store))
        // The replacement character itself is text like any other.
        #expect(try program.run("add", "\u{FFFD}").code == 0)
    }

    @Test("Add creates files that only their owner can read")
    func addCreatesFilesThatOnlyTheirOwnerCanRead() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(program.store) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: program.store) {
            #expect(try mode("\(program.store)/\(name)") == 0o600)
        }
    }

    @Test("An empty note or category is none")
    func emptyNote() throws {
        let program = try TestProgram()
        let task = try program.run("add", "x", "--note", "", "--category", "", "--json").json()
        #expect(task["note"] == nil && task["category"] == nil && task["text"] as? String == "x")
    }
}
