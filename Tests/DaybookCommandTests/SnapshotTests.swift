import Daybook
import Foundation
import TestSupport
import Testing

/// The commands of `daybook snapshot`.
@Suite struct SnapshotCommandTests {
    private func isNamed(_ name: String) -> Bool { name.hasPrefix("daybook-") && name.hasSuffix(".snapshot") }

    private func file(in program: borrowing TestProgram) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder).filter(isNamed)
        return try #require(names.count == 1 ? names[0] : nil)
    }

    @Test("A snapshot is created, listed, verified and restored")
    func aSnapshotIsCreatedListedVerifiedAndRestored() throws {
        let program = try TestProgram()
        let id = try program.add("Water the fig")
        let created = try program.run("snapshot", "create", "--json").json()
        let file = try file(in: program)
        #expect(file == "daybook-2026-02-10T091500Z.snapshot")
        #expect(created["file"] as? String == file)
        let list = try program.run("snapshot", "list", "--json").json()
        let entry = try #require((list["snapshots"] as? [[String: Any]])?.first)
        #expect(entry["instant"] as? String == "2026-02-10T09:15:00Z")
        #expect(entry["id"] as? String == created["id"] as? String)
        #expect(try program.run("snapshot", "verify", file).code == 0)
        #expect(try program.run("snapshot", "verify", file, "--json").json()["ok"] as? Bool == true)
        let restored = try program.run("snapshot", "restore", file, "--to", "copy", "--json").json()
        #expect(restored["records"] as? Int == 1)
        #expect(try program.run("inbox", "--store", "copy").output.contains(id.suffix(4)))
        #expect(try program.run("snapshot", "restore", file, "--to", "copy").isRefusal(5))
        let replaced = try program.run("snapshot", "restore", file, "--to", "copy", "--force", "--json").json()
        let aside = try #require(replaced["replaced"] as? String)
        #expect(FileManager.default.fileExists(atPath: aside + "/data.mdb"))
    }

    @Test("Restoring over a store that another process has open is refused as busy")
    func openElsewhere() throws {
        let program = try TestProgram()
        _ = try program.add("Water the fig")
        #expect(try program.run("snapshot", "create", "a.snapshot").code == 0)
        #expect(try program.run("snapshot", "restore", "a.snapshot", "--to", "copy").code == 0)
        for isReadOnly in [false, true] {
            let opened = try DaybookStore.open(
                at: program.folder + "/copy", options: StoreOptions(isReadOnly: isReadOnly))
            let refused = try program.run("snapshot", "restore", "a.snapshot", "--to", "copy", "--force")
            #expect(refused.isRefusal(3))
            #expect(refused.errors.contains("busy"))
            opened.close()
        }
        #expect(try program.run("snapshot", "restore", "a.snapshot", "--to", "copy", "--force").code == 0)
    }

    @Test("An incremental snapshot contains the changes since its base")
    func anIncrementalSnapshotContainsTheChangesSinceItsBase() throws {
        var program = try TestProgram()
        _ = try program.add("first")
        #expect(try program.run("snapshot", "create", "backups-full.snapshot").code == 0)
        program.now = "2026-02-10T10:00:00Z"
        _ = try program.add("second")
        let changes = try program.run("snapshot", "create", "--since", "backups-full.snapshot", "--json").json()
        #expect((changes["base"] as? [String: Any])?["file"] as? String == "backups-full.snapshot")
        let file = try #require(changes["file"] as? String)
        #expect(try program.run("snapshot", "verify", file).output.contains("in the same folder"))
        #expect(try program.run("snapshot", "restore", file, "--to", "copy").code == 0)
        #expect(try program.run("inbox", "--store", "copy").lines.count == 2)
    }

    @Test("Missing and invalid snapshots are reported")
    func missingAndInvalidSnapshotsAreReported() throws {
        let program = try TestProgram()
        #expect(try program.run("snapshot", "create").isRefusal(3))
        _ = try program.add("x")
        #expect(try program.run("snapshot", "create", "a.snapshot").code == 0)
        #expect(try program.run("snapshot", "create", "a.snapshot").isRefusal(3))
        #expect(try program.run("snapshot", "create", "a.snapshot", "--force").code == 0)
        #expect(try program.run("snapshot", "verify", "none.snapshot").isRefusal(4))
        #expect(try program.run("snapshot", "restore", "none.snapshot", "--to", "copy").isRefusal(4))
        #expect(try program.run("snapshot", "create", "--since", "none.snapshot").isRefusal(4))
        #expect(try program.run("snapshot", "list", "nowhere").isRefusal(3))
        #expect(try program.run("snapshot", "restore", "a.snapshot").isRefusal(2))
        #expect(try program.shell("head -c 300 a.snapshot > cut.snapshot").code == 0)
        let cut = try program.run("snapshot", "verify", "cut.snapshot", "--json")
        #expect(cut.code == 1)
        #expect(try cut.json()["ok"] as? Bool == false)
        #expect(try program.run("snapshot", "restore", "cut.snapshot", "--to", "copy").isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: program.folder + "/copy"))
        #expect(try program.shell("echo nonsense > other.snapshot").code == 0)
        #expect(try program.run("snapshot", "list").output.contains("it is not a snapshot"))
    }

    @Test("The passphrase comes from a file or a terminal")
    func thePassphraseComesFromAFileOrATerminal() throws {
        let program = try TestProgram()
        _ = try program.add("secret task")
        #expect(try program.shell("echo right > right; echo wrong > wrong").code == 0)
        let made = try program.run("snapshot", "create", "a.snapshot", "--encrypt", "--passphrase-file", "right")
        #expect(made.code == 0)
        let bytes = try #require(FileManager.default.contents(atPath: program.folder + "/a.snapshot"))
        #expect(!String(decoding: bytes, as: UTF8.self).contains("tasks"))
        #expect(try program.run("snapshot", "verify", "a.snapshot", "--passphrase-file", "right").code == 0)
        let wrong = try program.run("snapshot", "verify", "a.snapshot", "--passphrase-file", "wrong")
        #expect(wrong.code == 1 && wrong.output.contains("cannot be decrypted"))
        #expect(
            try program.run("snapshot", "restore", "a.snapshot", "--to", "copy", "--passphrase-file", "wrong")
                .isRefusal(3))
        // There is no terminal.
        #expect(
            try program.shell("setsid -w '\(TestProgram.executable)' snapshot verify a.snapshot < /dev/null").code == 2)
        #expect(
            try program.run("snapshot", "restore", "a.snapshot", "--to", "copy", "--passphrase-file", "right").code == 0
        )
    }

    @Test("Snapshots can be written to standard output and read from standard input")
    func snapshotsCanBeWrittenToStandardOutputAndReadFromStandardInput() throws {
        let program = try TestProgram()
        let id = try program.add("through a pipe")
        #expect(try program.shell("daybook snapshot create - > a.snapshot").code == 0)
        #expect(try program.run("snapshot", "verify", "a.snapshot").code == 0)
        #expect(try program.shell("daybook snapshot verify - < a.snapshot").code == 0)
        #expect(try program.shell("cat a.snapshot | daybook snapshot restore - --to copy").code == 0)
        #expect(try program.run("inbox", "--store", "copy").output.contains(id.suffix(4)))
    }

    @Test("Pruning keeps the newest snapshot of each period")
    func pruningKeepsTheNewestSnapshotOfEachPeriod() throws {
        var program = try TestProgram()
        _ = try program.add("x")
        for moment in ["2026-02-08T09", "2026-02-08T21", "2026-02-09T09", "2026-02-10T09"] {
            program.now = moment + ":15:00Z"
            try FileManager.default.createDirectory(
                atPath: program.folder + "/backups", withIntermediateDirectories: true)
            #expect(try program.run("snapshot", "create", "backups").code == 0)
        }
        let names = { [folder = program.folder] in
            try FileManager.default.contentsOfDirectory(atPath: folder + "/backups").sorted()
        }
        let all = try names()
        let plan = try program.run("snapshot", "prune", "backups", "--keep-daily", "2", "--dry-run", "--json").json()
        #expect((plan["removed"] as? [String])?.count == all.count - 2)
        #expect(try names() == all)
        #expect(try program.run("snapshot", "prune", "backups", "--keep-daily", "2").code == 0)
        #expect(
            try names() == ["daybook-2026-02-09T091500Z.snapshot", "daybook-2026-02-10T091500Z.snapshot"])
    }

    /// Creates a snapshot at 09:00 on each of these days of February 2026, named by its day.
    private func makeBackups(_ program: inout TestProgram, days: ClosedRange<Int>, _ more: String...) throws {
        try FileManager.default.createDirectory(
            atPath: program.folder + "/backups", withIntermediateDirectories: true)
        for day in days {
            program.now = "2026-02-1\(day)T09:15:00Z"
            #expect(try program.run(["snapshot", "create", "backups/\(day).snapshot"] + more).code == 0)
        }
    }

    private func damage(_ file: String, in program: borrowing TestProgram) throws {
        let url = URL(fileURLWithPath: program.folder + "/" + file)
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: url)
    }

    @Test("Pruning keeps the only sound snapshot, reports the damaged one and exits with 1")
    func pruningVerifies() throws {
        var program = try TestProgram()
        _ = try program.add("x")
        try makeBackups(&program, days: 1...2)
        try damage("backups/2.snapshot", in: program)
        for options in [["--dry-run"], []] {
            let pruned = try program.run(["snapshot", "prune", "backups", "--keep-daily", "1"] + options)
            #expect(pruned.code == 1 && pruned.errors.isEmpty)
            #expect(pruned.output.contains("2.snapshot: backups/2.snapshot is damaged: "))
            #expect(
                pruned.lines.last?.hasSuffix(" 0, kept 1, not verified 1, incomplete 0, not readable 0") == true)
        }
        let pruned = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--json")
        #expect(pruned.code == 1)
        let json = try pruned.json()
        #expect(json["ok"] as? Bool == false)
        #expect(json["kept"] as? [String] == ["1.snapshot"] && json["removed"] as? [String] == [])
        let unverified = try #require((json["unverified"] as? [[String: String]])?.first)
        #expect(unverified["file"] == "2.snapshot" && unverified["problem"]?.contains("is damaged") == true)
        #expect(try program.run("snapshot", "verify", "backups/1.snapshot").code == 0)
        // With a newer sound snapshot, the one that was kept is removed.
        try makeBackups(&program, days: 3...3)
        let sound = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--json")
        #expect(try sound.code == 0 && sound.json()["removed"] as? [String] == ["2.snapshot", "1.snapshot"])
    }

    @Test("Pruning encrypted snapshots needs the passphrase; without it, they replace no other snapshot")
    func pruningEncrypted() throws {
        var program = try TestProgram()
        _ = try program.add("x")
        #expect(try program.shell("echo right > right; echo wrong > wrong").code == 0)
        try makeBackups(&program, days: 1...2, "--encrypt", "--passphrase-file", "right")
        let prune = "'\(TestProgram.executable)' snapshot prune backups --keep-daily 1 --json"
        // There is no terminal.
        let without = try program.shell("setsid -w \(prune) < /dev/null")
        #expect(without.code == 1 && without.errors.isEmpty)
        #expect(try without.json()["removed"] as? [String] == [])
        #expect(without.output.contains("is encrypted; give its passphrase"))
        let wrong = try program.shell("\(prune) --passphrase-file wrong")
        #expect(try wrong.code == 1 && wrong.json()["removed"] as? [String] == [])
        let right = try program.shell("\(prune) --passphrase-file right")
        #expect(try right.code == 0 && right.json()["removed"] as? [String] == ["1.snapshot"])
    }

    @Test("Global options are accepted at any position")
    func globalOptionsAreAcceptedAtAnyPosition() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        for arguments in [
            ["snapshot", "--store", program.store, "create", "a.snapshot"],
            ["--store", program.store, "snapshot", "create", "b.snapshot"],
            ["snapshot", "create", "c.snapshot", "--store", program.store],
        ] {
            #expect(try program.run(arguments, isBare: true).code == 0, "\(arguments)")
        }
    }

    @Test("The output of the snapshot commands contains no text of tasks")
    func theOutputOfTheSnapshotCommandsContainsNoTextOfTasks() throws {
        let program = try TestProgram()
        _ = try program.add("xyzzy-secret")
        for arguments in [
            ["create", "a.snapshot"], ["verify", "a.snapshot"], ["list"], ["restore", "a.snapshot", "--to", "b"],
        ] {
            let result = try program.run(["snapshot"] + arguments)
            #expect(!result.output.contains("xyzzy") && !result.errors.contains("xyzzy"))
        }
    }

    @Test("A restore or a salvage into an existing store is not allowed")
    func existingTarget() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        let file = program.folder + "/one.snapshot"
        #expect(try program.run("snapshot", "create", file).code == 0)
        #expect(try program.run("snapshot", "restore", file, "--to", program.store).isRefusal(5))
        #expect(try program.run("salvage", program.store, "--to", program.store).isRefusal(5))
        #expect(try program.texts("inbox") == ["x"])
    }
}
