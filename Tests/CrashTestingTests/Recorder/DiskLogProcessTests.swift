import CDiskLog
import DiskRecording
import Foundation
import KeyValue
import TestSupport
import Testing

@testable import CrashTesting

extension WithDiskLog {
    /// Marks, and the calls of several processes in one log.
    @Suite struct DiskLogProcessTests {
        let folder: RecordedFolder

        init() throws {
            folder = try RecordedFolder()
        }

        @Test("Marks are logged between the calls")
        func marks() throws {
            DiskLog.note(kind: 3, value: -4)
            let descriptor = folder.create("file")
            DiskLog.note(kind: 5, value: 6)
            close(descriptor)
            let entries = try DiskLog.entries()
            #expect(entries.count == 4)
            #expect(entries[0] == .mark(kind: 3, value: -4, process: getpid()))
            #expect(entries[2] == .mark(kind: 5, value: 6, process: getpid()))
        }

        @Test("A child's calls are in the same log, also through an inherited descriptor")
        func child() throws {
            let shared = folder.create("shared")
            let path = folder.file("made").utf8CString.map { $0 }
            let child = try DiskLog.fork()
            if child == 0 {
                limitChild()
                let done = mkdir(path, 0o700) == 0 && write(shared, path, 4) == 4
                _exit(done ? 0 : 1)
            }
            #expect(ending(of: child) == 0)
            #expect(write(shared, [1, 2] as [UInt8], 2) == 2)
            close(shared)
            let calls = try folder.calls
            #expect(calls.map(\.kind) == [.open, .makeFolder, .write, .write, .close])
            #expect(calls.map(\.process) == [getpid(), child, child, getpid(), getpid()])
            #expect(calls[2...3].map(\.offset) == [0, 4])
            #expect(calls[2...3].map(\.file) == [1, 1])
        }

        @Test("A detached child is not recorded and can record for itself")
        func leaving() throws {
            let (folderPath, path) = (
                folder.path.utf8CString.map { $0 }, folder.file("made").utf8CString.map { $0 }
            )
            let child = try DiskLog.fork()
            if child == 0 {
                limitChild()
                DiskLog.detach()
                guard mkdir(path, 0o700) == 0, recordsItself(folderPath) else { _exit(1) }
                _exit(rmdir(path) == 0 && logLength() == 1 ? 0 : 2)
            }
            #expect(ending(of: child) == 0)
            try #expect(folder.calls.isEmpty)
        }

        @Test("Children killed during their calls do not block others")
        func killedChildren() throws {
            let descriptor = folder.create("file")
            for round in 0..<30 {
                let child = try DiskLog.fork()
                if child == 0 { while true { _ = pwrite(descriptor, [1] as [UInt8], 1, 0) } }
                for _ in 0...(round * 20) { #expect(pwrite(descriptor, [2] as [UInt8], 1, 0) == 1) }
                kill(child, SIGKILL)
                #expect(ending(of: child) == SIGKILL)
                #expect(pwrite(descriptor, [3] as [UInt8], 1, 0) == 1)
            }
            #expect(try folder.calls.last?.bytes == [3])
            close(descriptor)
        }

        private func recordsItself(_ folder: [CChar]) -> Bool { disk_log_begin(folder) == 0 }

        private func logLength() -> Int {
            var (count, cursor, entry) = (0, UInt64(0), disk_log_entry())
            while disk_log_next(&cursor, &entry) { count += 1 }
            return count
        }

        private func ending(of child: Int32) -> Int32 {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}
