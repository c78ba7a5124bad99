import Daybook
import Foundation
import TestSupport
import Testing

@Suite struct StoreTests {
    @Test("Verify reports no problems in an undamaged store")
    func verifyReportsNoProblemsInAnUndamagedStore() throws {
        let program = try TestProgram()
        for number in 0..<10 { _ = try program.add("task \(number)") }
        let json = try program.run("verify", "--json").json()
        #expect(Set(json.keys) == ["ok", "records", "indexEntries", "problems"])
        #expect(json["ok"] as? Bool == true)
        #expect(json["records"] as? Int == 10)
        #expect((json["problems"] as? [Any])?.isEmpty == true)
        #expect(try program.run("verify").code == 0)
    }

    @Test("Info prints sizes and versions")
    func infoPrintsSizesAndVersions() throws {
        let program = try TestProgram()
        _ = try program.run("done", program.add("x"))
        let json = try program.run("info", "--json").json()
        #expect(json["store"] as? String == program.store)
        let manifest = try String(contentsOfFile: program.store + "/store.json", encoding: .utf8)
        let version = try #require(json["formatVersion"] as? Int)
        #expect(manifest.contains("\"version\": \(version),"))
        #expect(json["tasks"] as? Int == 1)
        #expect((json["tasksByState"] as? [String: Int])?["completed"] == 1)
        #expect(json["mapSize"] as? Int ?? 0 > 0)
        for key in ["readersInUse", "readerSlots", "durability", "usedBytes", "tables"] { #expect(json[key] != nil) }
        #expect(try program.run("info").output.contains("durability:"))
    }

    @Test("Rebuild keeps everything in an undamaged store")
    func rebuildKeepsEverythingInAnUndamagedStore() throws {
        let program = try TestProgram()
        _ = try program.run("done", program.add("x", "--on", "today"))
        let before = try program.run("today", "--json").output
        #expect(try program.run("rebuild").code == 0)
        #expect(try program.run("today", "--json").output == before)
        #expect(try program.run("verify").code == 0)
    }

    @Test("Compact removes what was purged from the file and keeps everything else [C-NFR37]")
    func compact() throws {
        let program = try TestProgram()
        let text = "a text that nobody is to find again"
        _ = try program.add("kept")
        let id = try program.add(text)
        #expect(try program.run("purge", id, "--yes").code == 0)
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        #expect(try Data(contentsOf: file).firstRange(of: Data(text.utf8)) != nil)
        let before = try program.run("inbox", "--json").output
        let json = try program.run("compact", "--json").json()
        #expect(Set(json.keys) == ["bytesBefore", "bytesAfter"])
        #expect(try Data(contentsOf: file).firstRange(of: Data(text.utf8)) == nil)
        #expect(json["bytesAfter"] as? Int == (try Data(contentsOf: file).count))
        #expect(try program.run("compact").line.contains("bytes before"))
        #expect(try program.run("inbox", "--json").output == before)
        #expect(try program.run("verify").code == 0)
    }

    @Test("Compact and wipe need a store")
    func noStore() throws {
        let program = try TestProgram()
        #expect(try program.run("compact").isRefusal(3))
        #expect(try program.run("wipe", "--yes").isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: program.store))
        try FileManager.default.createDirectory(atPath: program.store, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: program.store + "/notes.txt"))
        #expect(try program.run("wipe", "--yes").isRefusal(3))
        #expect(try FileManager.default.contentsOfDirectory(atPath: program.store) == ["notes.txt"])
    }

    @Test("Wipe leaves no file of the store, and asks first [C-NFR37, F-7]")
    func wipe() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        // Nobody is there to ask.
        let unasked = try program.shell(
            "'\(TestProgram.executable)' wipe --store '\(program.store)' < /dev/null")
        #expect(unasked.code == 2 && unasked.errors.contains("Use --yes."))
        let daybook = try DaybookStore.open(at: program.store)
        let busy = try program.run("wipe", "--yes")
        #expect(busy.isRefusal(3) && busy.errors.contains("a program has it open; close it there"))
        // But it can be compacted.
        #expect(try program.run("compact").code == 0)
        #expect(try daybook.tasks.inbox().map(\.text) == ["x"])
        daybook.close()
        let json = try program.run("wipe", "--yes", "--json").json()
        #expect(Set(json.keys) == ["store", "folderRemoved", "replacedStores"])
        #expect(json["folderRemoved"] as? Bool == true)
        #expect(!FileManager.default.fileExists(atPath: program.store))
        _ = try program.add("y")
        #expect(try program.run("wipe", "--yes").code == 0)
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test("Commands touch nothing but the store and the files that they were given [C-NFR33]")
    func onlyTheGivenFolder() throws {
        let program = try TestProgram()
        let places = ["home", "temporary", "work", "out"].map { "\(program.folder)/\($0)" }
        for place in places {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        }
        let line = """
            cd work; daybook add one; daybook add two --on today; daybook today; daybook stats; daybook undo; daybook verify
            daybook export -o ../out/a.json; daybook import ../out/a.json; daybook snapshot create ../out/a.snapshot
            daybook rebuild; daybook compact; daybook info; daybook journal threads
            """
        let result = try program.shell(
            "set -e; \(line)", environment: ["HOME": places[0], "TMPDIR": places[1], "XDG_DATA_HOME": places[0]])
        #expect(result.code == 0, "\(result.errors)")
        for place in places.dropLast() {
            #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [], "\(place)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: places[3]).sorted() == ["a.json", "a.snapshot"])
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder).sorted()
        #expect(names == ["home", "out", "store", "temporary", "work"])
    }

    @Test("A history is generated into an empty store only")
    func generateIntoTasks() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        #expect(try program.run("generate", "--tasks", "10").isRefusal(5))
        #expect(try program.run("inbox").lines.count == 1)
    }

    /// Creates the store that a program leaves if it writes after another one has died while opening it: the meta page
    /// of odd transactions has transaction number 1.
    private func hurtStore(in program: borrowing TestProgram) throws -> Int {
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        func number(_ data: Data, page: Int) -> UInt64 {
            data[page * 4096 + 144..<page * 4096 + 152].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        var count = 0
        var data = Data()
        repeat {
            _ = try program.add("task \(count)")
            count += 1
            data = try Data(contentsOf: file)
        } while count < 5 || number(data, page: 1) < number(data, page: 0)
        data.replaceSubrange(4096 + 144..<4096 + 152, with: [1, 0, 0, 0, 0, 0, 0, 0])
        try data.write(to: file)
        return count
    }

    @Test("Verify finds what a program leaves that died while opening a store, and any other command repairs it")
    func hurtStore() throws {
        for command in ["inbox", "rebuild", "add"] {
            let program = try TestProgram()
            let count = try hurtStore(in: program)
            let verified = try program.run("verify")
            #expect(verified.code == 1)
            #expect(verified.output.contains("died opening the store"))
            let repaired = try command == "add" ? program.run("add", "one more") : program.run(command)
            #expect(repaired.code == 0)
            #expect(repaired.errors.contains("meta-pages-"))
            #expect(try program.run("verify").code == 0)
            #expect(try program.run("inbox").lines.count == count + (command == "add" ? 1 : 0))
        }
    }

    /// Changes two bytes at each position of the data file where a text is stored: a single one would be put right.
    @Test("A missing store is reported", arguments: ["verify", "info", "rebuild", "export"])
    func aMissingStoreIsReported(_ command: String) throws {
        let program = try TestProgram()
        #expect(try program.run(command).isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test(
        "Folders of other files are left unchanged",
        arguments: ["today", "add x", "verify", "info", "import -", "undo", "show 0000"])
    func foldersOfOtherFilesAreLeftUnchanged(_ command: String) throws {
        let program = try TestProgram()
        try FileManager.default.createDirectory(atPath: program.store, withIntermediateDirectories: false)
        try "mine".write(toFile: program.store + "/notes.txt", atomically: false, encoding: .utf8)
        let before = try program.contents(of: program.store)
        let input = Data(#"{"tasks": []}"#.utf8)
        #expect(try program.run(command.split(separator: " ").map(String.init), input: input).isRefusal(3))
        #expect(try program.contents(of: program.store) == before)
    }

    @Test("Stores of newer versions are left unchanged", arguments: ["today", "add x", "verify", "rebuild", "undo"])
    func storesOfNewerVersionsAreLeftUnchanged(_ command: String) throws {
        let program = try TestProgram()
        _ = try program.add("x")
        let manifest = program.store + "/store.json"
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try text.replacing(/"version": [12]/, with: "\"version\": 3")
            .write(toFile: manifest, atomically: false, encoding: .utf8)
        let before = try program.contents(of: program.store)
        let result = try program.run(command.split(separator: " ").map(String.init))
        #expect(result.isRefusal(3))
        #expect(result.errors.contains("newer"))
        #expect(try program.contents(of: program.store) == before)
    }

    @Test("A full disk loses no task")
    func aFullDiskLosesNoTask() throws {
        let program = try TestProgram()
        _ = try program.add("before")
        let result = try program.shell("ulimit -f 200; head -c 400000 /dev/zero | tr '\\0' x | daybook add -")
        #expect(result.isRefusal(3))
        #expect(result.errors.contains("full"))
        #expect(try program.texts("inbox") == ["before"])
        let fresh = try program.shell("ulimit -f 8; daybook add x --store other")
        #expect(fresh.isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: program.folder + "/other"))
        #expect(try program.shell("daybook inbox > /dev/full").isRefusal(3))
    }

    @Test("Missing permissions are reported", .enabled(if: getuid() == 0, "needs root to become another user"))
    func missingPermissionsAreReported() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        // The other user may have no access to the folder of the program.
        let copy = NSTemporaryDirectory() + "/daybook-\(UUID().uuidString)"
        try FileManager.default.copyItem(atPath: TestProgram.executable, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for command in ["today", "add x", "verify"] {
            let result = try program.shell(
                "setpriv --reuid 65534 --regid 65534 --clear-groups \(copy) \(command) --store '\(program.store)'")
            #expect(result.isRefusal(3), "\(result.errors)")
            #expect(result.errors.contains("ermission"))
        }
    }

    @Test("Commands that have ended occupy no reader slots")
    func commandsThatHaveEndedOccupyNoReaderSlots() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        for _ in 0..<20 { _ = try program.run("inbox") }
        #expect(try program.run("info", "--json").json()["readersInUse"] as? Int ?? 99 <= 2)
    }

    @Test("A closed pipe at the output is not an error")
    func aClosedPipeAtTheOutputIsNotAnError() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<5000).map { "task number \($0)\n" }.joined().utf8))
        let result = try program.shell("daybook inbox | head -n 1; trap '' PIPE; daybook export | head -n 1")
        #expect(result.errors.isEmpty)
        #expect(result.lines.count == 2)
    }
}
