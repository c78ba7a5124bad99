import FileSystem

#if os(Linux)
    import Foundation
    import Injection
    import TestSupport
    import Testing

    @testable import KeyValue

    /// LMDB's lock file after a program died opening the store: its transaction number is 0, unlike that of the data
    /// file.
    struct StaleLockTests {
        @Test("A write on the calling thread after a stale lock file follows the newest state")
        func synchronousWrite() throws {
            let store = try TestStore()
            for number in 0..<9 as Range<UInt8> {
                try store.environment.write { try $0.put([number], [number], in: store.table) }
            }
            try resetLock(of: store.path)
            try store.environment.write { try $0.put([9], [9], in: store.table) }
            #expect(store.environment.staleOpenings == 1)
            try #expect(store.contents().count == 10)
        }

        @Test("A write after a stale lock file follows the newest state")
        func write() async throws {
            let store = try TestStore()
            for number in 0..<9 as Range<UInt8> { try await store.put([number], [number]) }
            try resetLock(of: store.path)
            try await store.put([9], [9])
            #expect(store.environment.staleOpenings == 1)
            try #expect(store.contents().count == 10)
            store.environment.close()
            try #expect(countAfterReopening(store.path) == 10)
        }

        @Test("A read after a stale lock file sees the newest state, in the tables that were open")
        func read() async throws {
            let store = try TestStore()
            let more = try store.environment.openTables(["second", "third"])
            for number in 0..<9 as Range<UInt8> { try await store.put([number], [number]) }
            try await store.environment.write { try $0.put([1], [3], in: more[1]) }
            try resetLock(of: store.path)
            try #expect(store.contents().count == 9)
            try #expect(store.environment.read { try $0.value(of: [1], in: more[1]) } == [3])
            try #expect(store.environment.read { try $0.value(of: [1], in: more[0]) } == nil)
            #expect(store.environment.staleOpenings == 1)
        }

        @Test("A write after a stale lock file is lost without the check", arguments: [false, true])
        func negativeControl(isOdd: Bool) async throws {
            let store = try hurtStore(isOdd: isOdd)
            // LMDB takes the state with the greater number, which is the one before the write.
            let before = try MetaPage.pair(in: store.dataFile)
            #expect(before.odd.transaction == 1)
            #expect(before.even.transaction > 2)
        }

        @Test("A stale lock file that another process keeps is an error, and nothing is written")
        func keptByAnother() async throws {
            let store = try TestStore()
            for number in 0..<5 as Range<UInt8> { try await store.put([number], [number]) }
            let other = try ChildProcess()
            try #expect(other.ask("open \(store.path)") == "ok")
            let before = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
            try resetLock(of: store.path)
            await #expect(throws: KeyValueError.staleLock(path: store.path)) { try await store.put([5], [5]) }
            try #expect(Data(contentsOf: URL(fileURLWithPath: store.dataFile)) == before)
            try #expect(other.ask("set key value") == "ok")
            try #expect(countAfterReopening(store.path) == 6)
        }

        @Test("A nested read reports a stale lock file, and succeeds after the outer read")
        func nestedRead() async throws {
            let store = try TestStore()
            for number in 0..<5 as Range<UInt8> { try await store.put([number], [number]) }
            try store.environment.read { outer in
                try resetLock(of: store.path)
                #expect(throws: KeyValueError.staleLock(path: store.path)) { try store.contents() }
                try #expect(outer.contents(of: store.table).count == 5)
            }
            try #expect(store.contents().count == 5)
        }

        @Test("Threads that meet a stale lock file at the same time reopen LMDB once")
        func manyThreads() async throws {
            let store = try TestStore()
            for number in 0..<9 as Range<UInt8> { try await store.put([number], [number]) }
            try resetLock(of: store.path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 as Range<UInt8> {
                    group.addTask {
                        if number % 2 == 0 {
                            try await store.put([100 + number], [1])
                        } else {
                            try #expect(store.contents().count >= 9)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(store.environment.staleOpenings == 1)
            try #expect(store.contents().count == 17)
        }

        // MARK: Stores damaged by earlier versions

        @Test("A store with the meta pages of transactions N and 1 opens with every acknowledged write")
        func repairs() throws {
            let store = try hurtStore(isOdd: false)
            let pages = try Data(contentsOf: URL(fileURLWithPath: store.dataFile)).prefix(8192)
            #expect(throws: KeyValueError.needsRepair(path: store.path)) {
                try Environment.open(at: store.path, configuration: EnvironmentConfiguration(isReadOnly: true))
            }
            let environment = try Environment.open(at: store.path)
            let repair = try #require(environment.repair)
            #expect(repair.keepsNewerState)
            let table = try environment.openTables(["main"])[0]
            try #expect(environment.read { try $0.value(of: [0xFF], in: table) } == [1])
            try #expect(environment.read { try $0.contents(of: table).count } == store.count)
            try #expect(environment.pageProblems().all.isEmpty)
            let backup = try Data(contentsOf: URL(fileURLWithPath: "\(store.path)/\(repair.backupName)"))
            #expect(backup == pages)
            for number in 0..<50 as Range<UInt8> {
                try environment.write { try $0.put([1, number], [number], in: table) }
            }
            try #expect(environment.pageProblems().all.isEmpty)
            environment.close()
            try #expect(countAfterReopening(store.path) == store.count + 50)
        }

        @Test("The repair keeps the last write when transaction N is odd")
        func repairsOdd() throws {
            let store = try hurtStore(isOdd: true)
            let environment = try Environment.open(at: store.path)
            let table = try environment.openTables(["main"])[0]
            try #expect(environment.read { try $0.value(of: [0xFF], in: table) } == [1])
            // LMDB itself has overwritten transaction N.
            try #expect(environment.read { try $0.contents(of: table).count } == store.count - 1)
            try #expect(environment.pageProblems().all.isEmpty)
        }

        @Test("A damaged newer state falls back to the older one; if both are damaged, nothing changes")
        func damagedStates() throws {
            let store = try hurtStore(isOdd: false)
            let pair = try MetaPage.pair(in: store.dataFile)
            var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: store.dataFile)))
            let newer = Int(pair.odd.main.root) * 4096
            let older = Int(pair.even.main.root) * 4096
            #expect(newer != older)
            file[newer..<newer + 16].withEach { $0 = 0xEE }
            try Data(file).write(to: URL(fileURLWithPath: store.dataFile))
            let environment = try Environment.open(at: store.path)
            #expect(environment.repair?.keepsNewerState == false)
            let table = try environment.openTables(["main"])[0]
            try #expect(environment.read { try $0.contents(of: table).count } == store.count - 1)
            environment.close()

            let other = try hurtStore(isOdd: false)
            file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: other.dataFile)))
            for root in [newer, older] { file[root..<root + 16].withEach { $0 = 0xEE } }
            try Data(file).write(to: URL(fileURLWithPath: other.dataFile))
            #expect {
                try Environment.open(at: other.path)
            } throws: { error in
                if case KeyValueError.damaged = error { true } else { false }
            }
            #expect(FileManager.default.contents(atPath: other.dataFile).map { [UInt8]($0) } == file)
        }

        @Test("A store that another process has open is not repaired")
        func notWhileOpen() throws {
            let store = try hurtStore(isOdd: false)
            let before = FileManager.default.contents(atPath: store.dataFile)
            let lock = try #require(try FileLock(store.dataFile, .shared, waits: false))
            #expect(throws: KeyValueError.staleLock(path: store.path)) { try Environment.open(at: store.path) }
            #expect(FileManager.default.contents(atPath: store.dataFile) == before)
            withExtendedLifetime(lock) {}
        }

        @Test("An interrupted repair is repeated")
        func repairsAgain() throws {
            let store = try hurtStore(isOdd: false)
            let hurt = try Data(contentsOf: URL(fileURLWithPath: store.dataFile))
            let first = try MetaPageRepair(StoreFolder(path: store.path))
            try hurt.write(to: URL(fileURLWithPath: store.dataFile))
            let environment = try Environment.open(at: store.path)
            #expect(environment.repair == first)
            environment.close()
            #expect(try MetaPage.newest(in: store.dataFile).transaction == first.olderTransaction + 1)
        }
    }

    /// A closed store, written to while LMDB's lock file was stale.
    private struct HurtStore {
        let folder = TemporaryFolder()
        /// Every entry that was acknowledged.
        var count = 0
        var path: String { folder.file("store") }
        var dataFile: String { folder.file("store/data.mdb") }
    }

    /// - Parameter isOdd: whether the transaction before was odd, so that LMDB overwrites its meta page.
    private func hurtStore(isOdd: Bool) throws -> HurtStore {
        var store = HurtStore()
        var configuration = EnvironmentConfiguration(initialMapSize: 1 << 20)
        configuration.injectionPoint = ArmedInjectionPoints(.opensUnprotected)
        let environment = try Environment.open(
            at: store.path, configuration: configuration, creatingWith: NewStoreContent(tables: ["main"]))
        let table = try environment.openTables(["main"])[0]
        while store.count < 20 || (environment.statistics.lastTransaction % 2 == 1) != isOdd {
            try environment.write { try $0.put([UInt8(store.count)], [1], in: table) }
            store.count += 1
        }
        try resetLock(of: store.path)
        try environment.write { try $0.put([0xFF], [1], in: table) }
        store.count += 1
        environment.close()
        return store
    }

    private func resetLock(of path: String) throws {
        // By another process: closing the lock file here would end this process's own locks on it.
        try #expect(ChildProcess().ask("reset-lock \(path)") == "ok")
    }

    private func countAfterReopening(_ path: String) throws -> Int {
        let environment = try Environment.open(at: path)
        defer { environment.close() }
        let table = try environment.openTables(["main"])[0]
        return try environment.read { try $0.contents(of: table).count }
    }

    extension ArraySlice {
        fileprivate mutating func withEach(_ change: (inout Element) -> Void) {
            for index in indices { change(&self[index]) }
        }
    }
#endif
