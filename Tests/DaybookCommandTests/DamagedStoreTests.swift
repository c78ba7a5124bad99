import Daybook
import Foundation
import TestSupport
import Testing

/// What the program does with a store that has damaged bytes.
struct DamagedStoreTests {
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

    @Test("Rebuild refuses no store, whichever page is overwritten, and leaves a valid store")
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
        #expect(try program.run("salvage", program.store, "--to", new).isRefusal(5))
        let json = try program.run("salvage", program.store, "--to", new + "-2", "--json").json()
        #expect(json["complete"] as? Bool == true)
        #expect(json["missing"] as? Int == 0)
        let daybook = try DaybookStore.open(at: new)
        #expect(try program.run("salvage", new, "--to", new + "-4").isRefusal(3))
        daybook.close()
        #expect(try program.run("salvage", program.folder + "/nothing", "--to", new + "-3").isRefusal(3))
        #expect(try program.run("salvage", program.store).code == 2)
    }

    @Test("Salvage saves the intact blocks of a damaged snapshot, and says how many records are missing")
    func salvageOfASnapshot() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<100).map { "task \($0)\n" }.joined().utf8))
        let gone = try program.add("deleted soon")
        _ = try program.run("delete", gone)
        let file = program.folder + "/backup.snapshot"
        #expect(try program.run("snapshot", "create", file).code == 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try program.run("salvage", file, "--to", program.folder + "/whole").code == 0)

        // The last block is that of the tombstones: before the footer of 56 bytes.
        var damaged = whole
        damaged[whole.count - 60] ^= 1
        try damaged.write(to: URL(fileURLWithPath: file))
        #expect(try program.run("snapshot", "restore", file, "--to", program.folder + "/restored").isRefusal(3))
        let new = program.folder + "/salvaged"
        let result = try program.run("salvage", file, "--to", new)
        #expect(result.code == 1)
        #expect(result.lines.first == "Salvaged 100 records to \(new)")
        #expect(result.lines.contains("tasks: 100 saved; all that was counted"))
        #expect(result.lines.contains("tombstones: 0 saved, at least 1 missing"))
        #expect(result.lines.contains("Places of the snapshot that cannot be trusted: 1"))
        #expect(try program.run("verify", "--store", new).code == 0)
        let json = try program.run("salvage", file, "--to", new + "-2", "--json").json()
        #expect(json["complete"] as? Bool == false)
        #expect(json["missing"] as? Int == 1)
        #expect(json["damagedBlocks"] as? Int == 1)

        try Data("no snapshot".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try program.run("salvage", file, "--to", new + "-3").isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: new + "-3"))
    }

    @Test("verify --incremental checks a store in parts, remembers how far it came, and finds a damaged task")
    func incrementalVerification() throws {
        let program = try TestProgram()
        #expect(try program.run("verify", "--incremental").isRefusal(3))
        for text in ["first", "some secret", "last"] { _ = try program.add(text) }
        let whole = try program.run("verify", "--incremental", "--json")
        #expect(whole.code == 0)
        let json = try whole.json()
        #expect(Set(json.keys) == ["ok", "entries", "isAtEnd", "problems"])
        #expect(json["isAtEnd"] as? Bool == true)
        #expect(try program.run("verify", "--incremental").line.hasPrefix("Everything is right"))
        try damage("some secret", in: program)
        let damaged = try program.run("verify", "--incremental")
        #expect(damaged.code == 1)
        #expect(damaged.output.contains("damaged"))
        #expect(!damaged.output.contains("secret"))
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

    @Test("Writing to damaged pages is refused with an error that names the page, never ended by a signal [S-10]")
    func writesToDamagedPages() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<100).map { "task \($0)\n" }.joined().utf8))
        let id = try program.add("the last task")
        let file = URL(fileURLWithPath: program.store + "/data.mdb")
        let whole = try Data(contentsOf: file)
        var named = 0
        for page in stride(from: 2, to: whole.count / 4096, by: TestBudget.count(1, quick: 3)) {
            // The whole page; the end of its nodes; where its first node begins.
            for (place, bytes) in [
                (0, [UInt8](repeating: 0x5A, count: 4096)), (14, [0xFF, 0x0F]), (16, [0xFE, 0x0F]),
            ] {
                var damaged = whole
                damaged.replaceSubrange(page * 4096 + place..<page * 4096 + place + bytes.count, with: bytes)
                for command in [["add", "x"], ["undo"], ["delete", id]] {
                    try? FileManager.default.removeItem(atPath: program.store + "/lock.mdb")
                    try damaged.write(to: file)
                    let result = try program.run(command)
                    #expect([0, 3].contains(result.code) && !result.wasKilled, "\(command) \(page): \(result.errors)")
                    #expect(!result.errors.contains("could not be read"), "\(command) \(page): \(result.errors)")
                    if result.errors.contains("page \(page)") { named += 1 }
                }
            }
        }
        #expect(named > TestBudget.count(100, quick: 30))
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
        #expect(view.errors.contains("'daybook rebuild'") && !view.errors.contains("emarkable"))
    }
}
