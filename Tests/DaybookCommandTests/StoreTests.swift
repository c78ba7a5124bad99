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
        #expect(json["formatVersion"] as? Int == 1)
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

    @Test("Wipe leaves no file of the store, and asks first [C-NFR37]")
    func wipe() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        // Nobody is there to ask.
        let unasked = try program.shell(
            "setsid -w '\(TestProgram.executable)' wipe --store '\(program.store)' < /dev/null")
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
    private func damage(_ text: String, in program: borrowing TestProgram) throws {
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        var data = try Data(contentsOf: file)
        var start = data.startIndex
        while let found = data.range(of: Data(text.utf8), in: start..<data.endIndex) {
            data[found.lowerBound] ^= 0x04
            data[found.lowerBound + 2] ^= 0x04
            start = found.upperBound
        }
        try data.write(to: file)
    }

    @Test("Rebuild quarantines damaged tasks, and an import restores them")
    func rebuildSetsDamagedTasksAsideAndAnImportBringsThemBack() throws {
        let program = try TestProgram()
        _ = try program.add("good one")
        let id = try program.add("some secret")
        let backup = program.folder + "/backup.ndjson"
        try program.run("export", "--format", "ndjson").bytes.write(to: URL(fileURLWithPath: backup))
        try damage("some secret", in: program)
        #expect(try program.run("inbox").isRefusal(3))
        #expect(try program.run("verify").code == 1)

        let rebuilt = try program.run("rebuild")
        #expect(rebuilt.code == 1)
        #expect(rebuilt.errors.isEmpty)
        let key = id.replacingOccurrences(of: "-", with: "")
        #expect(rebuilt.lines.contains("tasks \(key) is damaged and was quarantined"))
        #expect(rebuilt.lines.last == "Restore from a backup: daybook import FILE")
        #expect(!rebuilt.output.contains("secret"))
        #expect(try program.run("verify").code == 0)
        #expect(try program.texts("inbox") == ["good one"])
        #expect(try program.run("info", "--json").json()["setAside"] as? Int == 1)
        #expect(try program.run("rebuild").code == 0)

        #expect(try program.run("import", backup).code == 0)
        #expect(try program.texts("inbox") == ["good one", "some secret"])
        let json = try program.run("rebuild", "--json").json()
        #expect(
            Set(json.keys) == [
                "entriesWritten", "recordsSetAside", "missingRecords", "outdatedCollections", "changesRemoved",
            ])
        #expect(try program.run("info", "--json").json()["setAside"] as? Int == 0)
    }

    @Test("Rebuild refuses no store, whichever page is overwritten, and what it leaves is sound")
    func rebuildRefusesNoStore() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<100).map { "task \($0)\n" }.joined().utf8))
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        let whole = try Data(contentsOf: file)
        var complete = 0
        for page in 0..<(whole.count / 4096) {
            try? FileManager.default.removeItem(atPath: program.store + "/lock.mdb")
            var damaged = whole
            damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: repeatElement(0x5A, count: 4096))
            try damaged.write(to: file)
            let result = try program.run("rebuild")
            #expect([0, 1].contains(result.code) && !result.wasKilled, "page \(page): \(result.errors)")
            #expect(try program.run("verify").code == 0, "page \(page)")
            let texts = try program.texts("inbox")
            #expect(result.code == 1 || texts.count == 100, "page \(page)")
            #expect(texts.allSatisfy { $0.hasPrefix("task ") })
            if result.code == 0 { complete += 1 }
        }
        #expect(complete * 10 >= whole.count / 4096 * 6)
    }

    @Test("Salvage saves a store that cannot be opened, says what is missing, and leaves the damaged one as it is")
    func salvage() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<100).map { "task \($0)\n" }.joined().utf8))
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        var damaged = try Data(contentsOf: file)
        damaged.replaceSubrange(0..<8192, with: repeatElement(0, count: 8192))
        try damaged.write(to: file)
        try FileManager.default.removeItem(atPath: program.store + "/store.json")
        #expect(try program.run("inbox").isRefusal(3))

        let new = program.folder + "/salvaged"
        let result = try program.run("salvage", program.store, "--to", new)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.lines.first == "Salvaged 100 records to \(new)")
        #expect(result.lines.contains("tasks: 100 saved; all that was counted"))
        #expect(try program.run("verify", "--store", new).code == 0)
        #expect(try program.run("inbox", "--store", new, "--json").json()["tasks"].map { "\($0)".isEmpty } == false)
        #expect(try Data(contentsOf: file) == damaged)
        #expect(try program.run("salvage", program.store, "--to", new).isRefusal(3))
        let json = try program.run("salvage", program.store, "--to", new + "-2", "--json").json()
        #expect(json["complete"] as? Bool == true)
        #expect(json["missing"] as? Int == 0)
        let daybook = try DaybookStore.open(at: new)
        #expect(try program.run("salvage", new, "--to", new + "-4").isRefusal(3))
        daybook.close()
        #expect(try program.run("salvage", program.folder + "/nothing", "--to", new + "-3").isRefusal(3))
        #expect(try program.run("salvage", program.store).code == 2)
    }

    @Test("--skip-damaged shows what is intact of a damaged store, names what is not, and changes nothing")
    func skipDamaged() throws {
        let program = try TestProgram()
        _ = try program.add("good one")
        let id = try program.add("some secret")
        let whole = try program.run("inbox", "--skip-damaged")
        let plain = try program.run("inbox")
        #expect(whole.code == 0 && whole.output == plain.output)
        try damage("some secret", in: program)
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        let damaged = try Data(contentsOf: file)

        #expect(try program.run("inbox").isRefusal(3))
        let shown = try program.run("inbox", "--skip-damaged")
        #expect(shown.code == 1)
        #expect(shown.output.contains("good one") && !shown.output.contains("secret"))
        #expect(shown.errors.contains("tasks \(id.replacingOccurrences(of: "-", with: "")) is damaged and left out"))
        let exported = try program.run("export", "--format", "ndjson", "--skip-damaged")
        #expect(exported.code == 1 && exported.output.contains("good one"))
        #expect(try program.run("show", id, "--skip-damaged").code == 4)
        #expect(try Data(contentsOf: file) == damaged)

        // Where the whole tree is gone, too.
        try (Data(repeating: 0, count: 8192) + damaged.dropFirst(8192)).write(to: file)
        #expect(try program.run("today", "--skip-damaged").code == 1)
        #expect(try program.run("inbox", "--skip-damaged").output.contains("good one"))
        #expect(try program.run("inbox", "--skip-damaged", "--store", program.folder + "/none").code == 0)
    }

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
        try text.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2")
            .write(toFile: manifest, atomically: false, encoding: .utf8)
        let before = try program.contents(of: program.store)
        let result = try program.run(command.split(separator: " ").map(String.init))
        #expect(result.isRefusal(3))
        #expect(result.errors.contains("newer"))
        #expect(try program.contents(of: program.store) == before)
    }

    /// Damage to `data.mdb`.
    enum Damage: CaseIterable {
        case truncated, cutToNothing, garbage, zeroed

        func apply(to data: Data) -> Data {
            switch self {
            case .truncated: data.prefix(data.count / 2 + 100)
            case .cutToNothing: Data()
            case .garbage: Data((0..<data.count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
            case .zeroed: Data(count: data.count)
            }
        }
    }

    @Test("Damaged stores are refused", arguments: Damage.allCases)
    func damagedStoresAreRefused(_ damage: Damage) throws {
        let program = try TestProgram()
        for number in 0..<20 { _ = try program.add("task \(number)") }
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        let damaged = damage.apply(to: try Data(contentsOf: file))
        try damaged.write(to: file)
        for command in ["today", "inbox --json", "add x", "show 0000", "undo", "export", "info"] {
            #expect(try program.run(command.split(separator: " ").map(String.init)).isRefusal(3))
        }
        let verified = try program.run("verify", "--json")
        #expect(verified.code == 1)
        #expect(try verified.json()["ok"] as? Bool == false)
        #expect(try Data(contentsOf: file) == damaged)
    }

    /// Damages a page but not the meta pages. LMDB may fail in any way, but the program must fail with an error.
    @Test("Damaged pages never crash the program")
    func damagedPagesNeverCrashTheProgram() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<100).map { "task \($0)\n" }.joined().utf8))
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        let whole = try Data(contentsOf: file)
        for page in 2..<(whole.count / 4096) {
            for fill in [UInt8(0x00), 0xFF, 0x5A] {
                var damaged = whole
                damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: repeatElement(fill, count: 4096))
                try damaged.write(to: file)
                let verified = try program.run("verify")
                #expect([0, 1].contains(verified.code) && !verified.wasKilled, "page \(page)")
                #expect(verified.errors.isEmpty, "page \(page)")
                let view = try program.run("inbox")
                #expect([0, 3].contains(view.code) && !view.wasKilled, "page \(page)")
                // LMDB prints a line before it aborts.
                let lines = view.errors.split(separator: "\n").filter { !$0.hasPrefix("mdb.c:") }
                if view.code == 3 { #expect(lines.count == 1 && view.bytes.isEmpty, "page \(page): \(view.errors)") }
            }
        }
    }

    @Test("A damaged task is not shown, and the error names the next command [S-47]")
    func damageNamesTheNextCommand() throws {
        let program = try TestProgram()
        _ = try program.add("remarkable words")
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        var data = try Data(contentsOf: file)
        while let range = data.range(of: Data("remarkable".utf8)) { data[range.lowerBound] = UInt8(ascii: "X") }
        try data.write(to: file)
        let view = try program.run("inbox")
        #expect(view.isRefusal(3))
        #expect(view.errors.contains("Run rebuild") && !view.errors.contains("emarkable"))
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
