import FoundationEssentials
import TestSupport
import Testing

@testable import ByteStreams
@testable import Exchange

@Suite struct TaskFileTests {
    private func all(_ source: ByteSource) throws -> [UInt8] {
        var result: [UInt8] = []
        while true {
            let part = try source()
            if part.isEmpty { return result }
            result += part
        }
    }

    @Test("Every kind of file can be read repeatedly")
    func everyKindOfFileIsReadAgainAndAgain() throws {
        let folder = try TemporaryFolder()
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try Data(content).write(to: URL(filePath: folder.path + "/file"))
        let files = [
            try TaskFile(path: folder.path + "/file"), TaskFile(content),
            TaskFile(source: byteSource(of: content, partSize: 999)),
        ]
        for file in files {
            for _ in 0..<3 { #expect(try all(file.bytes()) == content) }
            #expect(file.byteCount == content.count)
            #expect(try all(file.bytes(again: false)) == content)
        }
    }

    @Test("A pipe that is read once is not kept")
    func aPipeThatIsReadOnceIsNotKept() throws {
        let file = TaskFile(source: byteSource(of: bytes(String(repeating: "abc\n", count: 50_000)), partSize: 1000))
        #expect(throws: FileError.unknownFormat(name: nil)) { try file.detectFormat() }
        // The bytes that detection has read come first, followed by the rest of the pipe.
        #expect(try all(file.bytes(again: false)).count == 200_000)
        #expect(file.byteCount == 200_000)
    }

    @Test("A spool returns the same bytes beyond its memory limit and leaves no file")
    func aSpoolIsTheSameBeyondItsMemoryAndLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 13) }
        for limit in [0, 1, 999, 5000] {
            let spool = Spool(byteSource(of: content, partSize: 300), memoryLimit: limit, folder: folder.path)
            for _ in 0..<2 {
                var result: [UInt8] = []
                while case let part = try spool.bytes(at: result.count), !part.isEmpty { result += part }
                #expect(result == content)
            }
            #expect(spool.count == 5000)
            #expect(try folder.names == [])
        }
    }

    @Test("A spool that cannot be written is an error")
    func aSpoolThatCannotBeWrittenIsAnError() {
        let spool = Spool(byteSource(of: [1, 2, 3]), memoryLimit: 0, folder: "/no/such/folder")
        #expect(throws: FileError.notFound(path: "/no/such/folder")) { try spool.bytes(at: 0) }
    }

    @Test("Compression is recognized regardless of the name")
    func compressionIsRecognisedWhateverTheName() throws {
        var compressed: [UInt8] = []
        let plain = bytes("[]")
        let writer = ZstdWriter { (part) throws(FileError) in compressed += part }
        try writer.write(plain)
        try writer.finish()
        for name in ["tasks.json.zst", "tasks.json", "TASKS.JSON.ZST"] {
            let file = TaskFile(compressed, name: name)
            #expect(try file.detectFormat() == .json)
            #expect(try all(file.bytes()) == plain)
            #expect(try all(file.bytes(again: false)) == plain)
        }
        let part = TaskFile(Array(compressed.dropLast()), name: "tasks.json")
        #expect(throws: FileError.damagedCompression) { try all(part.bytes()) }
    }

    @Test("A folder is refused")
    func aFolderIsNoFile() throws {
        let folder = try TemporaryFolder()
        #expect(throws: FileError.self) { try all(TaskFile(path: folder.path).bytes()) }
        #expect(throws: FileError.notFound(path: folder.path + "/x")) { try TaskFile(path: folder.path + "/x") }
    }
}
