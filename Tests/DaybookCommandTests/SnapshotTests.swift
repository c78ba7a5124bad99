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
        #expect(try program.run("snapshot", "verify", file).output.contains("a restore reads 2 files"))
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
            try program.shell("'\(TestProgram.executable)' snapshot verify a.snapshot < /dev/null").code == 2)
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

    @Test("Pruning keeps the only intact snapshot, reports the damaged one and exits with 1")
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
                pruned.lines.last?.hasSuffix(
                    " 0, kept 1, later than now 0, not verified 1, incomplete 0, not readable 0") == true)
        }
        let pruned = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--json")
        #expect(pruned.code == 1)
        let json = try pruned.json()
        #expect(json["ok"] as? Bool == false)
        #expect(json["kept"] as? [String] == ["1.snapshot"] && json["removed"] as? [String] == [])
        let unverified = try #require((json["unverified"] as? [[String: String]])?.first)
        #expect(unverified["file"] == "2.snapshot" && unverified["problem"]?.contains("is damaged") == true)
        #expect(try program.run("snapshot", "verify", "backups/1.snapshot").code == 0)
        // With a newer intact snapshot, the one that was kept is removed.
        try makeBackups(&program, days: 3...3)
        let intact = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--json")
        #expect(try intact.code == 0 && intact.json()["removed"] as? [String] == ["2.snapshot", "1.snapshot"])
    }

    @Test("Pruning encrypted snapshots needs the passphrase; without it, they replace no other snapshot")
    func pruningEncrypted() throws {
        var program = try TestProgram()
        _ = try program.add("x")
        #expect(try program.shell("echo right > right; echo wrong > wrong").code == 0)
        try makeBackups(&program, days: 1...2, "--encrypt", "--passphrase-file", "right")
        let prune = "'\(TestProgram.executable)' snapshot prune backups --keep-daily 1 --json"
        // There is no terminal.
        let without = try program.shell("\(prune) < /dev/null")
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

    /// Creates a chain of a full snapshot and two that continue it: 1, 2 and 3.
    private func makeChain(_ program: inout TestProgram) throws {
        for day in 1...3 {
            _ = try program.add("task \(day)")
            let since = day == 1 ? [] : ["--since", "backups/\(day - 1).snapshot"]
            try FileManager.default.createDirectory(
                atPath: program.folder + "/backups", withIntermediateDirectories: true)
            program.now = "2026-02-1\(day)T09:15:00Z"
            #expect(try program.run(["snapshot", "create", "backups/\(day).snapshot"] + since).code == 0)
        }
    }

    @Test("verify exits with 1 and names what is missing when a base is missing, replaced or in another folder [S-75]")
    func verifyingChains() throws {
        var program = try TestProgram()
        try makeChain(&program)
        #expect(try program.run("snapshot", "verify", "backups/3.snapshot").code == 0)
        for line in [
            "mv backups/1.snapshot away", "cp away backups/1.snapshot; cp backups/3.snapshot backups/1.snapshot",
            "echo > backups/1.snapshot",
        ] {
            #expect(try program.shell(line).code == 0)
            let verified = try program.run("snapshot", "verify", "backups/3.snapshot")
            #expect(verified.code == 1 && verified.errors.isEmpty)
            #expect(
                verified.line
                    == "backups/2.snapshot holds only the changes since 1.snapshot, which is not in its folder, or is "
                    + "another file now; put that snapshot there.")
            let json = try program.run("snapshot", "verify", "backups/3.snapshot", "--json")
            #expect(try json.code == 1 && json.json()["ok"] as? Bool == false)
            #expect(try program.run("snapshot", "restore", "backups/3.snapshot", "--to", "none").isRefusal(3))
        }
        #expect(try program.shell("cp away backups/renamed.snapshot").code == 0)
        #expect(try program.run("snapshot", "verify", "backups/3.snapshot").code == 0)
        #expect(try program.shell("daybook snapshot verify - < backups/3.snapshot").code == 1)
        #expect(try program.shell("mkdir alone; cp backups/3.snapshot alone").code == 0)
        #expect(try program.run("snapshot", "verify", "alone/3.snapshot").code == 1)
        #expect(
            try program.run("snapshot", "list", "alone").output.contains("changes since a snapshot that is not here"))
        let pruned = try program.run("snapshot", "prune", "alone", "--keep-daily", "1")
        #expect(pruned.code == 0)
        #expect(pruned.lines.first == "Kept, but cannot be restored without a snapshot that is not here: 3.snapshot")
    }

    @Test("create exits with 1 and writes nothing where the snapshot could not be restored [S-75]")
    func creatingChains() throws {
        var program = try TestProgram()
        try makeChain(&program)
        _ = try program.add("task 4")
        let before = try program.shell("cat backups/* | sha256sum; ls -i backups").output
        let itself = try program.run(
            "snapshot", "create", "backups/3.snapshot", "--since", "backups/3.snapshot", "--force")
        #expect(itself.isRefusal(1) && itself.errors.contains("could not be restored without 3.snapshot"))
        #expect(try program.run("snapshot", "create", "other.snapshot", "--since", "backups/3.snapshot").isRefusal(1))
        for name in ["backups/1.snapshot", "./backups/../backups/2.snapshot"] {
            #expect(try program.run("snapshot", "create", name, "--force").isRefusal(5))
        }
        #expect(try program.shell("cat backups/* | sha256sum; ls -i backups").output == before)
        #expect(!FileManager.default.fileExists(atPath: program.folder + "/other.snapshot"))
        // Standard output is kept where its reader puts it; what it continues is checked where it is.
        #expect(
            try program.shell("daybook snapshot create - --since backups/3.snapshot > backups/4.snapshot").code == 0)
        #expect(try program.run("snapshot", "verify", "backups/4.snapshot").output.contains("a restore reads 4 files"))
        #expect(try program.shell("mv backups/1.snapshot away").code == 0)
        #expect(
            try program.run("snapshot", "create", "backups/5.snapshot", "--since", "backups/3.snapshot").isRefusal(1))
        #expect(try program.shell("daybook snapshot create - --since backups/3.snapshot").isRefusal(1))
    }

    @Test("Pruning reports snapshots that are later than now, and does not count them [S-74]")
    func pruningUnderAWrongClock() throws {
        var program = try TestProgram()
        _ = try program.add("x")
        try makeBackups(&program, days: 1...2)
        program.now = "2031-01-01T00:00:00Z"
        #expect(try program.run("snapshot", "create", "backups/wrong.snapshot").code == 0)
        program.now = "2026-02-12T10:00:00Z"
        let pruned = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--dry-run")
        #expect(
            pruned.lines == [
                "Would remove 1.snapshot", "Later than now, so it is kept and does not count: wrong.snapshot",
                "Would remove 1, kept 1, later than now 1, not verified 0, incomplete 0, not readable 0",
            ])
        let json = try program.run("snapshot", "prune", "backups", "--keep-daily", "1", "--json").json()
        #expect(json["later"] as? [String] == ["wrong.snapshot"] && json["kept"] as? [String] == ["2.snapshot"])
        #expect(json["removed"] as? [String] == ["1.snapshot"] && json["ok"] as? Bool == true)
    }

    @Test("A passphrase opens a snapshot in either normalization and from a file with a byte order mark")
    func normalizedPassphrases() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        let files = [
            "composed": "Gr\\xc3\\xbc\\xc3\\x9fe\\n", "decomposed": "Gru\\xcc\\x88\\xc3\\x9fe",
            "marked": "\\xef\\xbb\\xbfGru\\xcc\\x88\\xc3\\x9fe\\r\\n",
        ]
        for (name, bytes) in files { #expect(try program.shell("printf '\(bytes)' > \(name)").code == 0) }
        for name in files.keys {
            let file = "\(name).snapshot"
            #expect(try program.run("snapshot", "create", file, "--passphrase-file", name).code == 0)
            for other in files.keys {
                #expect(
                    try program.run("snapshot", "verify", file, "--passphrase-file", other).code == 0,
                    "\(name) with \(other)")
            }
        }
        #expect(try program.shell("printf 'Gru\\xcc\\x88sse' > wrong").code == 0)
        #expect(try program.run("snapshot", "verify", "marked.snapshot", "--passphrase-file", "wrong").code == 1)
    }
}
