import DiskRecording
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    @Suite struct DiskFaultTests {
        let folder: RecordedFolder
        let file: Int32
        let synchronousFile: Int32

        init() throws {
            folder = try RecordedFolder()
            file = folder.create("file")
            synchronousFile = folder.create("file", flags: O_WRONLY | O_DSYNC)
        }

        /// Returns which of twelve flushes fail.
        private func failures(_ fault: DiskFault) -> [Int] {
            DiskLog.setFault(fault)
            return (1...12).filter { _ in
                errno = 0
                return fdatasync(file) == -1 && errno == fault.error
            }
        }

        @Test(
            "The first failing call and the number of failures can be chosen", arguments: [1, 2, 7, 12, 13], [0, 1, 3])
        func numbers(first: Int, count: Int) throws {
            let failed = failures(DiskFault(kind: .flushData, first: first, count: count, error: EIO))
            #expect(failed == (1...12).filter { $0 >= first && (count == 0 || $0 < first + count) })
            #expect(DiskLog.faultMatchCount == 12)
            #expect(DiskLog.faultHitCount == failed.count)
            let flushes = try folder.calls(.flushData)
            #expect(flushes.indices.filter { flushes[$0].hasFailed }.map { $0 + 1 } == failed)
            #expect(flushes.filter(\.hasFailed).allSatisfy { $0.error == EIO })
        }

        @Test("A new fault replaces the previous one, and clearing it or beginning a recording removes it")
        func replacing() throws {
            DiskLog.setFault(DiskFault(kind: .flushData, count: 0, error: EIO))
            #expect(fdatasync(file) == -1)
            #expect(fsync(file) == 0)
            DiskLog.setFault(DiskFault(kind: .flush, count: 0, error: ENOSPC))
            #expect(DiskLog.faultMatchCount == 0)
            #expect(fdatasync(file) == 0)
            #expect(fsync(file) == -1 && errno == ENOSPC)
            DiskLog.clearFault()
            #expect(fsync(file) == 0)
            DiskLog.setFault(DiskFault(kind: .makeFolder, count: 0, error: ENOSPC))
            DiskLog.end()
            #expect(mkdir(folder.file("a"), 0o700) == 0)
            try DiskLog.begin(folder: folder.path)
            #expect(mkdir(folder.file("b"), 0o700) == 0)
        }

        @Test("Only calls on the recorded folder fail")
        func elsewhere() {
            DiskLog.setFault(DiskFault(kind: .makeFolder, count: 0, error: ENOSPC))
            let other = "\(folder.path)-other"
            #expect(mkdir(other, 0o700) == 0)
            #expect(rmdir(other) == 0)
            #expect(DiskLog.faultMatchCount == 0)
        }

        @Test("A failing call is not made")
        func notMade() throws {
            DiskLog.setFault(DiskFault(kind: .write, error: ENOSPC))
            #expect(pwrite(file, [1, 2] as [UInt8], 2, 0) == -1 && errno == ENOSPC)
            #expect(size() == 0)
            let call = try #require(try folder.calls(.write).first)
            #expect((call.bytes, call.length, call.result, call.error) == ([], 2, -1, ENOSPC))
            for kind in [DiskCall.Kind.open, .remove, .rename, .resize, .close] {
                DiskLog.setFault(DiskFault(kind: kind, error: EMFILE))
                let result =
                    switch kind {
                    case .open: open(folder.file("new"), O_RDWR | O_CREAT, 0o600)
                    case .remove: unlink(folder.file("file"))
                    case .rename: rename(folder.file("file"), folder.file("new"))
                    case .resize: ftruncate(file, 9)
                    default: close(file)
                    }
                #expect(result == -1 && errno == EMFILE, "\(kind)")
                #expect(access(folder.file("file"), F_OK) == 0 && access(folder.file("new"), F_OK) != 0, "\(kind)")
                #expect(size() == 0)
            }
        }

        @Test("A call can be made and still report failure")
        func failsAfter() throws {
            DiskLog.setFault(DiskFault(kind: .write, effect: .failsAfter, error: EIO))
            #expect(pwrite(file, [1, 2] as [UInt8], 2, 3) == -1 && errno == EIO)
            #expect(size() == 5)
            let call = try #require(try folder.calls(.write).first)
            #expect((call.bytes, call.offset, call.result, call.error) == ([1, 2], 3, -1, EIO))
            DiskLog.setFault(DiskFault(kind: .open, effect: .failsAfter, error: EIO))
            let next = nextDescriptor()
            #expect(folder.create("new") == -1 && errno == EIO)
            #expect(access(folder.file("new"), F_OK) == 0)
            #expect(nextDescriptor() == next)
        }

        @Test("A short write writes the first half", arguments: [0, 1, 2, 3, 10])
        func short(length: Int) throws {
            DiskLog.setFault(DiskFault(kind: .write, effect: .writesShort, count: 3, error: 0))
            let bytes = (0..<length).map { UInt8($0 + 1) }
            #expect(pwrite(file, bytes, length, 0) == length / 2)
            #expect(write(file, bytes, length) == length / 2)
            let written = bytes.withUnsafeBytes { buffer in
                let start = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
                let cut = min(3, length)
                let parts = [
                    iovec(iov_base: start, iov_len: cut),
                    iovec(iov_base: start.map { $0 + cut }, iov_len: length - cut),
                ]
                return writev(file, parts, 2)
            }
            #expect(written == length / 2)
            #expect(size() == length / 2 * 2)
            let writes = try folder.calls(.write)
            #expect(writes.map(\.offset) == [0, 0, length / 2])
            #expect(writes.allSatisfy { $0.bytes == Array(bytes.prefix(length / 2)) && $0.length == length })
            #expect(DiskLog.faultHitCount == 3)
            #expect(fsync(file) == 0)
        }

        @Test("Faults can be limited to synchronous writes, to other writes, and to opens for writing")
        func limits() {
            DiskLog.setFault(DiskFault(kind: .write, count: 0, error: EIO, only: .synchronousOrWriting))
            #expect(pwrite(file, [1] as [UInt8], 1, 0) == 1)
            #expect(pwrite(synchronousFile, [1] as [UInt8], 1, 0) == -1)
            #expect(DiskLog.faultMatchCount == 1)
            DiskLog.setFault(DiskFault(kind: .write, count: 0, error: EIO, only: .others))
            #expect(pwrite(file, [1] as [UInt8], 1, 0) == -1)
            #expect(pwrite(synchronousFile, [1] as [UInt8], 1, 0) == 1)
            DiskLog.setFault(DiskFault(kind: .open, count: 0, error: EMFILE, only: .synchronousOrWriting))
            #expect(folder.create("new") == -1 && errno == EMFILE)
            close(open(folder.file("file"), O_RDONLY))
            #expect(DiskLog.faultMatchCount == 1)
        }

        @Test("A map can be refused, or made and still report failure")
        func maps() {
            for effect in [DiskFault.Effect.fails, .failsAfter] {
                DiskLog.setFault(DiskFault(kind: .map, effect: effect, error: ENOMEM))
                #expect(mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED && errno == ENOMEM)
            }
        }

        @Test("Calls of child processes and of LMDB are matched, too")
        func lmdb() async throws {
            let environment = try Environment.open(
                at: folder.file("store"), creatingWith: NewStoreContent(tables: ["main"]))
            defer { environment.close() }
            let table = try environment.openTables(["main"])[0]
            DiskLog.setFault(DiskFault(kind: .flushData, first: 2, error: EIO))
            let file = file
            let child = try DiskLog.fork()
            if child == 0 {
                limitChild()
                _exit(fdatasync(file) == 0 ? 0 : 1)
            }
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            #expect(status == 0 && DiskLog.faultMatchCount == 1)
            await #expect(throws: KeyValueError.commitFailed(code: EIO)) {
                try await environment.write { try $0.put([1].span.bytes, [2].span.bytes, in: table) }
            }
            #expect(DiskLog.faultHitCount == 1)
        }

        private func size() -> Int {
            var status = stat()
            return fstat(file, &status) == 0 ? Int(status.st_size) : -1
        }

        private func nextDescriptor() -> Int32 {
            let descriptor = dup(0)
            close(descriptor)
            return descriptor
        }
    }
}
