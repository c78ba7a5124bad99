import Foundation
import TestSupport
import Testing

/// The commands of journals, as cli.md promises them.
@Suite struct JournalCommandTests {
    private func entries(_ json: [String: Any]) throws -> [[String: Any]] {
        try #require(json["entries"] as? [[String: Any]])
    }

    private func contents(_ json: [String: Any]) throws -> [String] {
        try entries(json).compactMap { $0["content"] as? String }
    }

    @Test("Threads are begun, listed, renamed, deleted, restored and purged [J-OP1, J-OP5, J-OP6, J-OP7]")
    func threads() throws {
        var program = try TestProgram()
        #expect(try program.run("journal", "threads", "--json").json()["threads"] as? [String] == [])
        let garden = try program.run("journal", "new", "My", "Garden").line
        #expect(UUID(uuidString: garden) != nil && garden == garden.lowercased())
        program.now = "2026-02-10T09:16:00Z"
        let dreams = try program.run("journal", "new", "Dreams", "--entry", "Flying.", "--json").json()
        #expect(dreams["title"] as? String == "Dreams" && dreams["entries"] as? Int == 1)
        let list = try program.run("journal", "threads", "--json").json()
        let threads = try #require(list["threads"] as? [[String: Any]])
        #expect(threads.map { $0["title"] as? String } == ["Dreams", "My Garden"])
        #expect(Set(threads[0].keys) == ["id", "title", "createdAt", "updatedAt", "entries"])
        #expect(threads[1]["id"] as? String == garden && threads[1]["createdAt"] as? String == "2026-02-10T09:15:00Z")
        let renamed = try program.run("journal", "rename", "my g", "Garden", "--json").json()
        #expect(renamed["title"] as? String == "Garden")
        #expect(try program.run("journal", "new", " ").isRefusal(2))
        #expect(try program.run("journal", "rename", garden, "").isRefusal(2))
        #expect(try program.run("journal", "rename", "nothing", "x").isRefusal(4))
        #expect(try program.run("journal", "delete-thread", "dreams").isRefusal(2))
        let deleted = try program.run("journal", "delete-thread", "dreams", "--yes", "--json").json()
        #expect(deleted["entries"] as? Int == 1 && deleted["deletedAt"] != nil)
        #expect(try program.run("journal", "read", "dreams").isRefusal(4))
        #expect(try (program.run("journal", "threads", "--json").json()["threads"] as? [Any])?.count == 1)
        #expect(try (program.run("journal", "threads", "--deleted", "--json").json()["threads"] as? [Any])?.count == 2)
        #expect(try program.run("journal", "restore", "dreams", "--json").json()["deletedAt"] == nil)
        #expect(try contents(program.run("journal", "read", "dreams", "--json").json()) == ["Flying."])
        #expect(try program.run("journal", "purge-thread", "dreams").isRefusal(2))
        #expect(
            try program.run("journal", "purge-thread", "dreams", "--yes", "--json").json()["title"] as? String
                == "Dreams")
        #expect(try program.run("journal", "restore", "dreams").isRefusal(4))
        #expect(try program.run("verify").code == 0)
    }

    @Test("Entries are written, read in pages of both directions, edited, deleted and found [J-OP2, J-OP3, J-OP4]")
    func entries() throws {
        var program = try TestProgram()
        _ = try program.run("journal", "new", "Garden")
        var ids: [String] = []
        for number in 0..<7 {
            // At one instant: the order of insertion counts.
            ids.append(try program.run("journal", "write", "garden", "Tulip", "\(number)").line)
        }
        let all = try program.run("journal", "read", "garden", "--json").json()
        #expect(Set(all.keys) == ["thread", "entries", "next", "previous"])
        #expect(try entries(all).compactMap { $0["id"] as? String } == ids)
        #expect(all["next"] is NSNull && all["previous"] is NSNull)
        let first = try #require(try entries(all).first)
        #expect(Set(first.keys) == ["id", "content", "timestamp", "editedAt", "place", "fields"])
        #expect(
            first["editedAt"] is NSNull && first["place"] is NSNull
                && (first["fields"] as? [String: Any])?.isEmpty == true)
        #expect(first["timestamp"] as? String == "2026-02-10T09:15:00Z")
        let page = try program.run("journal", "read", "garden", "--limit", "3", "--json").json()
        #expect(page["previous"] is NSNull)
        let next = try #require(page["next"] as? String)
        let second = try program.run("journal", "read", "garden", "--limit", "3", "--after", next, "--json").json()
        #expect(try contents(second) == ["Tulip 3", "Tulip 4", "Tulip 5"])
        let previous = try #require(second["previous"] as? String)
        let back = try program.run("journal", "read", "garden", "--limit", "3", "--before", previous, "--json").json()
        #expect(try contents(back) == contents(page) && back["previous"] is NSNull && back["next"] is String)
        #expect(
            try contents(program.run("journal", "read", "garden", "--last", "--limit", "2", "--json").json()) == [
                "Tulip 5", "Tulip 6",
            ])
        #expect(try program.run("journal", "read", "garden", "--after", "nonsense").isRefusal(2))
        program.now = "2026-02-10T10:00:00Z"
        let edited = try program.run("journal", "edit", ids[0], "Rose", "0", "--json").json()
        #expect(edited["content"] as? String == "Rose 0" && edited["editedAt"] as? String == "2026-02-10T10:00:00Z")
        #expect(edited["timestamp"] as? String == "2026-02-10T09:15:00Z")
        #expect(try program.run("journal", "edit", ids[0], " ").isRefusal(2))
        #expect(try program.run("journal", "write", "garden", "").isRefusal(2))
        #expect(try program.run("journal", "write", "nowhere", "x").isRefusal(4))
        let deleted = try program.run("journal", "delete", ids[1], ids[2], "--json").json()
        #expect(try contents(deleted) == ["Tulip 1", "Tulip 2"])
        #expect(try program.run("journal", "delete", ids[3], "--json").json()["content"] as? String == "Tulip 3")
        #expect(try program.run("journal", "delete", ids[3]).isRefusal(4))
        let rest = try program.run("journal", "read", "garden", "--deleted", "--json").json()
        #expect(try entries(rest).count { $0["deletedAt"] != nil } == 3 && entries(rest).count == 7)
        let found = try program.run("journal", "search", "tul", "--thread", "garden", "--json").json()
        #expect(try Set(found.keys) == ["entries", "next"] && contents(found).count == 3)
        #expect(try contents(program.run("journal", "search", "rose", "--json").json()) == ["Rose 0"])
        // The whole store has one history.
        let undone = try program.run("undo", "--json").json()
        #expect(undone["undone"] as? String == "journal delete")
        #expect(try contents(program.run("journal", "read", "garden", "--json").json()).count == 5)
        #expect(try program.run("redo").line == "Redid: journal delete")
        #expect(try program.run("verify").code == 0)
    }

    @Test("Short ids of a listing name entries and threads")
    func shortIDs() throws {
        let program = try TestProgram()
        let garden = try program.run("journal", "new", "Garden").line
        let id = try program.run("journal", "write", String(garden.suffix(4)), "x").line
        let shown = try #require(
            try program.run("journal", "read", "garden").lines.first { $0.hasPrefix(String(id.suffix(4))) })
        #expect(shown.contains("2026-02-10 12:15"))
        #expect(try program.run("journal", "edit", String(id.suffix(4)), "y").code == 0)
        #expect(try program.run("journal", "edit", "zz11", "y").isRefusal(2))
        #expect(try program.run("journal", "delete", "123").isRefusal(2))
        #expect(try program.run("journal", "delete", "00000000-0000-7000-8000-000000000000").isRefusal(4))
        #expect(
            try program.run("journal", "edit", String(id.prefix(13)), "z", "--json").json()["content"] as? String == "z"
        )
    }

    @Test(
        "Fields are added, grouped, ordered, renamed and deleted, and entries keep their values [J-OP8, J-DM3, J-DM4]")
    func fields() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Garden")
        let weather = try program.run("journal", "field", "add", "garden", "Weather").line
        let mood = try program.run("journal", "field", "add", "garden", "Mood").line
        let rain = try program.run("journal", "field", "add", "garden", "Rain", "--group", "Weather").line
        let fields = try #require(
            try program.run("journal", "fields", "garden", "--json").json()["fields"] as? [[String: Any]])
        #expect(fields.map { $0["id"] as? String } == [weather, mood, rain])
        #expect(Set(fields[0].keys) == ["id", "name", "order", "group", "isGroup"])
        #expect(fields.map { $0["group"] as? String } == [nil, nil, weather])
        #expect(fields.map { $0["isGroup"] as? Bool } == [true, false, false])
        #expect(fields.map { $0["order"] as? Int } == [0, 1, 2])
        #expect(try program.run("journal", "field", "add", "garden", "Mood").isRefusal(5))
        #expect(try program.run("journal", "field", "add", "garden", String(repeating: "x", count: 51)).isRefusal(2))
        #expect(try program.run("journal", "field", "add", "garden", "x", "--group", "none").isRefusal(4))
        let entry = try program.run(
            "journal", "write", "garden", "--field", "Rain=12 mm", "--field", "mood=", "--place", "Berlin, Germany",
            "Wet.",
            "--json"
        ).json()
        #expect(entry["place"] as? String == "Berlin, Germany")
        let values = try #require(entry["fields"] as? [String: Any])
        #expect(values["Rain"] as? String == "12 mm" && values["Mood"] is NSNull && values.count == 2)
        #expect(try program.run("journal", "write", "garden", "--field", "Snow=1", "x").isRefusal(4))
        #expect(try program.run("journal", "write", "garden", "--field", "Snow", "x").isRefusal(2))
        #expect(try program.run("journal", "write", "garden", "--field", "Weather=1", "x").isRefusal(5))
        let ordered = try program.run("journal", "field", "order", "garden", "Rain", "Mood", "--json").json()
        #expect((ordered["fields"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Rain", "Mood", "Weather"])
        let moved = try program.run("journal", "field", "order", "garden", "Rain", "--last", "--json").json()
        #expect((moved["fields"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Mood", "Weather", "Rain"])
        let renamed = try program.run("journal", "field", "rename", "garden", "Mood", "Feeling", "--json").json()
        #expect((renamed["fields"] as? [[String: Any]])?.first?["name"] as? String == "Feeling")
        #expect(try program.run("journal", "field", "delete", "garden", "Rain").code == 0)
        let kept = try entries(program.run("journal", "read", "garden", "--json").json())
        #expect((kept.first?["fields"] as? [String: Any])?["Rain"] as? String == "12 mm")
        #expect(try program.run("journal", "fields", "garden").lines == ["Feeling", "Weather ›"])
        #expect(try program.run("verify").code == 0)
    }

    @Test("A draft is saved, shown, cleared, and gone with the entry [J-OP9]")
    func drafts() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Garden")
        let none = try program.run("journal", "draft", "garden", "--json").json()
        #expect(Set(none.keys) == ["thread", "content", "savedAt"] && none["content"] is NSNull)
        let saved = try program.run("journal", "draft", "garden", "half", "a", "line", "--json").json()
        #expect(saved["content"] as? String == "half a line" && saved["savedAt"] as? String == "2026-02-10T09:15:00Z")
        #expect(try program.run("journal", "draft", "garden").line == "half a line")
        #expect(try program.run("journal", "draft", "garden", "-", input: Data("one\ntwo\n".utf8)).code == 0)
        #expect(try program.run("journal", "draft", "garden", "--json").json()["content"] as? String == "one\ntwo")
        #expect(try program.run("journal", "draft", "garden", "--clear").code == 0)
        #expect(try program.run("journal", "draft", "garden", "--json").json()["content"] is NSNull)
        _ = try program.run("journal", "draft", "garden", "x")
        #expect(try program.run("journal", "write", "garden", "--field", "None=1", "y").isRefusal(4))
        #expect(try program.run("journal", "draft", "garden").line == "x")
        #expect(try program.run("journal", "write", "garden", "-", input: Data("  from\n\na pipe\n\n".utf8)).code == 0)
        #expect(try contents(program.run("journal", "read", "garden", "--json").json()) == ["  from\n\na pipe\n"])
        #expect(try program.run("journal", "draft", "garden", "--json").json()["content"] is NSNull)
    }

    @Test("Without a text the editor begins with the draft, which stays if the editor or the store fails [J-OP9]")
    func editor() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Garden")
        func write(_ script: String, _ more: String...) throws -> TestProgram.Result {
            let editor = "\(program.folder)/editor"
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: editor))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: editor)
            return try program.run(
                ["journal", "write", "garden"] + more, environment: ["EDITOR": editor, "TMPDIR": program.folder])
        }
        let draft = { try program.run("journal", "draft", "garden", "--json").json()["content"] as? String }
        #expect(try program.run("journal", "write", "garden").isRefusal(2))
        _ = try program.run("journal", "draft", "garden", "begun")
        // The editor fails, after the person has written something.
        #expect(try write("echo more >> \"$1\"; exit 1").isRefusal(3))
        #expect(try draft() == "begun\nmore")
        // It fails and has emptied the file.
        #expect(try write(": > \"$1\"; exit 1").isRefusal(3))
        #expect(try draft() == "begun\nmore")
        // A field that does not exist is reported before the person types.
        #expect(try write("echo typed >> \"$1\"", "--field", "None=1").isRefusal(4))
        #expect(try draft() == "begun\nmore")
        // The store cannot be written.
        let data = program.store + "/data.mdb"
        #expect(try write("echo saved >> \"$1\"; chmod 0400 '\(data)'").code == (getuid() == 0 ? 0 : 3))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: data)
        if getuid() == 0 { _ = try program.run("journal", "draft", "garden", "begun") }
        // The thread vanishes while the person types: nothing can be stored, and the text stays in its file.
        let daybook = TestProgram.executable
        let lost = try write(
            "echo last >> \"$1\"; '\(daybook)' journal delete-thread garden --yes --store '\(program.store)'")
        #expect(lost.code == 4 && lost.errors.contains("The text is in "))
        let path =
            lost.errors.components(separatedBy: "The text is in ").last?.components(separatedBy: ".txt").first ?? ""
        #expect((try? String(contentsOfFile: path + ".txt", encoding: .utf8))?.hasSuffix("last\n") == true)
        _ = try program.run("journal", "restore", "garden")
        #expect(try write(": > \"$1\"").isRefusal(2))
        _ = try program.run("journal", "draft", "garden", "begun")
        let written = try write("echo done >> \"$1\"")
        #expect(written.code == 0 && UUID(uuidString: written.line) != nil)
        #expect(try draft() == nil)
        let last = try contents(program.run("journal", "read", "garden", "--last", "--limit", "1", "--json").json())
        #expect(last == ["begun\ndone"])
        // The file of the editor is gone.
        let left = try FileManager.default.contentsOfDirectory(atPath: program.folder).filter {
            $0.hasPrefix("daybook-edit")
        }
        #expect(left.count == 1)
    }

    @Test("An entry is edited in the editor, and no change writes nothing")
    func editInEditor() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Garden")
        let id = try program.run("journal", "write", "garden", "first").line
        let same = try program.run(["journal", "edit", id], environment: ["EDITOR": "true"])
        #expect(same.code == 0 && same.errors.contains("not changed"))
        let edited = try program.run(
            ["journal", "edit", id, "--json"], environment: ["EDITOR": "sed -i s/first/second/"])
        #expect(try edited.json()["content"] as? String == "second")
        #expect(try program.run(["journal", "edit", id], environment: ["EDITOR": "false"]).isRefusal(3))
    }

    @Test("No error of a journal carries a person's text [S-43, J-SE5]")
    func privacy() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "Topsecret")
        _ = try program.run("journal", "field", "add", "Topsecret", "Hiddenfield")
        _ = try program.run("journal", "write", "Topsecret", "Confidential")
        let runs = [
            ["journal", "read", "Topsecrets"], ["journal", "field", "add", "Topsecret", "Hiddenfield"],
            ["journal", "write", "Topsecret", " "], ["journal", "field", "delete", "Topsecret", "Hiddenfields"],
            ["journal", "edit", "Confidential", "x"],
        ]
        for run in runs {
            let result = try program.run(run)
            #expect(result.code != 0)
            for word in ["Topsecret", "Hiddenfield", "Confidential"] {
                #expect(!result.errors.contains(word), "\(run)")
            }
        }
    }

    @Test("Dumps and snapshots have journals, and a store without them opens")
    func files() throws {
        let program = try TestProgram()
        _ = try program.add("a task")
        #expect(try program.run("journal", "read", "garden").isRefusal(4))
        _ = try program.run("journal", "new", "Garden", "--entry", "first")
        _ = try program.run("journal", "draft", "garden", "half")
        #expect(try program.run("dump", "-o", program.folder + "/dump").code == 0)
        #expect(try program.run("load", program.folder + "/dump", "--store", program.folder + "/second").code == 0)
        let read = try program.run("journal", "read", "garden", "--json", "--store", program.folder + "/second")
        #expect(try contents(read.json()) == ["first"])
        let draft = try program.run("journal", "draft", "garden", "--store", program.folder + "/second")
        #expect(draft.line == "half")
        #expect(try program.run("verify", "--store", program.folder + "/second").code == 0)
        #expect(try program.texts("inbox") == ["a task"])
    }
}
