#if os(Linux)
    import Foundation
    import KeyValue
    import TestSupport
    import Testing

    /// What the system does when processes and threads die, as far as the store relies on it.
    struct ProcessFactTests {
        @Test("A record lock outlives the thread that took it, and ends with its process")
        func recordLocks() throws {
            let folder = TemporaryFolder()
            let file = folder.file("lock")
            #expect(FileManager.default.createFile(atPath: file, contents: Data([0])))
            let other = try ChildProcess()
            try #expect(other.ask("lock-on-thread \(file)") == "locked")
            #expect(other.answer() == "ok")
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(lockf(descriptor, F_TLOCK, 1) != 0)
            other.kill()
            #expect(lockf(descriptor, F_TLOCK, 1) == 0)
        }

        @Test("A thread that ends inside a write transaction leaves the store to the next process that writes")
        func writersMutex() async throws {
            let store = try TestStore()
            try await store.put([1], [1])
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            try #expect(other.ask("abandon-write") == "holding")
            try await store.put([2], [2])
            try await store.put([3], [3])
            try #expect(store.contents() == [[1]: [1], [2]: [2], [3]: [3]])
            try #expect(store.environment.pageProblems().all.isEmpty)
        }

        @Test("The meta page of a killed process is written completely or not at all")
        func metaPage() throws {
            let folder = TemporaryFolder()
            let file = folder.file("data")
            #expect(FileManager.default.createFile(atPath: file, contents: Data(repeating: 0, count: 8192)))
            var dice = Dice(1)
            for _ in 0..<30 {
                let other = try ChildProcess()
                try #expect(other.ask("scribble \(file)") == "writing")
                for _ in 0..<dice.below(200) { sched_yield() }
                other.kill()
                let bytes = try Data(contentsOf: URL(fileURLWithPath: file))[4096 + 32..<4096 + 32 + 120]
                #expect(Set(bytes).count == 1)
            }
        }
    }
#endif
