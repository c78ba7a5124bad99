import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// What two states of a table differ in, found by the numbers of their pages.
@Suite struct TreeDifferenceTests {
    /// The keys by which two states of the model differ, in their order.
    private func changed(_ old: [[UInt8]: [UInt8]], _ new: [[UInt8]: [UInt8]]) -> [[UInt8]] {
        Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func keys(of parts: [ChangedKeys]) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for part in parts { try part.forEach { _, key in keys.append(key.copied) } }
        return keys
    }

    /// Changes some entries; from time to time nearly all of them, so that the tree changes its depth.
    private func change(_ model: inout [[UInt8]: [UInt8]], by dice: inout Dice) -> [(key: [UInt8], value: [UInt8]?)] {
        var writes: [(key: [UInt8], value: [UInt8]?)] = []
        if dice.below(12) == 0 { for key in model.keys where dice.below(20) > 0 { writes.append((key, nil)) } }
        for _ in 0..<dice.below(dice.below(4) == 0 ? 2_000 : 20) {
            let key = bytes("key \(dice.below(3_000))")
            let size = dice.below(30) == 0 ? 2_000 + dice.below(9_000) : dice.below(60)
            writes.append((key, dice.below(3) == 0 ? nil : [UInt8](repeating: UInt8(dice.below(4)), count: size)))
        }
        for (key, value) in writes { model[key] = value }
        return writes
    }

    @Test("The keys found by comparing pages are those that differ", arguments: 0..<12 as Range<UInt64>)
    func model(seed: UInt64) throws {
        var dice = Dice(seed)
        let store = try TestStore(initial: 64 << 20)
        let table = store.table
        var model: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<40 {
            let before = model
            let pinned = try store.environment.handle.beginRead()
            defer { store.environment.handle.endRead(pinned) }
            let old = try TableHeads(of: [table], in: pinned)
            var steps: [[(key: [UInt8], value: [UInt8]?)]] = []
            for _ in 0...dice.below(4) { steps.append(change(&model, by: &dice)) }
            let writes = steps
            // Another thread, since this one is inside a read.
            onAnotherThread {
                for step in writes {
                    try store.environment.write { transaction in
                        for (key, value) in step {
                            if let value {
                                try transaction.put(key, value, in: table)
                            } else {
                                try transaction.delete(key, in: table)
                            }
                        }
                    }
                }
            }
            let newest = try store.environment.handle.beginRead()
            defer { store.environment.handle.endRead(newest) }
            let new = try TableHeads(of: [table], in: newest)
            let parts = try new.changedKeys(since: old, in: newest, limit: 7)
            let (found, expected) = (try keys(of: parts), changed(before, model))
            #expect(found == expected, "\(Set(found).symmetricDifference(expected).count)")
            #expect(parts.dropLast().allSatisfy { $0.count == 7 })
            // And back.
            #expect(try keys(of: old.changedKeys(since: new, in: newest)) == changed(before, model))
        }
    }

    @Test("A short value on overflow pages that a longer one has left is equal to one on its page")
    func shortOnOverflow() async throws {
        let store = try TestStore()
        let table = store.table
        try await store.put(bytes("key"), bytes("short"))
        let pinned = try store.environment.handle.beginRead()
        defer { store.environment.handle.endRead(pinned) }
        let old = try TableHeads(of: [table], in: pinned)
        onAnotherThread {
            try store.environment.write { transaction in
                try transaction.put(bytes("key"), [UInt8](repeating: 1, count: 9_000), in: table)
                try transaction.put(bytes("key"), bytes("short"), in: table)
            }
        }
        let newest = try store.environment.handle.beginRead()
        defer { store.environment.handle.endRead(newest) }
        let new = try TableHeads(of: [table], in: newest)
        #expect(new.heads[0].overflowPages > 0)
        #expect(try new.changedKeys(since: old, in: newest).isEmpty)
    }

    @Test("Two equal states differ in nothing, and an empty one in everything")
    func ends() async throws {
        let store = try TestStore()
        let empty = try heads(of: store)
        for number in 0..<200 { try await store.put(bytes("k\(number)"), bytes("v")) }
        let state = try store.environment.handle.beginRead()
        defer { store.environment.handle.endRead(state) }
        let full = try TableHeads(of: [store.table], in: state)
        #expect(try full.changedKeys(since: full, in: state).isEmpty)
        #expect(try keys(of: full.changedKeys(since: empty, in: state)).count == 200)
        #expect(try keys(of: empty.changedKeys(since: full, in: state)).count == 200)
    }

    private func heads(of store: TestStore) throws -> TableHeads {
        let state = try store.environment.handle.beginRead()
        defer { store.environment.handle.endRead(state) }
        return try TableHeads(of: [store.table], in: state)
    }
}
