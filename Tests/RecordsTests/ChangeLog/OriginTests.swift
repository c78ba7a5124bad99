import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct OriginTests {
    private static let calibrate = ChangeLabel(operation: "readings.calibrate")
    private static let sync = ChangeLabel(operation: "readings.merge", origin: .sync)

    /// A change of one field of one record, on a stack.
    private struct Step {
        var record: UInt64
        var field: Int
        var before: Int32?
        var after: Int32?
        var at: Int
    }

    @Test(
        "A user's undo never takes back what sync, a rollover or an expiry did, and passes over what they have rewritten",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func undoByOrigin(seed: UInt64) async throws {
        let opened = try TestStore()
        let store = opened.store
        var dice = Dice(seed)
        // The two fields of each record, and what the user's stacks hold.
        var state: [[Int32?]] = Array(repeating: [1, nil], count: 6)
        var stacks: [[Step]] = [[], []]
        var foreign: [[Int]] = Array(repeating: [-1, -1], count: 6)
        func write(_ value: Int32, to field: Int, of record: UInt64, _ label: ChangeLabel) async throws {
            try await store.write(label) { transaction in
                var reading = try #require(try transaction[Reading.self].get(uuid(record)))
                if field == 0 { reading.level = value } else { reading.note = "\(value)" }
                try transaction.put(reading)
            }
            state[Int(record)][field] = value
        }
        try await store.write(Self.sync) {
            for record in 0..<6 as Range<UInt64> { try $0.put(Reading(record, level: 1)) }
        }
        var passedOver = 0
        for step in 0..<200 {
            let (record, field) = (UInt64(dice.below(6)), dice.below(2))
            let value = Int32(step + 2)
            switch dice.below(6) {
            case 0, 1:
                stacks[0].append(
                    Step(record: record, field: field, before: state[Int(record)][field], after: value, at: step))
                stacks[1] = []
                try await write(value, to: field, of: record, Self.calibrate)
            case 2:
                let origins: [ChangeOrigin] = [.sync, .rollover, .expiry]
                let label = ChangeLabel(operation: "readings.merge", origin: dice.pick(origins))
                try await write(value, to: field, of: record, label)
                foreign[Int(record)][field] = step
            case let other:
                let isUndo = other < 5
                var count = 0
                let error = await recordsError {
                    count = try await store.write { transaction in
                        _ = try isUndo ? transaction.undo() : transaction.redo()
                        return transaction.passedOverByUndo.count
                    }
                }
                let (from, to) = isUndo ? (0, 1) : (1, 0)
                let isEmpty = stacks[from].isEmpty
                let rest = stacks[from].reversed().drop { foreign[Int($0.record)][$0.field] > $0.at }
                guard var top = rest.first else {
                    #expect(error == (!isEmpty ? .changedSince : isUndo ? .nothingToUndo : .nothingToRedo))
                    continue
                }
                #expect(error == nil && count == stacks[from].count - rest.count)
                passedOver += count
                stacks[from] = rest.dropFirst().reversed()
                state[Int(top.record)][top.field] = isUndo ? top.before : top.after
                top.at = step
                stacks[to].append(top)
            }
            let found = try opened.readings()
            #expect(
                state
                    == (0..<6 as Range<UInt64>).map { record in
                        [found[uuid(record)]?.level, found[uuid(record)]?.note.flatMap { Int32($0) }]
                    })
        }
        #expect(passedOver > 0)
        #expect(try store.verify().problems == [])
    }

    @Test("Undo restores the fields that others have not written since, and reports that the others stay")
    func fields() async throws {
        let opened = try TestStore()
        let store = opened.store
        try await store.write { try $0.put(Reading(1, level: 1)) }
        try await store.write(Self.calibrate) { try $0.put(Reading(1, level: 2, note: "dry")) }
        try await store.write(Self.sync) { try $0.put(Reading(1, level: 3, note: "dry")) }
        let kept = try await store.write { transaction in
            let undone = try transaction.undo()
            return (undone, transaction.keptByUndo, transaction.passedOverByUndo)
        }
        #expect(kept.0 == Self.calibrate && kept.1 == 1 && kept.2 == [])
        #expect(try opened.readings() == [uuid(1): Reading(1, level: 3)])
        try await store.write { _ = try $0.redo() }
        #expect(try opened.readings() == [uuid(1): Reading(1, level: 3, note: "dry")])
    }

    @Test(
        "Undo passes over a creation that others have changed since, and redo and undo keep to the operation before it")
    func passedOver() async throws {
        let opened = try TestStore()
        let store = opened.store
        try await store.write { try $0.put(Reading(1, level: 1)) }
        try await store.write(Self.calibrate) { try $0.put(Reading(2, level: 2)) }
        try await store.write(Self.sync) { try $0.put(Reading(2, level: 3)) }
        let found = try await store.write { transaction in
            _ = try transaction.undo()
            return transaction.passedOverByUndo
        }
        #expect(found == [Self.calibrate])
        #expect(try opened.readings().mapValues(\.level) == [uuid(2): 3])
        try await store.write { _ = try $0.redo() }
        #expect(try opened.readings().mapValues(\.level) == [uuid(1): 1, uuid(2): 3])
        try await store.write { _ = try $0.undo() }
        #expect(try opened.readings().mapValues(\.level) == [uuid(2): 3])
        #expect(await recordsError { try await store.write { _ = try $0.undo() } } == .nothingToUndo)
    }

    @Test("Operations and origins are in the change feed by name, also after a purge rewrote their rows")
    func labels() async throws {
        let opened = try TestStore()
        try await opened.store.write(Self.calibrate) { transaction in
            try transaction.put(Reading(1))
            try transaction.put(Reading(2))
        }
        try await opened.store.write(Self.sync) { try $0.put(Reading(3)) }
        try await opened.store.write { _ = try $0.purgeHistory(of: Reading.self, id: uuid(1)) }
        let feed = opened.store.changes(after: 0).makeAsyncIterator()
        #expect(try await feed.next()?.label == Self.calibrate)
        #expect(try await feed.next()?.label == Self.sync)
        let long = String(repeating: "x", count: 70)
        try await opened.store.write(ChangeLabel(operation: long)) { try $0.put(Reading(4)) }
        #expect(try await feed.next()?.label.operation == String(long.prefix(60)))
    }

    @Test("A closure that catches a refused undo writes an edit, which can be undone")
    func caughtUndo() async throws {
        let opened = try TestStore()
        let store = opened.store
        try await store.write(Self.calibrate) { try $0.put(Reading(1, level: 1)) }
        try await store.write(Self.sync) { try $0.put(Reading(1, level: 2)) }
        try await store.write(ChangeLabel(operation: "readings.add")) { transaction in
            #expect(throws: RecordsError.changedSince) { try transaction.undo() }
            try transaction.put(Reading(2))
        }
        #expect(try await store.write { try $0.undo() }.operation == "readings.add")
        #expect(try opened.readings().mapValues(\.level) == [uuid(1): 2])
    }

    @Test("An operation has the undo window of its declaration")
    func window() throws {
        let schema = Reading.schema.declaring(
            OperationDeclaration("readings.calibrate", undoWindow: .milliseconds(1500)))
        let opened = try TestStore(schema: schema)
        let now = opened.store.context.clock.monotonic
        #expect(opened.store.undoDeadline(of: "readings.calibrate")?.microseconds(since: now) == 1_500_000)
        #expect(opened.store.undoDeadline(of: "readings.other") == nil)
        let twice = Schema().declaring(OperationDeclaration("a"), OperationDeclaration("a"))
        #expect(throws: RecordsError.self) { try TestStore(schema: twice) }
    }
}

@Suite struct DomainVersionTests {
    private func schema(_ versions: [String: UInt32]) -> Schema {
        versions.sorted { $0.key < $1.key }.reduce(Reading.schema) {
            $0.adding(Schema(domain: $1.key, version: $1.value))
        }
    }

    @Test("A newer version of one domain locks out only programs that know it")
    func newerDomain() throws {
        let opened = try TestStore(schema: schema(["tasks": 1]))
        let second = try opened.reopened(schema: schema(["tasks": 1, "journal": 3]))
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 3, known: 2)) {
            try second.reopened(schema: schema(["journal": 2]))
        }
        let third = try second.reopened(schema: schema(["tasks": 2]))
        #expect(throws: RecordsError.newerFormat(path: opened.folder.store, found: 2, known: 1)) {
            try third.reopened(schema: schema(["tasks": 1]))
        }
        _ = try third.reopened(schema: schema(["journal": 4]))
    }
}
