#if os(Linux)
    import Foundation
    import Testing

    @testable import KeyValue

    /// Processes of several PID namespaces on one store, as in containers that share a volume: each is process 1 of its own.
    @Suite(.timeLimit(.minutes(15)), .enabled(if: Namespaces.areAvailable)) struct NamespaceTests {
        private let store: TestStore
        private let wrapper: [String]

        init() throws {
            store = try TestStore()
            wrapper = try #require(Namespaces.wrapper)
        }

        @Test("A process of another PID namespace only reads while the store is open, and writes afterwards [S-71]")
        func refused() async throws {
            let container = try ChildProcess(startedBy: wrapper)
            for _ in 0..<2 { try #expect(container.ask("open \(store.path)") == "error otherNamespace") }
            try await store.put(bytes("key"), bytes("value"))
            // Reading works without the lock file.
            try #expect(container.ask("open-read-only \(store.path)") == "ok")
            try #expect(container.ask("get key") == "value value")
            try #expect(container.ask("close") == "ok")
            store.environment.close()
            try #expect(container.ask("open \(store.path)") == "ok")
            try #expect(container.ask("get key") == "value value")
            try #expect(container.ask("set key new") == "ok")
            #expect(throws: KeyValueError.otherNamespace(path: store.path)) { try Environment.open(at: store.path) }
            try #expect(container.ask("close") == "ok")
            let again = try Environment.open(at: store.path)
            again.close()
        }

        @Test("Of two processes with the same id in two namespaces, the second works once the first was killed [S-71]")
        func sameIdentifiers() throws {
            store.environment.close()
            let (first, second) = (try ChildProcess(startedBy: wrapper), try ChildProcess(startedBy: wrapper))
            try #expect(first.ask("identify") == second.ask("identify"))
            try #expect(first.ask("open \(store.path)") == "ok")
            try #expect(second.ask("open \(store.path)") == "error otherNamespace")
            try #expect(first.ask("set key acknowledged") == "ok")
            // LMDB's lock file would take the reader for the other process.
            try #expect(second.ask("open-read-only \(store.path)") == "ok")
            try #expect(second.ask("get key") == "value acknowledged")
            try #expect(second.ask("close") == "ok")
            first.kill()
            // The kernel ends the namespace's processes after its first one, which `unshare` does not wait for.
            var answer = try second.ask("open \(store.path)")
            while answer == "error otherNamespace" { answer = try second.ask("open \(store.path)") }
            #expect(answer == "ok")
            try #expect(second.ask("get key") == "value acknowledged")
        }

        @Test("A refusal names what to do and is not retried [S-71]")
        func refusal() throws {
            let error = KeyValueError.otherNamespace(path: store.path)
            #expect(error.description.contains("one container at a time"))
            #expect(!error.isWorthRetrying)
        }

        @Test("Processes of one namespace share a store, also after a compaction and after others have left [S-71]")
        func oneNamespace() throws {
            let (container, neighbor) = (try ChildProcess(startedBy: wrapper), try ChildProcess())
            try #expect(neighbor.ask("open \(store.path)") == "ok")
            try store.environment.compact()
            try #expect(neighbor.ask("set key value") == "ok")
            try #expect(container.ask("open \(store.path)") == "error otherNamespace")
            store.environment.close()
            try #expect(container.ask("open \(store.path)") == "error otherNamespace")
            try #expect(neighbor.ask("close") == "ok")
            try #expect(container.ask("open \(store.path)") == "ok")
        }

        @Test("A process that cannot look up its namespace has a store only alone [S-71]")
        func unknownNamespace() throws {
            let unknown = try #require(Namespaces.wrapperWithoutNamespace)
            let (first, second) = (try ChildProcess(startedBy: unknown), try ChildProcess(startedBy: unknown))
            try #expect(first.ask("open \(store.path)") == "error otherNamespace")
            store.environment.close()
            try #expect(first.ask("open \(store.path)") == "ok")
            try #expect(first.ask("set key value") == "ok")
            try #expect(second.ask("open \(store.path)") == "error otherNamespace")
            #expect(throws: KeyValueError.otherNamespace(path: store.path)) { try Environment.open(at: store.path) }
            try #expect(first.ask("close") == "ok")
            try #expect(second.ask("open \(store.path)") == "ok")
        }

        @Test("Without the check, a process of another namespace is not refused (negative control) [S-71]")
        func control() throws {
            let container = try ChildProcess(startedBy: wrapper)
            try #expect(container.ask("arm ignoresNamespaces") == "ok")
            try #expect(container.ask("open \(store.path)") == "ok")
        }

        @Test("A forked child is of its own namespace, and does not keep its parent's presence [S-71]")
        func forked() throws {
            let number = try #require(PIDNamespace.current)
            var information = stat()
            #expect(stat("/proc/self/ns/pid", &information) == 0 && UInt64(number) == UInt64(information.st_ino))
            let parent = try ChildProcess()
            store.environment.close()
            try #expect(parent.ask("open \(store.path)") == "ok")
            try #expect(parent.ask("fork-idle") == "ok")
            try #expect(parent.ask("close") == "ok")
            let container = try ChildProcess(startedBy: wrapper)
            try #expect(container.ask("open \(store.path)") == "ok")
        }
    }
#endif
