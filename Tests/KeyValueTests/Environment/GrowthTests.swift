import Foundation
import KeyValue
import TestSupport
import Testing

struct GrowthTests {
    @Test("The map grows under readers in other tasks and nested reads [S-8]")
    func growsUnderReaders() async throws {
        let store = try TestStore()
        let table = store.table
        let value = [UInt8](repeating: 7, count: 4000)
        let isDone = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while !isDone.isRaised {
                        try store.environment.read { outer in
                            let count = try outer.entryCount(of: table)
                            try store.environment.read { inner in
                                try #expect(inner.entryCount(of: table) >= count)
                            }
                            try outer.withCursor(over: table) { cursor in
                                guard try cursor.moveToLast() else { return }
                                let found = try cursor.withEntry { $1.copied }
                                #expect(found == value)
                            }
                            try #expect(outer.entryCount(of: table) == count)
                        }
                        await Task.yield()
                    }
                }
            }
            for number in 0..<200 {
                try await store.environment.write { transaction in
                    for part in 0..<10 { try transaction.put(bytes("\(number) \(part)"), value, in: table) }
                }
            }
            isDone.raise()
            try await group.waitForAll()
        }
        #expect(store.environment.statistics.mapSize >= 16 << 20)
        #expect(store.environment.statistics.usedBytes >= 8_000_000)
        try #expect(store.contents().count == 2000)
    }

    @Test("A write that is larger than the map grows it [S-8]")
    func oneLargeWrite() async throws {
        let store = try TestStore()
        let value = [UInt8](repeating: 9, count: 20 << 20)
        let table = store.table
        let blocked = await BlockedWriter(store)
        let neighbour = Task { try await store.put([1], [1]) }
        let large = Task { try await store.environment.write { try $0.put([2], value, in: table) } }
        await blocked.waitForQueue(of: 2)
        blocked.release()
        try await neighbour.value
        try await large.value
        try #expect(store.value(of: [1]) == [1])
        try #expect(store.value(of: [2]) == value)
    }

    @Test("At the ceiling a write fails completely, deletes make room, and writes work again [S-8]")
    func ceiling() async throws {
        let store = try TestStore(initial: 1 << 20, ceiling: 2 << 20)
        let table = store.table
        var model: [[UInt8]: [UInt8]] = [:]
        var dice = Dice(11)
        for round in 0..<3 {
            var failure: KeyValueError?
            while failure == nil {
                let entries = (0..<3).map { _ in (dice.bytes(4...8), dice.bytes(500...6000)) }
                failure = await error {
                    try await store.environment.write { transaction in
                        for (key, value) in entries { try transaction.put(key, value, in: table) }
                    }
                }
                if failure == nil { for (key, value) in entries { model[key] = value } }
            }
            #expect(isStorageFull(failure))
            #expect(failure.map { "\($0)".contains("mapSizeCeiling") } == true)
            #expect(model.values.map(\.count).reduce(0, +) > (round == 0 ? 1 << 20 : 1 << 18))
            try #require(store.contents() == model)
            let doomed = Array(model.keys.shuffled(using: &dice).prefix(model.count / 2))
            for key in doomed {
                let wasThere = try await store.environment.write(reclaims: true) { try $0.delete(key, in: table) }
                #expect(wasThere)
                model[key] = nil
            }
            try #require(store.contents() == model)
        }
        #expect(store.environment.statistics.usedBytes <= 4 << 20)
    }

    @Test("At the ceiling a write that does not fit fails alone [S-8]")
    func neighboursOfAFullStore() async throws {
        let store = try TestStore(initial: 1 << 20, ceiling: 1 << 20)
        let table = store.table
        let large = [UInt8](repeating: 1, count: 2 << 20)
        let blocked = await BlockedWriter(store)
        let tasks = (0..<9 as Range<UInt8>).map { number in
            let value = number == 4 ? large : [number]
            return Task { try await store.environment.write { try $0.put([number], value, in: table) } }
        }
        await blocked.waitForQueue(of: 9)
        blocked.release()
        for (number, task) in tasks.enumerated() {
            let failure = await error { try await task.value }
            #expect(number == 4 ? isStorageFull(failure) : failure == nil)
        }
        try #expect(store.contents().count == 8)
    }

    @Test("The reserve beyond the ceiling is not left open by a reopen [S-8]")
    func reserveIsClosedByAReopen() async throws {
        let folder = TemporaryFolder()
        let configuration = EnvironmentConfiguration(initialMapSize: 1 << 20, mapSizeCeiling: 1 << 20)
        for _ in 0..<4 {
            let environment = try Environment.open(
                at: folder.file("store"), configuration: configuration, creatingWith: NewStoreContent(tables: ["main"]))
            let table = try environment.openTables(["main"])[0]
            var failure: KeyValueError?
            while failure == nil {
                let key = bytes(UUID().uuidString)
                failure = await error {
                    try await environment.write { try $0.put(key, [UInt8](repeating: 1, count: 3000), in: table) }
                }
            }
            #expect(isStorageFull(failure))
            for _ in 0..<3 {
                try await environment.write(reclaims: true) { transaction in
                    let first = try transaction.reads.keys(of: table)[0]
                    try transaction.delete(first, in: table)
                }
            }
            #expect(environment.statistics.usedBytes <= 3 << 19)
            environment.close()
        }
    }

    @Test("A store opens after large values were undone")
    func valuesThatWereUndoneLeaveAStoreThatOpens() async throws {
        // The pages of an undone value at the end of the file are given back before they were ever written, so that the
        // file may end before the last page in the meta page.
        let store = try TestStore()
        let table = store.table
        // Some free pages from before, so that the free list itself needs none at the end.
        for number in 50..<60 as Range<UInt8> { try await store.put([number], [UInt8](repeating: 1, count: 9000)) }
        for number in 50..<60 as Range<UInt8> {
            try await store.environment.write { _ = try $0.delete([number], in: table) }
        }
        let blocked = await BlockedWriter(store)
        let neighbour = Task { try await store.put([1], [1]) }
        await blocked.waitForQueue(of: 1)
        let undone = Task {
            try await store.environment.write { transaction in
                for number in 2..<40 as Range<UInt8> {
                    try transaction.put([number], [UInt8](repeating: 2, count: 100_000), in: table)
                }
                throw CancellationError()
            }
        }
        await blocked.waitForQueue(of: 2)
        blocked.release()
        try await neighbour.value
        await #expect(throws: CancellationError.self) { try await undone.value }
        let used = store.environment.statistics.usedBytes
        store.environment.close()
        let length = try FileManager.default.attributesOfItem(atPath: store.dataFile)[.size] as? Int
        #expect(length! < used)
        let reopened = try Environment.open(at: store.path)
        let table2 = try reopened.openTables(["main"])[0]
        try #expect(reopened.read { try $0.contents(of: table2) } == [[1]: [1]])
        try await reopened.write { try $0.put([3], [UInt8](repeating: 3, count: 3_000_000), in: table2) }
        try #expect(reopened.read { try $0.value(of: [3], in: table2) }?.count == 3_000_000)
    }
}
