import Daybook
import Foundation
import TestSupport
import Testing

@Suite struct ExportedFileTests {
    private let temporary = TemporaryFolder(on: .memory)

    private func folder(_ name: String) throws -> URL {
        let folder = URL(filePath: "\(temporary.path)/\(name)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("The export of a thread is a file with name, media type and data [J-EX1]", arguments: JournalFormat.allCases)
    func thread(_ format: JournalFormat) async throws {
        let opened = try TestDaybook()
        let thread = try await opened.daybook.journals.createThread("My Garden!", firstEntry: "x")
        let file = try opened.daybook.files.exportThread(thread.id, as: format)
        #expect(file.name == "ThreadJournal-my-garden-2026-02-11\(format.fileSuffix)")
        #expect(file.mediaType == format.mediaType)
        var bytes: [UInt8] = []
        try opened.daybook.files.exportThread(thread.id, as: format) { bytes += $1 }
        #expect(try await Array(file.data()) == bytes && !bytes.isEmpty)
        let written = try await file.write(to: try folder("a"))
        #expect(written.failure == nil && written.file.lastPathComponent == file.name)
        #expect(try Array(Data(contentsOf: written.file)) == bytes)
        #expect(throws: JournalError.noSuchThread) { try opened.daybook.files.exportThread(UUID(), as: format) }
    }

    @Test("The export of all tasks is named by the present local day [C-S7.3]", arguments: TaskFormat.allCases)
    func tasks(_ format: TaskFormat) async throws {
        // In Berlin the next day has begun.
        let opened = try TestDaybook(at: "2026-02-11T23:30:00Z")
        try await opened.tasks.create("x")
        let file = opened.daybook.files.exportTasks(as: format)
        #expect(file.name == "daybook-tasks-2026-02-12\(format.fileSuffix)" && file.mediaType.contains("/"))
        #expect(try await Array(file.data()) == opened.export(as: format))
        let compressed = opened.daybook.files.exportTasks(as: format, isCompressed: true)
        #expect(compressed.name == file.name + ".zst" && compressed.mediaType == "application/zstd")
        #expect(try await compressed.data().prefix(4) == Data([0x28, 0xB5, 0x2F, 0xFD]))
    }

    @Test("A file that its folder cannot take is kept in the fallback, which is reported [C-S7.4]")
    func fallback() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create("x")
        let file = opened.daybook.files.exportTasks()
        let missing = URL(filePath: "\(temporary.path)/missing")
        await #expect(throws: FileError.self) { try await file.write(to: missing) }
        await #expect(throws: FileError.self) { try await file.write(to: missing, fallback: URL(filePath: "/proc/x")) }
        let kept = URL(filePath: "\(temporary.path)/kept/deep")
        for name in ["daybook-tasks-2026-02-11.json", "daybook-tasks-2026-02-11-2.json"] {
            let written = try await file.write(to: missing, fallback: kept)
            #expect(written.failure != nil && written.file == kept.appending(path: name))
            #expect(try await Data(contentsOf: written.file) == file.data())
        }
        // A file of that name is no reason for another folder.
        let folder = try folder("b")
        #expect(try await file.write(to: folder, fallback: kept).failure == nil)
        await #expect(throws: FileError.targetExists(path: folder.appending(path: file.name).path)) {
            try await file.write(to: folder, fallback: kept)
        }
        #expect(try await file.write(to: folder, fallback: kept, overwrite: true).failure == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).count == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file.name])
    }

    @Test("A file of a thread has nothing more to give when the journal is locked [J-OP12, J-SE4]")
    func locked() async throws {
        let opened = try TestDaybook()
        let journal = opened.daybook.journals
        let thread = try await journal.createThread("Garden", firstEntry: "x")
        try await journal.setLock(true, isAvailable: true)
        let file = try opened.daybook.files.exportThread(thread.id, as: .csv)
        journal.lock.suspend()
        let (folder, kept) = (try folder("c"), try folder("d"))
        await #expect(throws: JournalError.locked) { try await file.data() }
        await #expect(throws: JournalError.locked) { try await file.write(to: folder, fallback: kept) }
        #expect(throws: JournalError.locked) { try opened.daybook.files.exportThread(thread.id, as: .csv) }
        for folder in [folder, kept] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
        journal.lock.unlock(.recognized)
        #expect(try await !file.data().isEmpty)
    }

    @Test("A cancelled export leaves no file [C-S7.3]")
    func cancelled() async throws {
        let opened = try TestDaybook()
        try await opened.tasks.create("x")
        let thread = try await opened.daybook.journals.createThread("Garden", firstEntry: "x")
        let folder = try folder("e")
        let files = [
            opened.daybook.files.exportTasks(), try opened.daybook.files.exportThread(thread.id, as: .json),
        ]
        for file in files {
            let writing = Task {
                while !Task.isCancelled { await Task.yield() }
                try await file.write(to: folder)
            }
            writing.cancel()
            await #expect(throws: CancellationError.self) { try await writing.value }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
