import Foundation
import TestSupport
import Testing

/// The export and the import of journals.
@Suite struct JournalFileCommandTests {
    /// A thread with everything that a file must keep.
    private func thread(in program: borrowing TestProgram) throws {
        _ = try program.run("journal", "new", "My Garden!")
        _ = try program.run("journal", "field", "add", "my", "Weather")
        _ = try program.run("journal", "field", "add", "my", "Rain, mm", "--group", "Weather")
        _ = try program.run("journal", "field", "add", "my", "Mood")
        for text in [
            "plain", "a \"quote\", a comma\r\nand lines", "=1+1", "+1", "-1", "@x", "\tx", "\rx", "'=1", "é 日記",
            " blank ",
        ] {
            let result = try program.run(
                "journal", "write", "my", "--field", "Rain, mm=\(text)", "-", input: Data(text.utf8))
            try #require(result.code == 0)
        }
        let gone = try program.run("journal", "write", "my", "gone").line
        _ = try program.run("journal", "delete", gone)
        _ = try program.run("journal", "write", "my", "--place", "Berlin, Germany", "last")
    }

    /// The rows as Python's `csv` reads them.
    private func rows(of file: String) throws -> [[String]] {
        let process = SpawnedProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import csv,json,sys; print(json.dumps(list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8')))))",
            file,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try #require(try JSONSerialization.jsonObject(with: data) as? [[String]])
    }

    @Test("CSV has the documented columns, and other programs read what was written [J-EX1, J-EX2, J-EX3, X-17]")
    func csv() throws {
        let program = try TestProgram()
        try thread(in: program)
        let file = program.folder + "/garden.csv"
        let report = try program.run("journal", "export", "my", "--format", "csv", "-o", file, "--json").json()
        #expect(report["files"] as? [String] == [file] && report["entries"] as? Int == 12)
        let rows = try rows(of: file)
        #expect(rows[0] == ["Timestamp", "Content", "Edited At", "Location", "Weather › Rain, mm", "Mood"])
        let guarded = [
            "plain", "a \"quote\", a comma\r\nand lines", "'=1+1", "'+1", "'-1", "'@x", "'\tx", "'\rx", "''=1", "é 日記",
            " blank ",
        ]
        #expect(rows.dropFirst().map { $0[1] } == guarded + ["last"])
        #expect(rows.dropFirst().dropLast().map { $0[4] } == guarded)
        #expect(rows.last == ["2026-02-10T09:15:00Z", "last", "", "Berlin, Germany", "", ""])
        #expect(!rows.contains { $0.contains("gone") })
        let raw = program.folder + "/raw.csv"
        #expect(try program.run("journal", "export", "my", "--format", "csv", "-o", raw, "--raw").code == 0)
        #expect(try self.rows(of: raw)[3][1] == "=1+1")
        // The same data are the same bytes, and a file is not replaced without being asked.
        let output = try program.run("journal", "export", "my", "--format", "csv")
        #expect(output.bytes == FileManager.default.contents(atPath: file))
        #expect(try program.run("journal", "export", "my", "--format", "csv", "-o", file).isRefusal(3))
        #expect(try program.run("journal", "export", "my", "--format", "csv", "-o", file, "--force").code == 0)
        #expect(try program.run("journal", "export", "my", "--format", "csv", "-o", program.folder).code == 0)
        #expect(FileManager.default.fileExists(atPath: program.folder + "/ThreadJournal-my-garden-2026-02-10.csv"))
        #expect(try program.run("journal", "export", "nothing", "--format", "csv").isRefusal(4))
        #expect(try program.run("journal", "export", "my", "--format", "xls").code == 2)
    }

    @Test("A split export has complete parts within the limit, and all entries once [J-EX4]")
    func split() throws {
        let program = try TestProgram()
        _ = try program.run("journal", "new", "T")
        for number in 0..<40 { _ = try program.run("journal", "write", "T", "entry number \(number)") }
        for format in ["csv", "json", "markdown"] {
            let file = program.folder + "/parts.\(format)"
            let report = try program.run(
                "journal", "export", "T", "--format", format, "-o", file, "--split", "1000", "--json"
            ).json()
            let files = try #require(report["files"] as? [String])
            #expect(files.count > 1 && files[0] == program.folder + "/parts-001.\(format)")
            var found: [Int] = []
            for file in files {
                let data = try #require(FileManager.default.contents(atPath: file))
                #expect(data.count <= 1000)
                if format == "json" { _ = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]) }
                if format == "csv" { #expect(try rows(of: file)[0].count == 4) }
                found += String(decoding: data, as: UTF8.self).matches(of: /entry number (\d+)/).compactMap {
                    Int($0.1)
                }
            }
            #expect(found == Array(0..<40))
        }
        #expect(try program.run("journal", "export", "T", "--format", "csv", "--split", "10").isRefusal(2))
    }

    @Test("JSON is read again without loss, and once only")
    func json() throws {
        let program = try TestProgram()
        try thread(in: program)
        let file = program.folder + "/garden.json"
        #expect(try program.run("journal", "export", "my", "--format", "json", "-o", file).code == 0)
        func imported(_ more: String...) throws -> [String: Any] {
            try program.run(["journal", "import", file, "--json", "--store", program.folder + "/second"] + more).json()
        }
        #expect(try imported()["imported"] as? Int == 12)
        let again = try imported()
        #expect(again["imported"] as? Int == 0 && again["unchanged"] as? Int == 12)
        func read(_ more: String...) throws -> [[String: Any]] {
            let json = try program.run(["journal", "read", "my garden!", "--json"] + more).json()
            return try #require(json["entries"] as? [[String: Any]])
        }
        let (first, second) = (try read(), try read("--store", program.folder + "/second"))
        #expect(NSArray(array: first) == NSArray(array: second))
        #expect(try program.run("verify", "--store", program.folder + "/second").code == 0)
        #expect(try program.run("undo", "--store", program.folder + "/second").line == "Undid: journal import")
        let markdown = try program.run("journal", "export", "my", "--format", "markdown").output
        #expect(markdown.hasPrefix("# My Garden!\n\n## 2026-02-10 12:15\n\nplain\n"))
        #expect(markdown.contains("*Berlin, Germany*\n\nlast\n"))
    }

    @Test("An import names each entry that it skips, and what to do about one that is not valid")
    func skipped() throws {
        let program = try TestProgram()
        let photos = Data(
            #"{"entries": [{"creationDate": "2023-05-03T10:00:00Z", "photos": [{}]}, {"creationDate": "2023-05-03T10:00:00Z", "text": "x"}]}"#
                .utf8)
        let result = try program.run("journal", "import", "-", input: photos)
        #expect(result.code == 0 && result.output == "Imported 1, unchanged 0, skipped 1\n")
        #expect(result.errors.contains("Entry 1 at line 1 was skipped: it has no text, only media,"))
        let text = Data("[2026-02-11 09:30] One\n[2026-02-30 09:30] secret\n[2026-02-12 09:30] Two\n".utf8)
        let refused = try program.run("journal", "import", "-", input: text)
        #expect(refused.isRefusal(3) && refused.errors.contains("line 2") && !refused.errors.contains("secret"))
        let report = try program.run("journal", "import", "-", "--skip-invalid", "--json", input: text).json()
        #expect(report["imported"] as? Int == 2 && report["skipped"] as? Int == 1)
        let entries = try #require(report["skippedEntries"] as? [[String: Any]])
        #expect(entries.map { $0["line"] as? Int } == [2] && entries[0]["number"] as? Int == 2)
        let unclear = Data("[07/05/2019 20:00] One\n".utf8)
        #expect(try program.run("journal", "import", "-", input: unclear).isRefusal(3))
        #expect(try program.run("journal", "import", "-", "--date-order", "day-first", input: unclear).code == 0)
    }

    @Test("Entries of other programs are imported into a thread of the file's name or a given one")
    func others() throws {
        let program = try TestProgram()
        let file = program.folder + "/diary.txt"
        try Data("[2026-02-01 09:30] One\nmore\n\n[2026-02-02 10:00] Two\n".utf8).write(to: URL(fileURLWithPath: file))
        let report = try program.run("journal", "import", file, "--json").json()
        #expect(report["imported"] as? Int == 2 && report["skipped"] as? Int == 0)
        let entries = try program.run("journal", "read", "diary", "--json").json()["entries"] as? [[String: Any]]
        #expect(entries?.map { $0["timestamp"] as? String } == ["2026-02-01T06:30:00Z", "2026-02-02T07:00:00Z"])
        #expect(try program.run("journal", "import", file, "--into", "nothing").isRefusal(4))
        #expect(try program.run("journal", "import", program.folder + "/none").isRefusal(3))
        #expect(try program.run("journal", "import", "-", input: Data("no journal".utf8)).isRefusal(3))
        let ics = Data(
            "BEGIN:VCALENDAR\nBEGIN:VJOURNAL\nUID:a\nDTSTART:20260203T100000Z\nSUMMARY:Three\nEND:VJOURNAL\nEND:VCALENDAR\n"
                .utf8)
        #expect(try program.run("journal", "import", "-", "--into", "diary", input: ics).code == 0)
        #expect(try program.run("journal", "search", "three", "--json").json()["entries"] is [[String: Any]])
        #expect(try program.run("verify").code == 0)
    }
}
