#if os(Linux)
    import Foundation
    import Injection
    import TestSupport
    import Testing

    @testable import KeyValue

    /// Compactions while other threads and processes write between any two of their steps.
    @Suite(.timeLimit(.minutes(15))) struct CompactionBesideWritersTests {
        /// A store with some tables, a second process that has it open, and what has to be in it.
        private final class Busy {
            let folder = TemporaryFolder()
            let environment: Environment
            let tables: [Table]
            let child: ChildProcess
            private(set) var model: [[[UInt8]: [UInt8]]]
            private var dice: Dice
            var writes = 0

            var path: String { folder.file("store") }

            init(seed: UInt64, breaking point: InjectionPoint? = nil) throws {
                dice = Dice(seed)
                // Large enough that the map does not grow, for which all readers would have to end.
                var configuration = EnvironmentConfiguration(initialMapSize: 64 << 20, mapSizeCeiling: 1 << 30)
                configuration.injectionPoint = ArmedInjectionPoints(point)
                environment = try Environment.open(
                    at: folder.file("store"), configuration: configuration,
                    creatingWith: NewStoreContent(tables: ["main", "more"]))
                tables = try environment.openTables(["main", "more"])
                model = [[:], [:]]
                child = try ChildProcess()
                try #expect(child.ask("open-small \(folder.file("store")) \(64 << 20) \(1 << 30)") == "ok")
                try write(count: 3_000)
            }

            deinit {
                environment.close()
            }

            /// Writes, deletes and replaces entries in one transaction of another thread, or one of the other process.
            func write(count: Int) throws {
                writes += 1
                // The first ones are many.
                if writes > 1, dice.below(3) == 0 {
                    let key = "key \(dice.below(4_000))"
                    try #expect(child.ask("set \(key.replacing(" ", with: "-")) \(writes)") == "ok")
                    model[0][bytes(key.replacing(" ", with: "-"))] = bytes("\(writes)")
                    return
                }
                var steps: [(table: Int, key: [UInt8], value: [UInt8]?)] = []
                for _ in 0..<count {
                    let (table, key) = (dice.below(2), bytes("key \(dice.below(4_000))"))
                    let size = dice.below(40) == 0 ? 5_000 : dice.below(80)
                    let value = dice.below(4) == 0 ? nil : [UInt8](repeating: UInt8(dice.below(200)), count: size)
                    model[table][key] = value
                    steps.append((table, key, value))
                }
                let (environment, tables, changes) = (environment, tables, steps)
                onAnotherThread {
                    try environment.write { transaction in
                        for (table, key, value) in changes {
                            if let value {
                                try transaction.put(key, value, in: tables[table])
                            } else {
                                try transaction.delete(key, in: tables[table])
                            }
                        }
                    }
                }
            }

            func contents() throws -> [[[UInt8]: [UInt8]]] {
                try environment.read { transaction in try tables.map { try transaction.contents(of: $0) } }
            }
        }

        /// Compacts, while something is written at some of the compaction's steps.
        private func compact(_ store: Busy, seed: UInt64) throws {
            var dice = Dice(seed &+ 1_000)
            let interval = 1 + dice.below(2_000)
            let size = 1 + dice.below(60)
            var steps = 0
            try store.environment.compact(pausing: {
                steps += 1
                guard steps % interval == 0 else { return }
                do { try store.write(count: size) } catch { Issue.record(error) }
            })
        }

        @Test(
            "A compaction with writers between any two of its steps gives exactly what was written",
            arguments: 0..<16 as Range<UInt64>)
        func model(seed: UInt64) throws {
            let store = try Busy(seed: seed)
            for round in 0..<3 as Range<UInt64> {
                let before = store.writes
                try compact(store, seed: seed * 3 + round)
                #expect(try store.contents() == store.model)
                #expect(store.writes > before)
                #expect(try store.environment.pageProblems().all == [])
                // Both go on in the new file.
                for _ in 0..<5 { try store.write(count: 20) }
                #expect(try store.contents() == store.model)
            }
            try #expect(store.child.ask("count") == "\(store.model[0].count)")
            store.environment.close()
            try #expect(store.child.ask("close") == "ok")
            let reopened = try Environment.open(at: store.path)
            let tables = try reopened.openTables(["main", "more"])
            #expect(
                try reopened.read { transaction in try tables.map { try transaction.contents(of: $0) } } == store.model)
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).contains("compacting") == false)
        }

        @Test("Without catching up, a compaction loses what was written meanwhile (negative control)")
        func control() throws {
            let store = try Busy(seed: 1, breaking: .skipsCatchUp)
            try store.environment.compact(pausing: {
                guard store.writes < 5 else { return }
                do { try store.write(count: 20) } catch { Issue.record(error) }
            })
            #expect(try store.contents() != store.model)
        }

        @Test("The check sees every entry, also those that are written meanwhile, and its error changes nothing")
        func check() throws {
            let store = try Busy(seed: 2)
            var (seen, written): ([[UInt8]: [UInt8]], Bool) = ([:], false)
            try store.environment.compact { table, key, value in
                if table.name == "more" { seen[key.copied] = value.copied }
            } pausing: {
                guard !written else { return }
                written = true
                do { for _ in 0..<9 { try store.write(count: 50) } } catch { Issue.record(error) }
            }
            #expect(store.model[1].allSatisfy { seen[$0.key] == $0.value })
            written = false
            #expect(throws: KeyValueError.tooLarge(byteCount: 7)) {
                try store.environment.compact { _, key, _ in
                    if key.isEqual(to: bytes("bad").span.bytes) { throw KeyValueError.tooLarge(byteCount: 7) }
                } pausing: {
                    guard !written else { return }
                    written = true
                    let environment = store.environment
                    let table = store.tables[1]
                    onAnotherThread { try environment.write { try $0.put(bytes("bad"), [], in: table) } }
                }
            }
            try store.write(count: 20)
            #expect(try store.environment.pageProblems().all == [])
        }

        @Test("A table that another one creates meanwhile is in the new file")
        func newTable() throws {
            let store = try Busy(seed: 3)
            var isCreated = false
            try store.environment.compact(pausing: {
                guard !isCreated else { return }
                isCreated = true
                let environment = store.environment
                onAnotherThread {
                    let table = try environment.openTables(["later"])[0]
                    try environment.write { try $0.put([1], [2], in: table) }
                }
            })
            let table = try store.environment.openTables(["later"])[0]
            #expect(try store.environment.read { try $0.contents(of: table) } == [[1]: [2]])
            #expect(try store.contents() == store.model)
        }

        @Test("What was deleted before a compaction is gone, although others write meanwhile [C-NFR37]")
        func erases() throws {
            let store = try Busy(seed: 4)
            let secret = bytes("a text that nobody is to find again")
            let (environment, table) = (store.environment, store.tables[1])
            try environment.write { try $0.put(secret, secret, in: table) }
            try store.write(count: 50)
            try environment.write { _ = try $0.delete(secret, in: table) }
            try compact(store, seed: 4)
            let file = try Data(contentsOf: URL(fileURLWithPath: "\(store.path)/data.mdb"))
            #expect(file.firstRange(of: Data(secret)) == nil)
            #expect(try store.contents() == store.model)
        }

        @Test("Writers that write more than the file may grow by wait for the third attempt, and lose nothing")
        func growth() async throws {
            let store = try TestStore(initial: 32 << 20, ceiling: 32 << 20)
            let table = store.table
            for number in 0..<500 { try await store.put(bytes("k\(number)"), [UInt8](repeating: 1, count: 1_000)) }
            let used = store.environment.statistics.usedBytes
            // Pages that are freed meanwhile cannot be used again: see `Compaction.usedLimit`.
            let limit = used + (32 << 20 - used) / 2
            var (attempts, largest, round) = (0, 0, UInt8(1))
            try store.environment.compact { _, key, _ in
                if key.isEqual(to: bytes("k0").span.bytes) { attempts += 1 }
            } pausing: {
                largest = max(largest, store.environment.statistics.usedBytes)
                guard store.environment.statistics.usedBytes <= limit else { return }
                round &+= 1
                let value = [UInt8](repeating: round, count: 1_000)
                onAnotherThread {
                    try store.environment.write { transaction in
                        for number in 0..<500 { try transaction.put(bytes("k\(number)"), value, in: table) }
                    }
                }
            }
            #expect(attempts >= 1)
            #expect(largest <= limit + 4 << 20)
            let contents = try store.contents()
            #expect(contents.count == 500)
            #expect(contents.values.allSatisfy { $0 == [UInt8](repeating: round, count: 1_000) })
            #expect(try store.environment.pageProblems().all == [])
        }

        @Test("A compaction of a store that another process makes larger than the map ends, and has all of it")
        func grownByOther() throws {
            let store = try TestStore()
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            try #expect(child.ask("fill 0 300 100") == "ok")
            var isGrown = false
            try store.environment.compact(pausing: {
                guard !isGrown else { return }
                isGrown = true
                do { try #expect(child.ask("fill 300 3000 2000") == "ok") } catch { Issue.record(error) }
            })
            #expect(isGrown)
            #expect(try store.contents().count == 3_300)
            try #expect(child.ask("count") == "3300")
            #expect(try store.environment.pageProblems().all == [])
        }
    }
#endif
