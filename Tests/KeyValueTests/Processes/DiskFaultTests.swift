import Foundation
import KeyValue
import TestSupport
import Testing

/// Faults of the disk. They affect an entire process, so they are injected in a child process.
struct DiskFaultTests {
    @Test("A full disk refuses writes and loses nothing, and writing continues when there is room again [S-42]")
    func fileSizeLimit() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        try #expect(child.ask("open \(folder.file("store"))") == "ok")
        try #expect(child.ask("fill 0 50 2000") == "ok")
        try #expect(child.ask("limit-file-size 1000000") == "ok")
        // Larger than the limit in one piece, at its edge, and beyond it from the start.
        for _ in 0..<3 { try #expect(child.ask("put large 3000000") == "error diskFull") }
        try #expect(child.ask("fill 100 1000 2500") == "error diskFull")
        try #expect(child.ask("put another 100000") == "error diskFull")
        try #expect(child.ask("get k49") == "bytes 2000")
        try #expect(child.ask("get large") == "none")
        try #expect(child.ask("limit-file-size -1") == "ok")
        try #expect(child.ask("put large 3000000") == "ok")
        try #expect(child.ask("get large") == "bytes 3000000")
        child.kill()
        let environment = try Environment.open(at: folder.file("store"))
        let table = try environment.openTables(["main"])[0]
        try #expect(environment.read { try $0.value(of: bytes("large"), in: table) }?.count == 3_000_000)
    }

    @Test("The same on a small file system [S-42]")
    func smallFileSystem() async throws {
        let folder = TemporaryFolder()
        let mount = try run("/bin/mount", "-t", "tmpfs", "-o", "size=2m", "none", folder.path)
        guard mount == 0 else {
            print("Skipped: only root can mount a file system.")
            return
        }
        defer { _ = try? run("/bin/umount", folder.path) }
        let ballast = URL(fileURLWithPath: folder.file("ballast"))
        let environment = try Environment.open(
            at: folder.file("store"), creatingWith: NewStoreContent(tables: ["main"]))
        let table = try environment.openTables(["main"])[0]
        try Data(repeating: 1, count: 1 << 20).write(to: ballast)
        let value = [UInt8](repeating: 1, count: 9000)
        var stored = 0
        var failure: KeyValueError?
        while failure == nil {
            let number = stored
            failure = await error {
                try await environment.write { try $0.put(bytes("\(number)"), value, in: table) }
            }
            if failure == nil { stored += 1 }
        }
        #expect(failure == .storageFull(detail: "the disk"))
        #expect(!environment.hasStoppedWriting)
        try #expect(environment.read { try $0.entryCount(of: table) } == stored)
        try FileManager.default.removeItem(at: ballast)
        let number = stored
        try await environment.write { try $0.put(bytes("\(number)"), value, in: table) }
        try #expect(environment.read { try $0.entryCount(of: table) } == stored + 1)
        environment.close()
    }

    private func run(_ program: String, _ arguments: String...) throws -> Int32 {
        guard FileManager.default.isExecutableFile(atPath: program) else { return -1 }
        let process = SpawnedProcess()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test("A flush that fails stops writing until a reopen")
    func aFlushThatFailsStopsWritingUntilAReopen() throws {
        let folder = TemporaryFolder()
        let open = "open \(folder.file("store"))"
        let child = try ChildProcess()
        guard try child.ask("record \(folder.path)") == "ok" else {
            print("Skipped: faults cannot be injected here.")
            return
        }
        try #expect(child.ask(open) == "ok")
        try #expect(child.ask("set a 1") == "ok")
        try #expect(child.ask("fail-flush 1") == "ok")
        try #expect(child.ask("set a 2") == "error commitFailed")
        // The next flush would succeed, but is not tried.
        let flushes = try child.ask("flushes")
        #expect(flushes != "0")
        for _ in 0..<3 { try #expect(child.ask("set a 3") == "error writingStopped") }
        try #expect(child.ask("flushes") == flushes)
        try #expect(child.ask("get a") == "value 1")
        try #expect(child.ask(open) == "ok")
        try #expect(child.ask("get a") == "value 1")
        try #expect(child.ask("set a 4") == "ok")
        try #expect(child.ask("get a") == "value 4")
    }

    @Test("A meta page that cannot be written makes the commit unknown and stops writing")
    func aMetaPageThatCannotBeWrittenLeavesItOpenAndStopsWriting() throws {
        let folder = TemporaryFolder()
        let open = "open-direct \(folder.file("store"))"
        let child = try ChildProcess()
        guard try child.ask("record \(folder.path)") == "ok" else { return }
        try #expect(child.ask(open) == "ok")
        try #expect(child.ask("set a 1") == "ok")
        try #expect(child.ask("fail-meta 1") == "ok")
        try #expect(child.ask("set a 2") == "error commitUnknown")
        try #expect(child.ask("set a 3") == "error writingStopped")
        try #expect(child.ask(open) == "ok")
        try #expect(child.ask("get a") == "value 1")
        try #expect(child.ask("set a 4") == "ok")
    }

    @Test("A creation whose flush fails leaves nothing")
    func aCreationWhoseFlushFailsLeavesNothing() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        guard try child.ask("record \(folder.path)") == "ok" else { return }
        try #expect(child.ask("open \(folder.file("first"))") == "ok")
        try #expect(child.ask("fail-flush 1") == "ok")
        try #expect(child.ask("open \(folder.file("second"))")?.hasPrefix("error") == true)
        #expect(folder.names == ["first"])
        try #expect(child.ask("open \(folder.file("second"))") == "ok")
    }

    @Test("A map without free address space keeps its size")
    func aMapThatFindsNoAddressesKeepsItsSize() throws {
        let folder = TemporaryFolder()
        let child = try ChildProcess()
        try #expect(child.ask("open \(folder.file("store"))") == "ok")
        try #expect(child.ask("set a 1") == "ok")
        // Too little for any new map: everything that the process has is there already.
        try #expect(child.ask("limit-address-space 1000000") == "ok")
        guard let refused = try child.ask("put large 2000000") else {
            print("Skipped: this build's own memory needs more addresses (a sanitizer's).")
            return
        }
        #expect(refused == "error mapFull")
        try #expect(child.ask("get a") == "value 1")
        try #expect(child.ask("set a 2") == "ok")
        try #expect(child.ask("limit-address-space -1") == "ok")
        try #expect(child.ask("put large 5000000") == "ok")
    }
}
