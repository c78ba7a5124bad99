import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct IndexTests {
    private func expectWrites(
        _ opened: TestStore, _ expected: (puts: Int, deletes: Int), sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws {
        let found = try await opened.store.write { transaction in
            let before = transaction.counters
            try body(transaction)
            let after = transaction.counters
            return (puts: after.puts - before.puts, deletes: after.deletes - before.deletes)
        }
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test("Only index entries whose key changed are written")
    func onlyChangedEntries() async throws {
        let opened = try TestStore()
        let reading = Reading(1, at: TestStore.start, level: 1)
        // The record and its entries in two indexes.
        try await expectWrites(opened, (3, 0)) { try $0.put(reading) }
        try await expectWrites(opened, (0, 0)) { try $0.put(reading) }

        var renamed = reading
        renamed.sensor = "cellar"
        try await expectWrites(opened, (1, 0)) { [renamed] (transaction) in try transaction.put(renamed) }

        var raised = renamed
        raised.level = 2
        try await expectWrites(opened, (2, 1)) { [raised] (transaction) in try transaction.put(raised) }

        var timeless = raised
        timeless.takenAt = nil
        try await expectWrites(opened, (1, 1)) { [timeless] (transaction) in try transaction.put(timeless) }
        try await expectWrites(opened, (0, 2)) { _ = try $0.delete(Reading.self, id: uuid(1)) }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A put that changes nothing leaves no change behind")
    func nothingChanged() async throws {
        let opened = try TestStore()
        try await opened.put(Reading(1))
        let before = opened.folder.contents["data.mdb"]?.count
        let sequence = try await opened.store.writeNumbered { try $0.put(Reading(1)) }.sequence
        #expect(sequence == 0)
        #expect(try opened.store.read { try $0.lastSequence() } == 1)
        #expect(opened.folder.contents["data.mdb"]?.count == before)
    }

    @Test("Ranges, prefixes, edges and counts equal those of a sorted list, forward and backward")
    func queries() async throws {
        let opened = try TestStore()
        var dice = Dice(21)
        let readings = (0..<120).map { Reading.random($0, &dice) }
        try await opened.store.write { transaction in
            for reading in readings { try transaction.put(reading) }
        }
        let all = readings.map { (LevelKey(level: $0.level, day: $0.day ?? .first), $0.id) }.sorted {
            ($0.0, $0.1.uuidString) < ($1.0, $1.1.uuidString)
        }
        try opened.store.read { (transaction) throws in
            let index = transaction[Reading.byLevel]
            for _ in 0..<300 {
                let lower = dice.chance(80) ? dice.pick(all).0 : nil
                let upper = dice.chance(80) ? dice.pick(all).0 : nil
                let inside = all.filter { entry in
                    (lower == nil || entry.0 >= lower!) && (upper == nil || entry.0 < upper!)
                }
                let limit = dice.chance(30) ? dice.below(10) : Int.max
                #expect(
                    try index.range(from: lower, to: upper, limit: limit).map(\.id) == inside.prefix(limit).map(\.1))
                #expect(try index.count(from: lower, to: upper) == inside.count)
                var backwards: [UUID] = []
                try index.forEachKey(from: lower, to: upper, backwards: true) { _, id in
                    backwards.append(id)
                    return true
                }
                #expect(backwards == inside.reversed().map(\.1))
            }
            for level in Int32(-5)...5 {
                let inside = all.filter { $0.0.level == level }
                #expect(try index.prefix(level).map(\.id) == inside.map(\.1))
                #expect(try index.edge(of: level, last: false) == inside.first?.0)
                #expect(try index.edge(of: level, last: true) == inside.last?.0)
            }
        }
    }

    @Test("A range costs a step and a look-up for each record that it returns [S-5]")
    func cost() async throws {
        let opened = try TestStore()
        try await opened.store.write { transaction in
            for number in 0..<2000 { try transaction.put(Reading(UInt64(number), level: Int32(number / 20))) }
        }
        try opened.store.read { (transaction) throws in
            let found = try transaction[Reading.byLevel].prefix(Int32(50))
            #expect(found.count == 20)
            #expect(transaction.counters.gets + transaction.counters.cursorSteps <= 43)
        }
    }
}
