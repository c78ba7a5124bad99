import Foundation
import TestSupport
import Testing

@Suite struct FileTests {
    @Test("An export has the documented structure [C-S7.7, X-36]")
    func anExportHasTheDocumentedStructure() throws {
        let program = try TestProgram()
        let ids = try [program.add("a"), program.add("b", "--on", "today"), program.add("c", "--on", "+40d")]
        _ = try program.run("done", ids[1])
        let json = try program.run("export").json()
        #expect(Set(json.keys) == ["exportDate", "appVersion", "tasks"])
        #expect(json["exportDate"] as? String == "2026-02-10T09:15:00Z")
        #expect(json["appVersion"] as? String == "1.0.0")
        let tasks = try #require(json["tasks"] as? [[String: Any]])
        #expect(Set(tasks.compactMap { $0["id"] as? String }) == Set(ids))
        let always: Set = [
            "id", "text", "state", "createdAt", "updatedAt", "completedAt", "scheduledDate", "sortOrder",
        ]
        #expect(tasks.allSatisfy { always.isSubset(of: $0.keys) })
    }

    @Test("Exported tasks survive an import", arguments: ["json", "ndjson", "taskwarrior"])
    func exportedTasksSurviveAnImport(_ format: String) throws {
        let program = try TestProgram()
        for text in ["one", "two \"quoted\" \u{1F600}"] { _ = try program.add(text, "--on", "today") }
        _ = try program.run("done", program.add("three"))
        let file = program.folder + "/file.\(format)"
        #expect(try program.run("export", "-o", file, "--format", format).code == 0)
        let other = ["--store", program.folder + "/other"]
        let report = try program.run(["import", file, "--json"] + other).json()
        #expect(Set(report.keys) == ["imported", "unchanged", "skipped"])
        #expect(report["imported"] as? Int == 3)
        let again = try program.run(["export", "--format", format] + other)
        #expect(again.bytes == (try Data(contentsOf: URL(fileURLWithPath: file))))
    }

    @Test("Export writes private files and overwrites none [C-NFR34]")
    func exportWritesPrivateFilesAndOverwritesNone() throws {
        let program = try TestProgram()
        _ = try program.add("x")
        let file = program.folder + "/tasks.json"
        #expect(try program.run("export", "-o", file).code == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        _ = try program.add("y")
        #expect(try program.run("export", "-o", file).isRefusal(3))
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
        #expect(try program.run("export", "-o", file, "--force", "--json").json()["file"] as? String == file)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) != before)
    }

    @Test("Export names a file in a folder by the local day [C-S7.3]")
    func exportNamesAFileInAFolderByTheLocalDay() throws {
        var program = try TestProgram()
        program.now = "2026-02-10T22:30:00Z"
        _ = try program.add("x")
        let folder = program.folder + "/exports"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try program.run("export", "-o", folder).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["daybook-tasks-2026-02-11.json"])
    }

    @Test("Export refuses missing stores, unusable destinations and unknown formats")
    func exportRefusesMissingStoresUnusableDestinationsAndUnknownFormats() throws {
        let program = try TestProgram()
        #expect(try program.run("export").isRefusal(3))
        _ = try program.add("x")
        #expect(try program.run("export", "-o", program.folder + "/no/such.json").isRefusal(3))
        #expect(try program.run("export", "-o", "/dev/full").isRefusal(3))
        #expect(try program.run("export", "--format", "pdf").isRefusal(2))
        #expect(try program.shell("daybook export > /dev/full").isRefusal(3))
    }

    @Test("Export leaves no file when the disk is full")
    func exportLeavesNoFileWhenTheDiskIsFull() throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<2000).map { "task \($0)\n" }.joined().utf8))
        let folder = program.folder + "/exports"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let result = try program.shell("ulimit -f 100; daybook export -o exports")
        #expect(result.isRefusal(3))
        #expect(result.errors.contains("Unable to save export file. Please check device storage."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("An interrupted export leaves no file", arguments: [SIGINT, SIGTERM])
    func anInterruptedExportLeavesNoFile(_ signal: Int32) throws {
        let program = try TestProgram()
        _ = try program.run("add", "-", input: Data((0..<20000).map { "task number \($0)\n" }.joined().utf8))
        let folder = program.folder + "/exports"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let process = program.process(["export", "-o", folder] + program.standing)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        while try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, process.isRunning { usleep(200) }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        // The export may have finished before the signal: then the complete file is there.
        #expect(names == (process.terminationStatus == 0 ? ["daybook-tasks-2026-02-10.json"] : []))
    }

    @Test("Import checks the complete file before it writes [F-5]")
    func importChecksTheCompleteFileBeforeItWrites() throws {
        let program = try TestProgram()
        let file = program.folder + "/some.json"
        let records = (0..<1500).map { number in
            """
            {"id": "00000000-0000-7000-8000-\(String(format: "%012d", number))", "text": "task \(number)",
            "createdAt": "2026-01-01T00:00:00Z"\(number == 1400 ? ", \"scheduledDate\": \"2026-02-30\"" : "")}
            """
        }
        try "{\"tasks\": [\(records.joined(separator: ",\n"))]}"
            .write(toFile: file, atomically: false, encoding: .utf8)
        let refused = try program.run("import", file)
        #expect(refused.isRefusal(3))
        #expect(refused.errors.contains("line 2801"))
        #expect(!FileManager.default.fileExists(atPath: program.store))
        let preview = try program.run("import", file, "--skip-invalid", "--dry-run", "--json")
        #expect(try preview.json()["imported"] as? Int == 1499)
        #expect(!FileManager.default.fileExists(atPath: program.store))
        let report = try program.run("import", file, "--skip-invalid", "--json")
        #expect(report.code == 0)
        #expect(report.errors.contains("line 2801"))
        #expect(try report.json()["imported"] as? Int == 1499)
        #expect(try report.json()["skipped"] as? Int == 1)
        let again = try program.run("import", file, "--skip-invalid", "--dry-run", "--json").json()
        #expect(again["imported"] as? Int == 0)
        #expect(again["unchanged"] as? Int == 1499)
        #expect(try program.run("undo").line == "Undid: import")
        #expect(try program.texts("inbox") == [])
    }

    @Test(
        "Import refuses invalid files",
        arguments: ["hello", "", "[1, 2]", #"{"tasks": [{"text": "\u0000", "createdAt": "2026-01-01T00:00:00Z"}]}"#])
    func importRefusesInvalidFiles(_ content: String) throws {
        let program = try TestProgram()
        let file = program.folder + "/input.json"
        try content.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try program.run("import", file).isRefusal(3))
        #expect(try program.run("import", "-", input: Data(content.utf8)).isRefusal(3))
        #expect(!FileManager.default.fileExists(atPath: program.store))
    }

    @Test("Import refuses a missing file")
    func importRefusesAMissingFile() throws {
        let program = try TestProgram()
        #expect(try program.run("import", program.folder + "/missing.json").isRefusal(3))
        #expect(try program.run("import", program.folder).isRefusal(3))
        #expect(try program.run("import").isRefusal(2))
    }

    @Test(
        "Taskwarrior's own export survives a round trip",
        .enabled(if: SharedData.isExpected, "needs the folder shared: set DAYBOOK_SHARED"))
    func taskwarriorsOwnExportSurvivesARoundTrip() throws {
        let program = try TestProgram()
        let file = SharedData.path("taskwarrior-2.6.2-export.json")
        let original = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file))) as? [[String: Any]])
        #expect(try program.run("import", file, "--json").json()["imported"] as? Int == original.count)
        let exported = try program.run("export", "--format", "taskwarrior")
        let tasks = try #require(try JSONSerialization.jsonObject(with: exported.bytes) as? [[String: Any]])
        func byID(_ tasks: [[String: Any]]) -> [String: NSDictionary] {
            Dictionary(
                uniqueKeysWithValues: tasks.compactMap { task in
                    (task["uuid"] as? String).map { ($0, task as NSDictionary) }
                })
        }
        let (before, after) = (byID(original), byID(tasks))
        #expect(before.count == after.count)
        for (id, task) in before { #expect(after[id] == task) }
    }

    @Test(
        "A dump loads into an empty store without loss, and a store with tasks is refused [F-7]",
        arguments: ["a.ndjson", "a.zst"])
    func dumpAndLoad(name: String) throws {
        let program = try TestProgram()
        let id = try program.add("x", "--on", "today", "--note", "n")
        _ = try program.run("done", id)
        let (file, copy) = (program.folder + "/" + name, program.folder + "/copy")
        #expect(try program.run("dump", "-o", file).code == 0)
        #expect(try program.run("dump", "-o", file).isRefusal(3))
        #expect(try program.run("load", file, "--store", copy).code == 0)
        // The first line has the number of the last change, which loading increments.
        let original = try program.run("dump").lines.dropFirst()
        #expect(try !original.isEmpty && program.run("dump", "--store", copy).lines.dropFirst() == original)
        #expect(try program.run("verify", "--store", copy).code == 0)
        #expect(try program.run("load", file, "--store", copy).isRefusal(5))
        #expect(try program.run("dump", "--store", program.folder + "/none").isRefusal(3))
    }

    @Test("What show and the views print as JSON is imported into another store without loss [C-FR42]")
    func importOfShownTasks() throws {
        let program = try TestProgram()
        let list = try program.run("list", "add", "Home").line
        let other = try program.add("other")
        let id = try program.add(
            "x", "--due", "2026-02-20", "--on", "today", "--remind", "2026-02-12 09:00", "--repeat", "weekdays",
            "--note", "n",
            "--region", "morning", "--bucket", "misc", "--category", "c")
        let timed = try program.add("y", "--due", "2026-02-20 17:00", "--on", "today")
        #expect(list.count == 36 && other.count == 36)
        let shown = try program.run("show", id, "--json")
        let today = try program.run("today", "--json")
        for (output, ids) in [(shown, [id]), (today, [id, timed])] {
            let second = try TestProgram()
            let file = second.folder + "/shown.json"
            try output.bytes.write(to: URL(fileURLWithPath: file))
            #expect(try second.run("import", file).code == 0)
            for id in ids {
                let found = try second.run("show", id, "--json")
                #expect(found.output == (try program.run("show", id, "--json")).output)
            }
        }
    }
}
