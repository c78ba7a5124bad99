import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Records

@Suite struct TallyTests {
    /// Compares every reading of a tally with the records that the transaction shows, one by one.
    private func compare(_ transaction: ReadTransaction) throws {
        var counts: [UUID: Int] = [:]
        var sums: [UUID: Int64] = [:]
        for sample in try transaction[Sample.self].page(limit: .max) {
            counts[sample.sensor, default: 0] += 1
            sums[sample.sensor, default: 0] += sample.value
        }
        let tally = transaction[Sample.perSensor]
        var found: [UUID: Int] = [:]
        var order: [UUID] = []
        try tally.forEach { sensor, count, sum in
            if count > 0 { found[sensor] = count }
            try #require(sum == sums[sensor, default: 0])
            order.append(sensor)
            return true
        }
        try #require(found == counts)
        try #require(order == (0..<6).map { uuid($0) }.filter(order.contains))
        for number in 0..<6 as Range<UInt64> {
            try #require(try tally.count(of: uuid(number)) == counts[uuid(number), default: 0])
            try #require(try tally.sum(of: uuid(number)) == sums[uuid(number), default: 0])
            try #require(try tally.count(prefix: uuid(number)) == counts[uuid(number), default: 0])
        }
        var first: [UUID] = []
        try tally.forEach(from: uuid(2), to: uuid(5)) { sensor, _, _ in
            first.append(sensor)
            return false
        }
        try #require(first == Array(order.filter { [uuid(2), uuid(3), uuid(4)].contains($0) }.prefix(1)))
    }

    private func change(_ transaction: WriteTransaction, _ dice: inout Dice) throws {
        for _ in 0..<12 {
            let number = UInt64(dice.below(20))
            if dice.chance(30) {
                try transaction.delete(Sample.self, id: uuid(1_000_000 + number))
            } else {
                let sensor = UInt64(dice.below(6))
                try transaction.put(Sample(number, of: sensor, value: Int64(dice.below(9)) - 4))
            }
            try compare(transaction)
        }
    }

    @Test("Within a transaction a tally has what that has changed so far", arguments: 1...8 as ClosedRange<UInt64>)
    func transaction(seed: UInt64) async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            for number in 0..<6 as Range<UInt64> { try transaction.put(Sensor(number, "\(number)")) }
        }
        for round in 0..<6 as Range<UInt64> {
            try await opened.store.write { transaction in
                var dice = Dice(seed * 100 + round)
                try change(transaction, &dice)
            }
            try opened.store.read { try compare($0) }
        }
        #expect(try opened.store.verify().problems == [])
    }

    @Test("A draft's tallies have what it and the writes before it show", arguments: 1...4 as ClosedRange<UInt64>)
    func draft(seed: UInt64) async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            for number in 0..<6 as Range<UInt64> { try transaction.put(Sensor(number, "\(number)")) }
            var dice = Dice(seed)
            try change(transaction, &dice)
        }
        var overlay = RecordOverlay()
        for round in 1..<4 as Range<UInt64> {
            let terms = WriteTerms(of: opened.store.context)
            let (draft, _) = try opened.store.draft(over: overlay, terms) { transaction in
                var dice = Dice(seed * 100 + round)
                try compare(transaction)
                try change(transaction, &dice)
            }
            overlay.merge(draft.changes)
            try opened.store.read(over: overlay) { try compare($0) }
        }
        try opened.store.read { try compare($0) }
    }

    @Test("A transaction names the keys whose counts it has raised, with their counts")
    func raised() async throws {
        let opened = try TestStore(schema: Garden.schema)
        try await opened.store.write { transaction in
            for number in 0..<3 as Range<UInt64> { try transaction.put(Sensor(number, "\(number)")) }
            for number in 0..<3 as Range<UInt64> { try transaction.put(Sample(number, of: 0)) }
        }
        try await opened.store.write { transaction in
            try transaction.put(Sample(0, of: 1))
            try transaction.put(Sample(1, of: 1))
            try transaction.put(Sample(2, of: 2))
            try transaction.put(Sample(2, of: 0))
            let raised = try transaction[Sample.perSensor].raisedCounts()
            #expect(raised.map(\.key) == [uuid(1)] && raised.map(\.count) == [2])
        }
    }
}
