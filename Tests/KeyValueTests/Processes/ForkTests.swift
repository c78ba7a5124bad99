#if os(Linux)
    import Foundation
    import KeyValue
    import TestSupport
    import Testing

    /// The child of a fork and the stores that its parent has open. Each test forks in a separate process, where no
    /// other test's thread can hold a lock at that moment, and goes through everything that a child does before: what
    /// Swift's runtime looks up for the first time, it looks up under a lock, which a thread of the test library's may
    /// hold at the moment of the fork. For the same reason a child uses none of the test's macros.
    @Suite(.timeLimit(.minutes(15))) struct ForkTests {
        @Test("A child opens the store that its parent has open, and both see what the other commits")
        func writesByTurns() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                let store = try TestStore()
                for round in 0..<30 as Range<UInt8> {
                    try await store.put([0, round], [round])
                    let code = runForked {
                        let environment = try Environment.open(at: store.path)
                        let table = try environment.openTables(["main"])[0]
                        guard environment !== store.environment,
                            try environment.read({ try $0.value(of: [0, round], in: table) }) == [round]
                        else { return 2 }
                        try environment.write { try $0.put([1, round], [round], in: table) }
                        return 0
                    }
                    try #require(code == 0)
                    try #expect(store.value(of: [1, round]) == [round])
                    try #expect(Environment.open(at: store.path) === store.environment)
                }
                try #expect(store.contents().count == 60)
            }
        }

        @Test("The parent's readers and locks outlive a child that closed the store, and one that did not")
        func parentKeepsItsLocks() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                // Large enough not to grow, which a thread inside a read could not follow.
                let store = try TestStore(initial: 1 << 26)
                try await fill(store)
                let before = try store.contents()
                // Its pages may not be used again as long as its slot is taken for that of a live process.
                let moment = try store.environment.beginRead()
                for closes in [true, false] {
                    let code = runForked {
                        let environment = try Environment.open(at: store.path)
                        let table = try environment.openTables(["main"])[0]
                        for round in 0..<20 as Range<UInt8> {
                            try environment.write { transaction in
                                for number in 0..<50 as Range<UInt8> {
                                    try transaction.put([number], [UInt8](repeating: round, count: 3000), in: table)
                                }
                            }
                        }
                        if closes { environment.close() }
                        return 0
                    }
                    #expect(code == 0)
                    // Opening clears dead readers, and reinitializes the table when no process seems to have the store
                    // open.
                    let other = try ChildProcess()
                    try #expect(other.ask("open \(store.path)") == "ok")
                    try #expect(other.ask("fill 0 20 1000") == "ok")
                    try #expect(moment.contents(of: store.table) == before)
                }
                try #expect(store.contents().count == 70)
            }
        }

        @Test("An inherited store refuses every use in the child, and may be closed and released")
        func inheritedStore() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                let store = try TestStore()
                try await store.put([1], [1])
                let observation = try store.environment.observeCommits {}
                let code = runForked {
                    let uses: [() throws -> Void] = [
                        { _ = try store.contents() },
                        { try store.environment.write { try $0.put([2], [2], in: store.table) } },
                        { try store.environment.writeTogether([{ _ in }])[0].get() },
                    ]
                    for use in uses {
                        do {
                            try use()
                            return 2
                        } catch KeyValueError.forked {}
                    }
                    store.environment.close()
                    return 0
                }
                #expect(code == 0)
                try await store.put([3], [3])
                try #expect(store.contents().count == 2)
                withExtendedLifetime(observation) {}
            }
        }

        @Test("A read that ends in the child continues in the parent")
        func inheritedRead() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                let store = try TestStore(initial: 1 << 26)
                try await fill(store)
                let before = try store.contents()
                let held = HeldRead()
                held.read = try store.environment.beginRead()
                let code = runForked {
                    held.read = nil
                    return 0
                }
                #expect(code == 0)
                let other = try ChildProcess()
                try #expect(other.ask("open \(store.path)") == "ok")
                for _ in 0..<20 { try #expect(other.ask("fill 0 20 1000") == "ok") }
                try #expect(held.read?.contents(of: store.table) == before)
            }
        }

        @Test("A child of a child has its own registry")
        func grandchild() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                let store = try TestStore()
                let code = runForked {
                    let environment = try Environment.open(at: store.path)
                    let table = try environment.openTables(["main"])[0]
                    try environment.write { try $0.put([1], [1], in: table) }
                    return runForked {
                        let environment = try Environment.open(at: store.path)
                        let table = try environment.openTables(["main"])[0]
                        try environment.write { try $0.put([2], [2], in: table) }
                        return 0
                    }
                }
                #expect(code == 0)
                try #expect(store.contents() == [[1]: [1], [2]: [2]])
            }
        }

        @Test("Observers are notified of a child's commit, also in a memory file system [S-13]")
        func observers() async {
            await #expect(processExitsWith: .success) {
                try rehearse()
                let folder = "/dev/shm/daybook-fork-\(UUID().uuidString)"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let path = "\(folder)/store"
                let environment = try Environment.open(at: path, creatingWith: NewStoreContent(tables: ["main"]))
                let table = try environment.openTables(["main"])[0]
                let (commits, commit) = AsyncStream<Void>.makeStream()
                let observation = try environment.observeCommits { commit.yield() }
                var notifications = commits.makeAsyncIterator()
                for round in 0..<5 as Range<UInt8> {
                    let code = runForked {
                        let own = try Environment.open(at: path)
                        let table = try own.openTables(["main"])[0]
                        try own.write { try $0.put([round], [round], in: table) }
                        return 0
                    }
                    try #require(code == 0)
                    while try environment.read({ try $0.value(of: [round], in: table) }) == nil {
                        await notifications.next()
                    }
                    await notifications.next()
                }
                withExtendedLifetime(observation) {}
                environment.close()
            }
        }
    }

    private final class HeldRead {
        var read: RawReadTransaction?
    }

    private func fill(_ store: TestStore) async throws {
        for number in 0..<50 as Range<UInt8> { try await store.put([number], [UInt8](repeating: 1, count: 3000)) }
    }

    /// Does the work of the children once.
    private func rehearse() throws {
        let store = try TestStore()
        let environment = try Environment.open(at: store.path)
        let table = try environment.openTables(["main"])[0]
        try environment.write { try $0.put([1], [1], in: table) }
        _ = try environment.read { try $0.value(of: [1], in: table) } == [1]
        try environment.writeTogether([{ _ in }])[0].get()
        _ = try store.contents()
        do {
            let error: any Error = KeyValueError.forked
            throw error
        } catch KeyValueError.forked {}
        environment.close()
    }
#endif
