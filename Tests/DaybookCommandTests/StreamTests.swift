import CommandSupport
import Daybook
import Foundation
import Synchronization
import TestSupport
import Testing

/// Compressed files, pipes, long runs and interruptions.
@Suite struct StreamTests {
    /// Enough to take longer than the moment after which progress is shown, and to be interrupted.
    private static let many = TestBudget.count(12_000, long: 80_000)

    private func file(
        _ count: Int, _ name: String, padding: Int = 0, in program: borrowing TestProgram
    ) throws -> String {
        let path = program.folder + "/" + name
        let note = padding == 0 ? "" : "\"note\":\"\(String(repeating: "x", count: padding))\","
        let records = (0..<count).map { number in
            """
            {"collection":"tasks","id":"00000000-0000-7000-8000-\(String(format: "%012d", number))",\
            "text":"task \(number)",\(note)"createdAt":"2026-01-01T00:00:00Z","sortOrder":\(number)}\n
            """
        }
        let text = #"{"format":"daybook","version":1}"# + "\n" + records.joined()
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    @Test("The program zstd restores the plain export [S-33]", arguments: ["json", "ndjson", "taskwarrior"])
    func compressed(_ format: String) throws {
        let program = try TestProgram()
        for number in 0..<20 { _ = try program.add("task \(number)") }
        let plain = try program.run("export", "--format", format)
        let decompressed = try program.shell("daybook export --compress --format \(format) | zstd -dc")
        #expect(decompressed.bytes == plain.bytes)
        #expect(try program.run("export", "--format", format, "-o", program.folder + "/a.zst").code == 0)
        #expect(try program.shell("zstd -q -t a.zst && zstd -dc a.zst").bytes == plain.bytes)
        let folder = program.folder + "/exports"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try program.run("export", "--compress", "-o", folder).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["daybook-tasks-2026-02-10.json.zst"])
        // Compressed by either program, under any name, from a file and from a pipe.
        for command in ["import a.zst", "import - < a.zst", "import - --dry-run < <(zstd -dc a.zst | zstd -19 -c)"] {
            let report = try program.shell("daybook \(command) --json").json()
            #expect(report["unchanged"] as? Int == 20, "\(command)")
        }
    }

    @Test("A damaged compressed file is refused")
    func aDamagedCompressedFileIsRefused() throws {
        let program = try TestProgram()
        let path = try file(3000, "a.ndjson", in: program)
        let other = ["--store", program.folder + "/other"]
        #expect(try program.shell("zstd -q a.ndjson && head -c 5000 a.ndjson.zst > cut.zst").code == 0)
        let refused = try program.run(["import", program.folder + "/cut.zst"] + other)
        #expect(refused.isRefusal(3))
        #expect(refused.errors.contains("damaged or truncated"))
        #expect(!FileManager.default.fileExists(atPath: program.folder + "/other"))
        #expect(try program.run(["import", path] + other).code == 0)
    }

    @Test("An import from a pipe leaves no temporary file")
    func anImportFromAPipeLeavesNoTemporaryFile() throws {
        let program = try TestProgram()
        let folder = program.folder + "/temporary"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        // More than the limit for memory.
        let path = try file(Self.many, "a.ndjson", padding: 900, in: program)
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size > 9 << 20)
        let report = try program.shell("cat a.ndjson | daybook import - --json", environment: ["TMPDIR": folder]).json()
        #expect(report["imported"] as? Int == Self.many)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        #expect(try program.shell("echo nonsense >> a.ndjson").code == 0)
        let again = ["--store", program.folder + "/other"].joined(separator: " ")
        let refused = try program.shell("cat a.ndjson | daybook import - \(again)", environment: ["TMPDIR": folder])
        #expect(refused.code == 3)
        #expect(refused.errors.contains("line \(Self.many + 2)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }

    @Test("Repeating an interrupted import completes it", arguments: [SIGINT, SIGTERM])
    func repeatingAnInterruptedImportCompletesIt(_ signal: Int32) throws {
        let program = try TestProgram()
        let path = try file(Self.many, "a.ndjson", in: program)
        let process = program.process(["import", path] + program.standing)
        let messages = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = messages
        try process.run()
        // The store exists once the second pass begins.
        while !FileManager.default.fileExists(atPath: program.store + "/store.json"), process.isRunning { usleep(200) }
        usleep(100_000)
        kill(process.processIdentifier, signal)
        let text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        let count = try program.run("inbox", "--json").json()["tasks"] as? [Any]
        if process.terminationStatus != 0 {
            #expect(process.terminationStatus == 130)
            #expect(text.contains("Interrupted") && text.contains("again completes it") || count?.isEmpty ?? true)
            #expect((count?.count ?? 1) % 1000 == 0)
            if let count, !count.isEmpty { #expect(text.contains(" \(count.count) ")) }
        }
        let report = try program.run("import", path, "--json").json()
        #expect(report["imported"] as? Int == Self.many - (count?.count ?? 0))
        #expect(try program.tasks("inbox").last?["text"] as? String == "task \(Self.many - 1)")
    }

    @Test("No progress is shown without a terminal")
    func noProgressIsShownWithoutATerminal() throws {
        let program = try TestProgram()
        let path = try file(Self.many, "a.ndjson", in: program)
        let imported = try program.run("import", path)
        #expect(imported.errors.isEmpty)
        #expect(try program.run("export", "-o", program.folder + "/b.json").errors.isEmpty)
    }

    @Test("Progress appears after half a second, with the remaining time")
    func progressAppearsAfterHalfASecondWithTheRemainingTime() throws {
        let clock = SettableClock(Instant(secondsSince1970: 0))
        let lines = ShownLines()
        let line = ProgressLine("Exporting", clock) { lines.append($0) }
        var progress = FileProgress()
        progress.total = 1000
        for step in 1...5 {
            progress.done = step * 50
            clock.advance(byMicroseconds: 200_000)
            line.update(progress)
        }
        #expect(lines.all.first == "Exporting... 15 %, about 4 s left")
        #expect(lines.all.last == "Exporting... 25 %, about 3 s left")
        #expect(lines.all.count == 3)
        progress.total = nil
        clock.advance(byMicroseconds: 1_000_000)
        line.update(progress)
        #expect(lines.all.last == "Exporting... 2 s so far")
        line.end()
        #expect(lines.all.last == "")
    }

    @Test("A short run shows no progress")
    func aShortRunShowsNoProgress() {
        let clock = SettableClock(Instant(secondsSince1970: 0))
        let lines = ShownLines()
        let line = ProgressLine("Importing", clock) { lines.append($0) }
        for _ in 0..<4 {
            clock.advance(byMicroseconds: 100_000)
            line.update(FileProgress())
        }
        line.end()
        #expect(lines.all.isEmpty)
    }
}

/// The content of a progress line.
private final class ShownLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
