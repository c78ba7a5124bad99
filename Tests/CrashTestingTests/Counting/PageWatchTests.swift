import CDiskLog
import Foundation
import TestSupport
import Testing

@testable import CrashTesting

/// The pages that the handler below was called for.
nonisolated(unsafe) private var faults: [UInt] = []

/// Whether that handler is in use. The watch may still pass faults on to it later; those end the process.
nonisolated(unsafe) private var handlesFaults = false

extension WithDiskLog {
    /// Tests the watch itself on plain files.
    @Suite struct PageWatchTests {
        static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        static let pageCount = 10

        let folder: RecordedFolder
        let map: UnsafeMutableRawPointer

        init() throws {
            folder = try RecordedFolder()
            map = try Self.map(folder.create("file"))
        }

        private static func map(_ descriptor: Int32) throws -> UnsafeMutableRawPointer {
            #expect(ftruncate(descriptor, off_t(pageCount * pageSize)) == 0)
            let map = mmap(nil, pageCount * pageSize, PROT_READ, MAP_SHARED, descriptor, 0)
            try #require(map != MAP_FAILED)
            return try #require(map)
        }

        private func look(_ page: Int, _ offset: Int = 0) -> UInt8 {
            map.load(fromByteOffset: page * Self.pageSize + offset, as: UInt8.self)
        }

        private func begin(pageSize: Int = Self.pageSize, from first: Int = 0) -> Int32 {
            disk_log_watch_pages_begin(folder.file("file"), pageSize, first)
        }

        private func count() throws -> UInt64 {
            var count: UInt64 = 0
            let code = disk_log_watch_pages_end(&count)
            #expect(code == 0)
            return count
        }

        @Test("Each page counts once, however often it is read")
        func pages() throws {
            #expect(begin() == 0)
            #expect(look(1) + look(1, 5) + look(9, 4095) + look(0) + look(1) == 0)
            try #expect(count() == 3)
            #expect(look(4) == 0)
            #expect(begin() == 0)
            try #expect(count() == 0)
        }

        @Test("Threads that read the same pages concurrently succeed, and each page counts once")
        func threads() throws {
            let map = UInt(bitPattern: map)
            for _ in 0..<TestBudget.count(10, long: 50) {
                #expect(begin() == 0)
                DispatchQueue.concurrentPerform(iterations: 8) { _ in
                    for page in 0..<Self.pageCount {
                        let place = UnsafeRawPointer(bitPattern: map + UInt(page * Self.pageSize))
                        if place?.load(as: UInt8.self) != 0 { abort() }
                    }
                }
                try #expect(count() == UInt64(Self.pageCount))
            }
        }

        @Test("Pages before the first are excluded, and larger page sizes are supported")
        func choice() throws {
            #expect(begin(from: 2) == 0)
            #expect(look(0) + look(1) + look(2) + look(5) == 0)
            try #expect(count() == 2)
            #expect(begin(pageSize: 2 * Self.pageSize) == 0)
            #expect(look(0) + look(1) + look(2) == 0)
            try #expect(count() == 2)
        }

        @Test("Pages smaller than the system's, files without a map and a second file are refused")
        func refusals() throws {
            #expect(begin(pageSize: Self.pageSize / 2) == ENOTSUP)
            #expect(begin(pageSize: Self.pageSize + 1) == ENOTSUP)
            #expect(disk_log_watch_pages_begin(folder.file("none"), Self.pageSize, 0) == ENOENT)
            let other = folder.create("other")
            #expect(disk_log_watch_pages_begin(folder.file("other"), Self.pageSize, 0) == ENOENT)
            let otherMap = try Self.map(other)
            #expect(begin() == 0)
            #expect(disk_log_watch_pages_begin(folder.file("other"), Self.pageSize, 0) == EBUSY)
            #expect(otherMap.load(as: UInt8.self) == 0)
            try #expect(count() == 0)
            close(other)
            #expect(disk_log_watch_pages_begin(folder.file("other"), Self.pageSize, 0) == ENOENT)
            var count: UInt64 = 0
            #expect(disk_log_watch_pages_end(&count) == ENOENT)
        }

        /// Installs a handler that makes pages readable and writable.
        private func withOtherHandler(_ body: () throws -> Void) throws {
            faults = []
            handlesFaults = true
            defer { handlesFaults = false }
            var before = sigaction()
            var action = sigaction()
            action.sa_flags = SA_SIGINFO
            action.__sigaction_handler.sa_sigaction = { _, information, _ in
                guard handlesFaults, let address = information?.pointee._sifields._sigfault.si_addr else {
                    signal(SIGSEGV, SIG_DFL)
                    return
                }
                let page = UInt(bitPattern: address) & ~UInt(PageWatchTests.pageSize - 1)
                faults.append(page)
                mprotect(UnsafeMutableRawPointer(bitPattern: page), PageWatchTests.pageSize, PROT_READ | PROT_WRITE)
            }
            #expect(sigaction(SIGSEGV, &action, &before) == 0)
            defer { sigaction(SIGSEGV, &before, nil) }
            try body()
        }

        @Test("Faults elsewhere and writes into the map are passed to the previous handler")
        func otherFaults() throws {
            let elsewhere = try #require(
                mmap(nil, Self.pageSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
            defer { munmap(elsewhere, Self.pageSize) }
            try withOtherHandler {
                #expect(begin() == 0)
                #expect(elsewhere.load(as: UInt8.self) == 0)
                #expect(faults == [UInt(bitPattern: elsewhere)])
                #expect(look(2) == 0)
                #expect(faults.count == 1)
                map.storeBytes(of: 7, toByteOffset: 3 * Self.pageSize, as: UInt8.self)
                #expect(faults == [UInt(bitPattern: elsewhere), UInt(bitPattern: map) + 3 * UInt(Self.pageSize)])
                #expect(look(3) == 7)
                try #expect(count() == 2)
            }
        }
    }
}
