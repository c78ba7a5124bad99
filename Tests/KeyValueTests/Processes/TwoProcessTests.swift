import Foundation
import KeyValue
import TestSupport
import Testing

struct TwoProcessTests {
    @Test("Two writing processes and a read-only one do 1,000 mixed operations each, and lose and repeat nothing [S-7]")
    func threeProcesses() throws {
        let store = try TestStore()
        let writers = try (0..<2).map { _ in try ChildProcess() }
        let reader = try ChildProcess()
        for writer in writers { try #expect(writer.ask("open \(store.path)") == "ok") }
        try #expect(reader.ask("open-read-only \(store.path)") == "ok")
        for (number, writer) in writers.enumerated() { try writer.send("mix w\(number) \(number + 1) 1000") }
        try reader.send("read-mix 1000")
        var entries = 0
        var taken = 0
        for writer in writers {
            let words = try #require(writer.answer()).split(separator: " ")
            try #require(words.count == 3 && words[0] == "ok", "\(words)")
            entries += try #require(Int(words[1]))
            taken += try #require(Int(words[2]))
        }
        #expect(reader.answer() == "ok 100 refused")
        for writer in writers { try #expect(writer.ask("check-mix") == "ok") }
        // The numbers that were taken, and the last of them.
        #expect(taken > 100)
        try #expect(store.value(of: bytes("numbers")) == bytes("\(taken)"))
        try #expect(store.contents().count == entries + taken + 1)
    }

    @Test("Reads and writes follow the growth of the map in another process [S-8, X-45]")
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
        // And back: the child follows us, except inside a read, where it gets an error that can be retried.
        try #expect(child.ask("hold") == "holding")
        try await store.put(bytes("largest"), [UInt8](repeating: 1, count: 100_000_000))
        try #expect(child.ask("get largest") == "none")
        try #expect(child.ask("nested-get first") == "error storeGrew")
        try #expect(child.ask("release") == "ok")
        try #expect(child.ask("get largest") == "bytes 100000000")
    }

    @Test("Observers are notified of commits of another process [S-13]")
    func observers() async throws {
        let store = try TestStore()
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        let (commits, commit) = AsyncStream<Void>.makeStream()
        let observation = try store.environment.observeCommits { commit.yield() }
        var notified = commits.makeAsyncIterator()
        for number in 0..<5 {
            try #expect(child.ask("set key \(number)") == "ok")
            while try store.value(of: bytes("key")) != bytes("\(number)") { await notified.next() }
            await notified.next()
        }
        withExtendedLifetime(observation) {}
    }

    @Test(
        "A commit is reported when readers see it, which is later than its last write [S-13]", .timeLimit(.minutes(15)))
    func commitThatTakesItsTime() async throws {
        let store = try TestStore()
        try await store.put(bytes("key"), bytes("1"))
        let before = store.lastTransaction
        let child = try ChildProcess()
        try #expect(child.ask("open \(store.path)") == "ok")
        try #expect(child.ask("set key 2") == "ok")
        let (commits, commit) = AsyncStream<Void>.makeStream()
        let observation = try store.environment.observeCommits { commit.yield() }
        var notified = commits.makeAsyncIterator()
        // A writer is interrupted when its commit is in the file, but not yet in the table of readers.
        try #expect(child.ask("reset-lock \(store.path) \(before)") == "ok")
        try FileManager.default.setAttributes([.modificationDate: Date.distantPast], ofItemAtPath: store.dataFile)
        await notified.next()
        try #expect(store.value(of: bytes("key")) == bytes("1"))
        // It goes on, and does not write to the file again.
        try #expect(child.ask("reset-lock \(store.path) \(before + 1)") == "ok")
        await notified.next()
        try #expect(store.value(of: bytes("key")) == bytes("2"))
        withExtendedLifetime(observation) {}
    }

    @Test("Dead readers in every slot do not prevent opening the store [S-9]")
    func deadReadersInEverySlot() async throws {
        let store = try TestStore(readerSlots: 3)
        try await store.put([1], [1])
        // More of them than there are slots: each has to clear the slots of those before it.
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

    @Test("Opening clears a killed reader, and the file stops growing [S-9]")
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

    @Test("A reader that is killed while the store is open cannot fill it up [S-9]")
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

    @Test("A writer that is killed repeatedly loses no acknowledged write [S-3]")
    func killedWriter() async throws {
        let folder = TemporaryFolder()
        var acknowledged = -1
        var dice = Dice(17)
        for _ in 0..<12 {
            let child = try ChildProcess()
            try #expect(child.ask("open \(folder.file("store"))") == "ok")
            try child.send("stream")
            for _ in 0..<(1 + dice.below(60)) { acknowledged = try max(acknowledged, #require(child.number())) }
            child.kill()
            while let number = child.number() { acknowledged = max(acknowledged, number) }
            let environment = try Environment.open(at: folder.file("store"))
            let table = try environment.openTables(["main"])[0]
            let contents = try environment.read { try $0.contents(of: table) }
            // One more may have been committed and not yet reported.
            #expect(contents.count == acknowledged + 1 || contents.count == acknowledged + 2)
            for number in 0..<contents.count { #expect(contents[bytes("s\(number)")] == bytes("value \(number)")) }
            environment.close()
        }
    }

    @Test("A writer that is killed inside its transaction blocks no other process")
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

    @Test("Processes that create one store at the same time share it")
    func creatingTogether() throws {
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
