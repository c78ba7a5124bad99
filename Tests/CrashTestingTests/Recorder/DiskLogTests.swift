import CDiskLog
import DiskRecording
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

@Suite struct DiskCallTests {
    @Test("A call that returned a negative value has failed")
    func failure() {
        #expect(DiskCall(kind: .flush, result: -1, error: 5).hasFailed)
        #expect(!DiskCall(kind: .write, result: 120).hasFailed)
    }
}

extension WithDiskLog {
    @Suite struct DiskLogTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        @Test("Calls on files below the folder are logged in order, with bytes and offsets")
        func order() throws {
            let descriptor = folder.create("file")
            #expect(descriptor >= 0)
            #expect(pwrite(descriptor, [1, 2, 3] as [UInt8], 3, 10) == 3)
            #expect(fdatasync(descriptor) == 0)
            #expect(ftruncate(descriptor, 5) == 0)
            #expect(fallocate(descriptor, 0, 100, 20) == 0)
            #expect(fsync(descriptor) == 0)
            #expect(close(descriptor) == 0)
            let calls = try folder.calls
            #expect(calls.map(\.kind) == [.open, .write, .flushData, .resize, .allocate, .flush, .close])
            #expect(calls.allSatisfy { $0.file == 1 && $0.process == getpid() && $0.error == 0 })
            #expect(calls[0].path == "file")
            #expect(Int32(bitPattern: calls[0].flags) & O_CREAT != 0)
            #expect((calls[1].offset, calls[1].length, calls[1].result) == (10, 3, 3))
            #expect(calls[1].bytes == [1, 2, 3])
            #expect(!calls[1].isSynchronous)
            #expect(calls[3].offset == 5)
            #expect((calls[4].offset, calls[4].length) == (100, 20))
            try #expect(Data(contentsOf: URL(fileURLWithPath: folder.file("file"))).count == 120)
        }

        @Test("Each opening has its own number")
        func openings() throws {
            let first = folder.create("file")
            let second = folder.create("file")
            _ = pwrite(first, [1] as [UInt8], 1, 0)
            _ = pwrite(second, [2] as [UInt8], 1, 0)
            close(first)
            let third = folder.create("other")
            #expect(third == first)
            _ = pwrite(third, [3] as [UInt8], 1, 0)
            close(second)
            close(third)
            #expect(try folder.calls(.open).map(\.file) == [1, 2, 3])
            #expect(try folder.calls(.write).map(\.file) == [1, 2, 3])
            #expect(try folder.calls(.close).map(\.file) == [1, 2, 3])
        }

        @Test("A folder is opened and flushed like a file; the recorded folder has the empty path")
        func folders() throws {
            #expect(mkdir(folder.file("inner"), 0o700) == 0)
            for name in ["", "inner"] {
                let descriptor = open(folder.file(name), O_RDONLY | O_DIRECTORY)
                #expect(fsync(descriptor) == 0)
                close(descriptor)
            }
            #expect(try folder.calls(.open).map(\.path) == ["", "inner"])
            #expect(try folder.calls(.flush).map(\.file) == [1, 2])
        }

        @Test("Calls elsewhere, and calls without a recording, are not logged")
        func elsewhere() throws {
            let other = "\(folder.path)-other"
            let descriptor = open(other, O_RDWR | O_CREAT, 0o600)
            #expect(write(descriptor, [1] as [UInt8], 1) == 1)
            #expect(fsync(descriptor) == 0)
            close(descriptor)
            #expect(unlink(other) == 0)
            try #expect(folder.calls.isEmpty)

            DiskLog.end()
            let unrecorded = folder.create("file")
            #expect(write(unrecorded, [1, 2] as [UInt8], 2) == 2)
            close(unrecorded)
            #expect(rename(folder.file("file"), folder.file("renamed")) == 0)
            DiskLog.note(kind: 1, value: 1)
            try #expect(DiskLog.entries().isEmpty)
            try #expect(Data(contentsOf: URL(fileURLWithPath: folder.file("renamed"))) == Data([1, 2]))
        }

        @Test("A file that was opened before the recording is not followed, and the next recording begins empty")
        func recordings() throws {
            let descriptor = folder.create("file")
            #expect(throws: CrashLabError.recordingRefused(folder: folder.path, code: EBUSY)) {
                try DiskLog.begin(folder: folder.path)
            }
            DiskLog.end()
            #expect(try folder.calls(.open).count == 1)
            try DiskLog.begin(folder: folder.path)
            #expect(write(descriptor, [1] as [UInt8], 1) == 1)
            close(descriptor)
            try #expect(DiskLog.entries().isEmpty)
            close(folder.create("file"))
            #expect(try folder.calls.map(\.file) == [1, 1])
        }

        @Test("Recording a folder that does not exist is refused")
        func missingFolder() {
            DiskLog.end()
            let missing = folder.file("missing")
            #expect(throws: CrashLabError.recordingRefused(folder: missing, code: ENOENT)) {
                try DiskLog.begin(folder: missing)
            }
        }

        @Test("A descriptor that was closed without a recorded call and reused is not mistaken for the old file")
        func closedUnseen() throws {
            let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
            closedir(fdopendir(descriptor))
            let other = open("/dev/null", O_WRONLY)
            #expect(other == descriptor)
            #expect(write(other, [1] as [UInt8], 1) == 1)
            close(other)
            try #expect(folder.calls.map(\.kind) == [.open])
        }

        // MARK: errno

        @Test("The recorder preserves errno")
        func errorNumber() throws {
            errno = 77
            let descriptor = folder.create("file")
            #expect(errno == 77)
            #expect(pwrite(descriptor, [1] as [UInt8], 1, 0) == 1 && errno == 77)
            #expect(fdatasync(descriptor) == 0 && errno == 77)
            #expect(mkdir(folder.file("made"), 0o700) == 0 && errno == 77)
            #expect(rename(folder.file("made"), folder.file("moved")) == 0 && errno == 77)
            #expect(close(descriptor) == 0 && errno == 77)
            let elsewhere = open("/dev/null", O_WRONLY)
            #expect(errno == 77)
            #expect(write(elsewhere, [1] as [UInt8], 1) == 1 && errno == 77)
            #expect(close(elsewhere) == 0 && errno == 77)

            #expect(open(folder.file("missing"), O_RDONLY) == -1 && errno == ENOENT)
            #expect(open("\(folder.path)-missing", O_RDONLY) == -1 && errno == ENOENT)
            #expect(rmdir(folder.file("file")) == -1 && errno == ENOTDIR)
            let failed = try folder.calls.filter(\.hasFailed)
            #expect(failed.map(\.kind) == [.open, .removeFolder])
            #expect(failed.map(\.error) == [ENOENT, ENOTDIR])
            #expect(failed.map(\.path) == ["missing", "file"])
        }

        // MARK: Writes

        @Test(
            "The descriptor determines whether a write is durable when it returns", arguments: [O_DSYNC, O_SYNC, 0])
        func synchronous(flag: Int32) throws {
            let descriptor = folder.create("file", flags: O_WRONLY | flag)
            #expect(write(descriptor, [1] as [UInt8], 1) == 1)
            close(descriptor)
            #expect(try folder.calls(.write).map(\.isSynchronous) == [flag != 0])
        }

        @Test(
            "Positioned, vectored and appending writes are logged with their offset in the file")
        func positions() throws {
            let descriptor = folder.create("file")
            #expect(write(descriptor, [1, 2, 3, 4] as [UInt8], 4) == 4)
            #expect(write(descriptor, [5] as [UInt8], 1) == 1)
            #expect(lseek(descriptor, 2, SEEK_SET) == 2)
            #expect(gathered([[6, 7], [], [8]]) { writev(descriptor, $0, 3) } == 3)
            #expect(gathered([[9], [10]]) { pwritev(descriptor, $0, 2, 20) } == 2)
            #expect(pwrite(descriptor, [11] as [UInt8], 1, 5000) == 1)
            #expect(lseek(descriptor, 0, SEEK_CUR) == 5)
            close(descriptor)
            let appending = folder.create("file", flags: O_WRONLY | O_APPEND)
            #expect(write(appending, [12, 13] as [UInt8], 2) == 2)
            close(appending)
            let writes = try folder.calls(.write)
            #expect(writes.map(\.offset) == [0, 4, 2, 20, 5000, 5001])
            #expect(writes.map(\.bytes) == [[1, 2, 3, 4], [5], [6, 7, 8], [9, 10], [11], [12, 13]])
            #expect(writes.allSatisfy { $0.length == $0.bytes.count && $0.result == Int64($0.length) })
            try #expect(
                contents(of: writes) == [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file("file")))))
        }

        /// Returns the file that the writes produce.
        private func contents(of writes: [DiskCall]) -> [UInt8] {
            var contents: [UInt8] = []
            for write in writes {
                let end = write.offset + write.bytes.count
                contents += [UInt8](repeating: 0, count: max(0, end - contents.count))
                contents.replaceSubrange(write.offset..<end, with: write.bytes)
            }
            return contents
        }

        private func gathered(_ parts: [[UInt8]], _ work: ([iovec]) -> Int) -> Int {
            let buffers = parts.map { part in
                let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: part.count)
                _ = buffer.initialize(from: part)
                return buffer
            }
            defer { buffers.forEach { $0.deallocate() } }
            return work(buffers.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) })
        }

        // MARK: Maps

        @Test("Maps of files are logged, other maps are not")
        func maps() throws {
            let descriptor = folder.create("file")
            #expect(ftruncate(descriptor, 8192) == 0)
            let map = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            let other = mmap(nil, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            #expect(map != MAP_FAILED && other != MAP_FAILED)
            #expect(msync(map, 8192, MS_SYNC) == 0)
            munmap(map, 8192)
            munmap(other, 4096)
            close(descriptor)
            let calls = try folder.calls
            #expect(calls.map(\.kind) == [.open, .resize, .map, .flushMap, .close])
            #expect((calls[2].file, calls[2].length, calls[2].result) == (1, 8192, 0))
        }

        // MARK: LMDB

        @Test("A commit of LMDB is data, a flush, and one synchronous write of 120 bytes to page 0 or 1")
        func commit() async throws {
            let environment = try Environment.open(
                at: folder.file("store"), creatingWith: NewStoreContent(tables: ["main"]))
            let table = try environment.openTables(["main"])[0]
            // The first write of an environment reads LMDB's lists as well.
            try await environment.write { try $0.put([1].span.bytes, [1].span.bytes, in: table) }
            let before = try folder.calls.count
            let transaction = environment.statistics.lastTransaction + 1
            try await environment.write {
                try $0.put(Array("key".utf8).span.bytes, [UInt8](repeating: 7, count: 10_000).span.bytes, in: table)
            }
            let calls = try Array(folder.calls.dropFirst(before))
            environment.close()
            let flush = try #require(calls.firstIndex { $0.kind == .flushData })
            #expect(flush > 0)
            #expect(calls[..<flush].allSatisfy { $0.kind == .write && !$0.isSynchronous && !$0.hasFailed })
            #expect(calls[..<flush].contains { $0.bytes.count > 10_000 })
            let after = Array(calls[(flush + 1)...])
            try #require(after.map(\.kind) == [.write])
            #expect(after[0].isSynchronous)
            #expect(after[0].bytes.count == 120)
            #expect(after[0].offset == 32 + 4096 * Int(transaction & 1))
        }
    }
}
