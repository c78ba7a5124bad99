import FileSystem
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import ByteStreams

@Suite struct AtomicFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = TemporaryFolder()
        path = folder.path + "/export.json"
    }

    private func content() throws -> String {
        text([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    @Test("The file appears completely, and only its owner can read it")
    func theFileAppearsWholeAndOnlyForItsOwner() throws {
        let file = try AtomicFile(path: path)
        try file.write(bytes("one "))
        #expect(!FileManager.default.fileExists(atPath: path))
        try file.write(bytes("two"))
        try file.commit()
        #expect(try content() == "one two")
        #expect(folder.names == ["export.json"])
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        file.cancel()
        #expect(try content() == "one two")
    }

    @Test("Canceling leaves no file")
    func cancellingLeavesNothing() throws {
        let file = try AtomicFile(path: path)
        try file.write(bytes("half"))
        file.cancel()
        #expect(folder.names.isEmpty)
    }

    @Test("A temporary file of another process is not removed")
    func keepsTemporaryFilesOfOtherProcesses() throws {
        let probe = try AtomicFile(path: path)
        let prefix = path + ".\(getpid())-"
        let number = try #require(Int(probe.temporaryPath.dropFirst(prefix.count).prefix { $0 != "." }))
        probe.cancel()
        // Other tests use up numbers as well, so one of these names is the next.
        let names = (1...500).map { "\(prefix)\(number + $0).tmp" }
        for name in names { #expect(FileManager.default.createFile(atPath: name, contents: Data("theirs".utf8))) }
        let file = try AtomicFile(path: path)
        #expect(!names.contains(file.temporaryPath))
        try file.write(bytes("ours"))
        try file.commit()
        #expect(try content() == "ours")
        #expect(folder.names.count == names.count + 1)
    }

    @Test("Releasing the object leaves no file")
    func lettingGoLeavesNothing() throws {
        func start() throws { try AtomicFile(path: path).write(bytes("half")) }
        try start()
        #expect(folder.names.isEmpty)
    }

    @Test("An existing file is not overwritten unless requested")
    func whatIsThereIsNotOverwrittenUnasked() throws {
        let first = try AtomicFile(path: path)
        try first.write(bytes("first"))
        try first.commit()
        #expect(throws: FileError.targetExists(path: path)) { try AtomicFile(path: path) }
        let second = try AtomicFile(path: path, overwrite: true)
        try second.write(bytes("second"))
        #expect(try content() == "first")
        try second.commit()
        #expect(try content() == "second")
        #expect(folder.names == ["export.json"])
    }

    @Test("A file that appears in the meantime is not overwritten")
    func aFileThatAppearsMeanwhileIsNotOverwritten() throws {
        let slow = try AtomicFile(path: path)
        let quick = try AtomicFile(path: path)
        try quick.write(bytes("quick"))
        try quick.commit()
        try slow.write(bytes("slow"))
        #expect(throws: FileError.targetExists(path: path)) { try slow.commit() }
        #expect(try content() == "quick")
        #expect(folder.names == ["export.json"])
    }

    @Test("The error for a missing folder names it")
    func aMissingFolderIsNamed() {
        let missing = folder.path + "/missing"
        #expect(throws: FileError.notFound(path: missing)) { try AtomicFile(path: missing + "/export.json") }
    }

    @Test("Folders and devices are not replaced")
    func foldersAndDevicesAreNotReplaced() {
        #expect(throws: FileError.notAFile(path: folder.path)) { try AtomicFile(path: folder.path, overwrite: true) }
        #expect(throws: FileError.notAFile(path: "/dev/null")) { try AtomicFile(path: "/dev/null", overwrite: true) }
    }

    @Test(
        "A folder of another user gives a permission error",
        .enabled(if: geteuid() != 0, "the administrator may write everywhere"))
    func aFolderThatIsNotOursIsAMatterOfPermission() throws {
        _ = chmod(folder.path, 0o500)
        defer { _ = chmod(folder.path, 0o700) }
        #expect(throws: FileError.permissionDenied(path: path)) { try AtomicFile(path: path) }
    }

    @Test("A full disk gives the error for it")
    func aFullDiskIsToldAsOne() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { _ = close(descriptor) }
        #expect(throws: FileError.diskFull(path: path)) {
            try FileError.naming(path, FileDescriptor(descriptor).write(bytes("x")))
        }
    }

    @Test("Errors of the system map to the cases for them")
    func errorsOfTheSystemHaveTheirNames() {
        #expect(FileError(code: EACCES, path: "p") == .permissionDenied(path: "p"))
        #expect(FileError(code: EROFS, path: "p") == .readOnlyFileSystem(path: "p"))
        #expect(FileError(code: EDQUOT, path: "p") == .diskFull(path: "p"))
        #expect(FileError(code: ENOTDIR, path: "p") == .notFound(path: "p"))
        #expect(FileError(code: EIO, path: "p") == .system(path: "p", code: EIO))
    }

    @Test("A temporary file of another process with the same id is neither opened nor removed")
    func sameProcessID() throws {
        let first = try AtomicFile(path: path)
        let name = try #require(first.temporaryPath.split(separator: "-").last?.split(separator: ".").first)
        let number = try #require(Int(name))
        let prefix = "\(path).\(getpid())-"
        for next in number + 1...number + 200 {
            try Data("other".utf8).write(to: URL(fileURLWithPath: "\(prefix)\(next).tmp"))
        }
        let second = try AtomicFile(path: path)
        try second.write(bytes("mine"))
        try second.commit()
        first.cancel()
        #expect(try content() == "mine")
        for next in number + 1...number + 200 {
            #expect(FileManager.default.contents(atPath: "\(prefix)\(next).tmp") == Data("other".utf8))
        }
    }

    @Test("A spool without anonymous files takes the next name that is free")
    func spoolNames() throws {
        let names = (1...100).map { "daybook.\(getpid())-\($0).tmp" }
        for name in names { try Data("other".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        try Spool.fileWithRemovedName(in: folder.path).close()
        #expect(Set(folder.names) == Set(names))
        for name in names {
            #expect(FileManager.default.contents(atPath: "\(folder.path)/\(name)") == Data("other".utf8))
        }
    }
}
