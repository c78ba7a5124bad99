import Foundation
import KeyValue
import Testing

struct TwoProcessTests {
    @Test("S-7: two processes write by turns and lose nothing")
    func twoWriters() async throws {
        let store = try TestStore()
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        try child.send("fill 0 300 100")
        for number in 0..<300 { try await store.put(bytes("own \(number)"), bytes("\(number)")) }
        #expect(child.answer() == "ok")
        try #expect(child.ask("count") == "600")
        try #expect(store.contents().count == 600)
    }

    @Test("S-8: reads and writes follow another process's growth")
    func growthOfAnother() async throws {
        let store = try TestStore()
        try await store.put(bytes("first"), bytes("1"))
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        try #expect(child.ask("put large 9000000") == "ok")
        try #expect(store.value(of: bytes("large"))?.count == 9_000_000)
        try #expect(child.ask("put larger 30000000") == "ok")
        // A write is the first to meet the larger map this time.
        try await store.put(bytes("second"), bytes("2"))
        try #expect(store.value(of: bytes("larger"))?.count == 30_000_000)
        // And back: the child follows us, except inside a read, where it is told to try again.
        try #expect(child.ask("hold") == "holding")
        try await store.put(bytes("largest"), [UInt8](repeating: 1, count: 100_000_000))
        try #expect(child.ask("get largest") == "none")
        try #expect(child.ask("nested-get first") == "error storeGrew")
        try #expect(child.ask("release") == "ok")
        try #expect(child.ask("get largest") == "bytes 100000000")
    }

    @Test("S-13: observers hear of another process's commits")
    func observers() async throws {
        let store = try TestStore()
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        let (commits, commit) = AsyncStream<Void>.makeStream()
        let observation = try store.environment.observeCommits { commit.yield() }
        var heard = commits.makeAsyncIterator()
        for number in 0..<5 {
            try #expect(child.ask("set key \(number)") == "ok")
            while try store.value(of: bytes("key")) != bytes("\(number)") { await heard.next() }
            await heard.next()
        }
        withExtendedLifetime(observation) {}
    }

    @Test("S-9: dead readers that hold every slot keep nobody from opening the store")
    func deadReadersInEverySlot() async throws {
        let store = try TestStore(readerSlots: 3)
        try await store.put([1], [1])
        // More of them than there are slots: each has to clear what the ones before it have left.
        for _ in 0..<8 {
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            try #expect(child.ask("hold") == "holding")
            child.kill()
        }
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        try #expect(child.ask("count") == "1")
    }

    @Test("S-9: a reader that was killed is cleared at open, and the file stops growing")
    func killedReader() async throws {
        let store = try TestStore()
        for number in 0..<50 as Range<UInt8> { try await store.put([number], [UInt8](repeating: 1, count: 3000)) }
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        try #expect(child.ask("hold") == "holding")
        child.kill()
        store.environment.close()
        let reopened = try Environment.open(at: store.path)
        // Opening has cleared it already.
        #expect(reopened.clearDeadReaders() == 0)
        let table = try reopened.openTables(["main"])[0]
        func churn() async throws {
            for round in 0..<20 as Range<UInt8> {
                try await reopened.write { transaction in
                    for number in 0..<50 as Range<UInt8> {
                        try transaction.put([number], [UInt8](repeating: round, count: 3000), in: table)
                    }
                }
            }
        }
        try await churn()
        let used = reopened.statistics.usedBytes
        try await churn()
        #expect(reopened.statistics.usedBytes == used)
    }

    @Test("S-9: a reader that is killed while the store is open cannot fill it up")
    func killedReaderWhileOpen() async throws {
        let store = try TestStore(initial: 1 << 20, ceiling: 2 << 20)
        let table = store.table
        let child = try ChildProcess()
        try #expect(child.ask("open-small \(store.path) \(1 << 20) \(2 << 20)") == "ok")
        try #expect(child.ask("hold") == "holding")
        child.kill()
        for round in 0..<40 as Range<UInt8> {
            try await store.environment.write { transaction in
                for number in 0..<30 as Range<UInt8> {
                    try transaction.put([number], [UInt8](repeating: round, count: 3000), in: table)
                }
            }
        }
        #expect(store.environment.statistics.usedBytes <= 2 << 20)
    }

    @Test("S-3: a writer that is killed again and again loses no acknowledged write")
    func killedWriter() async throws {
        let folder = TemporaryFolder()
        var acknowledged = -1
        var generator = Generator(seed: 17)
        for _ in 0..<12 {
            let child = try ChildProcess()
            try #expect(child.ask("open \(folder.file("store"))") == "ok")
            try child.send("stream")
            for _ in 0..<(1 + generator.below(60)) { acknowledged = try max(acknowledged, #require(child.number())) }
            child.kill()
            while let number = child.number() { acknowledged = max(acknowledged, number) }
            let environment = try Environment.open(at: folder.file("store"))
            let table = try environment.openTables(["main"])[0]
            let contents = try environment.read { try $0.contents(of: table) }
            // One more may have been committed and not yet told.
            #expect(contents.count == acknowledged + 1 || contents.count == acknowledged + 2)
            for number in 0..<contents.count { #expect(contents[bytes("s\(number)")] == bytes("value \(number)")) }
            environment.close()
        }
    }

    @Test("a writer that is killed inside its transaction holds up nobody")
    func killedWhileWeWrite() async throws {
        let store = try TestStore()
        let table = store.table
        for round in 0..<5 {
            let child = try ChildProcess()
            try #expect(child.ask("open \(store.path)") == "ok")
            try child.send("stream")
            _ = child.answer()
            for number in 0..<20 { try await store.put(bytes("own \(round) \(number)"), [1]) }
            child.kill()
            try await store.put(bytes("own \(round) last"), [1])
        }
        let own = try store.environment.read { try $0.keys(of: table) }.filter { $0.starts(with: bytes("own")) }
        #expect(own.count == 5 * 21)
    }

    @Test("Two processes create one store")
    func twoProcessesCreateOneStore() throws {
        for _ in 0..<5 {
            let folder = TemporaryFolder()
            let children = try (0..<3).map { _ in try ChildProcess() }
            for child in children { try child.send("open \(folder.file("store"))") }
            for child in children { #expect(child.answer() == "ok") }
            for (number, child) in children.enumerated() { try #expect(child.ask("set k\(number) v") == "ok") }
            for child in children { try #expect(child.ask("count") == "3") }
            #expect(folder.names == ["store"])
        }
    }
}

extension ChildProcess {
    fileprivate func number() -> Int? { answer().flatMap { Int($0) } }
}
