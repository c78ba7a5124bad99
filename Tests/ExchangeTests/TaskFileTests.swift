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
        let folder = TemporaryFolder()
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

    @Test(
        "Text in UTF-16 is read in both byte orders, with and without a mark", arguments: [true, false], [true, false])
    func utf16(isBigEndian: Bool, isMarked: Bool) throws {
        let text = "text,note\r\nKäse 🧀,zwölf\r\n"
        let units = (isMarked ? [0xFEFF] : []) + Array(text.utf16)
        let content = units.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        for size in [1, 2, 3, 5, 1000] {
            let file = TaskFile(source: byteSource(of: content, partSize: size))
            #expect(try file.detectFormat() == .csv)
            let decoded = try all(file.bytes())
            #expect(decoded == (isMarked ? [0xEF, 0xBB, 0xBF] : []) + bytes(text))
        }
        // A surrogate alone, and half a unit, are no text.
        let tail: [UInt8] = isBigEndian ? [0xD8, 0x00, 0x00, 0x0A, 0x00] : [0x00, 0xD8, 0x0A, 0x00, 0x0A]
        let damaged = try all(TaskFile(content + tail).bytes())
        #expect(String(validating: damaged, as: UTF8.self) == nil)
        #expect(damaged.starts(with: (isMarked ? [0xEF, 0xBB, 0xBF] : []) + bytes(text)))
    }

    @Test(
        "An archive and another encoding are named as what they are",
        arguments: [
            ([0x50, 0x4B, 0x03, 0x04, 0x14, 0, 0, 0], "zip"), ([0x1F, 0x8B, 0x08, 0, 0, 0], "gzip"),
            ([0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"),
        ] as [([UInt8], String)])
    func archives(_ content: [UInt8], _ kind: String) throws {
        let file = TaskFile(content, name: "export.json")
        for read in [{ _ = try file.detectFormat() }, { _ = try file.bytes() }] {
            let error = #expect(throws: FileError.self) { try read() }
            #expect(error?.description.contains(kind) == true)
            #expect(error?.description.hasPrefix("export.json is ") == true)
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
        let folder = TemporaryFolder()
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 13) }
        for limit in [0, 1, 999, 5000] {
            let spool = Spool(byteSource(of: content, partSize: 300), memoryLimit: limit, folder: folder.path)
            for _ in 0..<2 {
                var result: [UInt8] = []
                while case let part = try spool.bytes(at: result.count), !part.isEmpty { result += part }
                #expect(result == content)
            }
            #expect(spool.count == 5000)
            #expect(folder.names == [])
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
        let folder = TemporaryFolder()
        #expect(throws: FileError.self) { try all(TaskFile(path: folder.path).bytes()) }
        #expect(throws: FileError.notFound(path: folder.path + "/x")) { try TaskFile(path: folder.path + "/x") }
    }
}
