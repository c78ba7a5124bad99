import Foundation
import TestSupport
import Testing

/// Concurrent exports of separate processes. Within one process the second export is refused as busy; concurrent
/// processes succeed, since each writes its own temporary file (Format.md, "Exchange files").
@Suite struct ConcurrentExportTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = TemporaryFolder()
        file = folder.path + "/export.json"
        let tasks = (0..<2000).map { "Task \($0)\n" }.joined()
        try Data(tasks.utf8).write(to: URL(filePath: folder.path + "/tasks.txt"))
        let process = try start(["import", "--format", "todotxt", folder.path + "/tasks.txt"])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    private func start(_ arguments: [String]) throws -> SpawnedProcess {
        let process = SpawnedProcess()
        process.executableURL = Programs.url(of: "daybook")
        process.arguments =
            arguments + ["--store", folder.path + "/store", "--now", "2026-02-11T10:00:00Z", "--zone", "UTC"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Exports to the same file in several processes at once and returns how they ended.
    private func exportAtOnce(_ options: [String]) throws -> [Int32] {
        let processes = try (0..<3).map { _ in try start(["export", "--output", file] + options) }
        return processes.map { process in
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private func expectCompleteFile() throws {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        let tasks = try #require((json as? [String: Any])?["tasks"] as? [Any])
        #expect(tasks.count == 2000)
        #expect(Set(folder.names) == ["export.json", "store", "tasks.txt"])
    }

    @Test("Processes that overwrite the same file at once all succeed, and the file is complete [C-S7.2]")
    func overwriting() throws {
        for _ in 0..<5 {
            #expect(try exportAtOnce(["--force"]) == [0, 0, 0])
            try expectCompleteFile()
        }
    }

    @Test("Of processes that create the same file at once one succeeds, and the others report that it exists [C-S7.2]")
    func creating() throws {
        for _ in 0..<5 {
            let codes = try exportAtOnce([])
            #expect(codes.sorted() == [0, 3, 3], "\(codes)")
            try expectCompleteFile()
            try FileManager.default.removeItem(atPath: file)
        }
    }
}
