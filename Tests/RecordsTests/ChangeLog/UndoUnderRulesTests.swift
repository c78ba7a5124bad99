import Foundation
import Testing

@testable import Records

/// Undo beside changes of others, where the rules of references and of unique keys forbid what it would restore.
@Suite struct UndoUnderRulesTests {
    private static let sync = ChangeLabel(operation: "garden.merge", origin: .sync)

    /// What an undo or redo reports.
    private struct Answer: Equatable {
        var kept = 0
        var passedOver = 0
    }

    private func undo(_ store: RecordStore, again isRedo: Bool = false) async throws -> Answer {
        try await store.write { transaction in
            _ = try isRedo ? transaction.redo() : transaction.undo()
            return Answer(kept: transaction.keptByUndo, passedOver: transaction.passedOverByUndo.count)
        }
    }

    @Test("A record that would name one that others have deleted is passed over for the operation before it")
    func cascade() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write(Self.sync) { try $0.put(Sensor(1, "roof")) }
        try await store.write { try $0.put(Sensor(2, "cellar")) }
        try await store.write { try $0.put(Sample(1, of: 1)) }
        _ = try await undo(store)
        try await store.write(Self.sync) { _ = try $0.delete(Sensor.self, id: uuid(1)) }
        #expect(await recordsError { _ = try await undo(store, again: true) } == .changedSince)
        #expect(try await undo(store) == Answer())
        #expect(try await undo(store, again: true) == Answer())
        #expect(try store.read { try $0[Sensor.self].page().map(\.name) } == ["cellar"])
        #expect(try store.verify().problems == [])
    }

    @Test("A deletion is undone without the references to what others have deleted since, where those may be nil")
    func nullify() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write(Self.sync) { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sensor(2, "cellar", tags: ["wet"], neighbor: 1))
            try transaction.put(Sensor(3, "attic", neighbor: 1))
        }
        try await store.write { try $0.put(Sensor(3, "attic")) }
        try await store.write { _ = try $0.delete(Sensor.self, id: uuid(2)) }
        try await store.write(Self.sync) { _ = try $0.delete(Sensor.self, id: uuid(1)) }
        #expect(try await undo(store) == Answer(kept: 1))
        #expect(try store.read { try $0[Sensor.self].get(uuid(2)) } == Sensor(2, "cellar", tags: ["wet"]))
        // Nothing is left of a change of nothing but the reference.
        #expect(await recordsError { _ = try await undo(store) } == .changedSince)
        #expect(try store.verify().problems == [])
    }

    @Test("A creation that others name since under a rule that keeps it is passed over")
    func restrict() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write(Self.sync) { try $0.put(Sensor(1, "roof")) }
        try await store.write { try $0.put(Alarm(1)) }
        try await store.write { try $0.put(Alarm(2)) }
        try await store.write(Self.sync) { try $0.put(Sample(1, of: 1, alarm: 2)) }
        #expect(try await undo(store) == Answer(passedOver: 1))
        #expect(try store.read { try $0[Alarm.self].page() } == [Alarm(2)])
        #expect(try store.verify().problems == [])
    }

    @Test("A record whose unique key others have taken since stays deleted, and the rest of the operation is undone")
    func unique() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write(Self.sync) { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sensor(2, "cellar"))
            try transaction.put(Sample(1, of: 1))
            try transaction.put(Sample(2, of: 2))
        }
        try await store.write { transaction in
            for number in 1...2 { try transaction.delete(Sensor.self, id: uuid(UInt64(number))) }
        }
        try await store.write(Self.sync) { try $0.put(Sensor(3, "Roof")) }
        // The sensor, and its sample.
        #expect(try await undo(store) == Answer(kept: 2))
        #expect(try store.read { try $0[Sensor.self].page().map(\.name) } == ["cellar", "Roof"])
        #expect(try store.read { try $0[Sample.self].page() } == [Sample(2, of: 2)])
        #expect(try store.verify().problems == [])
        #expect(try await undo(store, again: true) == Answer())
        #expect(try store.read { try $0[Sensor.self].page().map(\.name) } == ["Roof"])
    }

    @Test("What an operation that is passed over has deleted is not made anew by undoing one before it")
    func beforeOneThatIsPassedOver() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write(Self.sync) { transaction in
            for (number, name) in ["roof", "cellar"].enumerated() { try transaction.put(Sensor(UInt64(number), name)) }
        }
        try await store.write { try $0.put(Sensor(0, "roof", tags: ["wet"])) }
        try await store.write { try $0.put(Sensor(1, "cellar", tags: ["wet"])) }
        try await store.write { _ = try $0.delete(Sensor.self, id: uuid(0)) }
        try await store.write(Self.sync) { try $0.put(Sensor(2, "Roof")) }
        #expect(try await undo(store) == Answer(passedOver: 1))
        #expect(try store.read { try $0[Sensor.self].page() } == [Sensor(1, "cellar"), Sensor(2, "Roof")])
        // Also in a transaction of its own.
        #expect(await recordsError { _ = try await undo(store) } == .changedSince)
        #expect(try await undo(store, again: true) == Answer())

        // In the other direction.
        try await store.write { try $0.put(Sensor(3, "attic")) }
        try await store.write { try $0.put(Sensor(1, "cellar", tags: ["dry"])) }
        try await store.write { try $0.put(Sensor(3, "attic", tags: ["dry"])) }
        for _ in 0..<3 { _ = try await undo(store) }
        try await store.write(Self.sync) { try $0.put(Sensor(4, "Attic")) }
        #expect(try await undo(store, again: true) == Answer(passedOver: 1))
        #expect(await recordsError { _ = try await undo(store, again: true) } == .changedSince)
        #expect(
            try store.read { try $0[Sensor.self].page() } == [
                Sensor(1, "cellar", tags: ["dry"]), Sensor(2, "Roof"), Sensor(4, "Attic"),
            ])
        #expect(try store.verify().problems == [])
    }

    @Test("An operation of several rows is undone but for the records whose sensor others have deleted")
    func severalRows() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        let count: UInt64 = 9000
        try await store.write(Self.sync) { transaction in
            for sensor in 1...2 as ClosedRange<UInt64> { try transaction.put(Sensor(sensor, "sensor \(sensor)")) }
            for number in 0..<count { try transaction.put(Sample(number, of: 1 + number % 2)) }
        }
        try await store.write { transaction in
            for number in 0..<count { try transaction.delete(Sample.self, id: uuid(1_000_000 + number)) }
        }
        try await store.write(Self.sync) { _ = try $0.delete(Sensor.self, id: uuid(1)) }
        for kept in [Int(count / 2), 0] {
            #expect(try await undo(store).kept == kept)
            #expect(try store.read { try $0[Sample.ofSensor].prefix(uuid(2)).count } == Int(count / 2))
            #expect(try store.read { try $0[Sample.self].count() } == Int(count / 2))
            #expect(try store.verify().problems == [])
            _ = try await undo(store, again: true)
            #expect(try store.read { try $0[Sample.self].count() } == 0)
        }
    }

    @Test("One change is not undone when what it needs is gone, taken or in use since")
    func oneChange() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { transaction in
            for (number, name) in ["roof", "cellar"].enumerated() {
                try transaction.put(Sensor(UInt64(number), name))
            }
            try transaction.put(Sample(1, of: 0))
        }
        func sequence(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> UInt64 {
            try await store.writeNumbered { try body($0) }.sequence
        }
        var changes: [UInt64] = []
        changes.append(try await sequence { _ = try $0.delete(Sample.self, id: uuid(1_000_001)) })
        _ = try await sequence { _ = try $0.delete(Sensor.self, id: uuid(0)) }
        changes.append(try await sequence { _ = try $0.delete(Sensor.self, id: uuid(1)) })
        _ = try await sequence { try $0.put(Sensor(2, "Cellar")) }
        changes.append(try await sequence { try $0.put(Alarm(1)) })
        _ = try await sequence { try $0.put(Sample(2, of: 2, alarm: 1)) }
        for change in changes {
            #expect(await recordsError { try await store.write { try $0.undo(change) } } == .changedSince)
        }
        #expect(try store.verify().problems == [])
    }

    @Test("Two references of one kind of record are both checked, whichever is written last")
    func twoReferences() async throws {
        let opened = try TestStore(schema: Bridge.schema)
        let error = await recordsError {
            try await opened.store.write { transaction in
                try transaction.put(Alarm(1))
                try transaction.put(Bridge(1, from: 7, to: 1))
                try transaction.put(Bridge(2, from: 1, to: 7))
                try transaction.delete(Bridge.self, id: uuid(2))
            }
        }
        #expect(error == .missingTarget(reference: "bridges.start"))
    }

    /// A record that names two of a kind.
    private struct Bridge: Record {
        var id: UUID
        var start: UUID
        var end: UUID

        static let ofStart = Reference<Bridge, Alarm>("start", whenDeleted: .cascade, \.start)
        static let ofEnd = Reference<Bridge, Alarm>("end", whenDeleted: .cascade, \.end)
        static let collection = RecordCollection<Bridge>("bridges") {
            Field(1, "start", .uuid)
            Field(2, "end", .uuid)
            ofStart
            ofEnd
        }
        static let schema = Schema().adding(Alarm.collection).adding(Bridge.collection)

        init(_ number: UInt64, from start: UInt64, to end: UInt64) {
            (id, self.start, self.end) = (uuid(number), uuid(start), uuid(end))
        }

        init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
            self.id = id
            guard let start = try fields.optionalUUID(1), let end = try fields.optionalUUID(2) else {
                throw .unreadableField(number: 1)
            }
            (self.start, self.end) = (start, end)
        }

        func encode(into fields: inout FieldEncoder) {
            fields.put(1, start)
            fields.put(2, end)
        }
    }

    @Test(
        "Whatever others have written, undo and redo succeed or report that nothing is left, and leave what the others wrote",
        arguments: 1...12 as ClosedRange<UInt64>)
    func beside(seed: UInt64) async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        var dice = Dice(seed)
        // What others have changed last.
        var theirs: Set<Content.Cell> = []
        var refused = 0
        for step in 0..<500 {
            let before = try Content(store)
            let sensor = UInt64(dice.below(6))
            let isOther = dice.chance(50)
            let label = isOther ? Self.sync : ChangeLabel(operation: "garden.edit")
            var answer: RecordsError?
            var restores = false
            switch dice.below(9) {
            case 0, 1:
                let neighbor = dice.chance(50) ? UInt64(dice.below(6)) : nil
                let record = Sensor(sensor, "name \(dice.below(5))", neighbor: neighbor)
                answer = await recordsError { try await store.write(label) { try $0.put(record) } }
            case 2, 3:
                let alarm = dice.chance(60) ? UInt64(100 + dice.below(3)) : nil
                let record = Sample(UInt64(dice.below(8)), of: sensor, alarm: alarm, value: Int64(step))
                answer = await recordsError { try await store.write(label) { try $0.put(record) } }
            case 4:
                answer = await recordsError {
                    try await store.write(label) { _ = try $0.delete(Sensor.self, id: uuid(sensor)) }
                }
            case 5:
                let alarm = UInt64(100 + dice.below(3))
                answer = await recordsError {
                    try await store.write(label) { transaction in
                        if try !transaction.delete(Alarm.self, id: uuid(alarm)) { try transaction.put(Alarm(alarm)) }
                    }
                }
            default:
                restores = true
                let isRedo = dice.chance(35)
                answer = await recordsError {
                    let result = try await undo(store, again: isRedo)
                    refused += result.kept + result.passedOver
                }
                let nothing = isRedo ? RecordsError.nothingToRedo : .nothingToUndo
                #expect([nil, .changedSince, nothing].contains(answer), "step \(step)")
            }
            let after = try Content(store)
            for cell in Set(before.cells.keys).union(after.cells.keys) where before.cells[cell] != after.cells[cell] {
                if isOther, !restores {
                    theirs.insert(cell)
                } else if theirs.remove(cell) != nil, restores {
                    #expect(after.followsFromRules(cell, since: before), "step \(step), \(cell)")
                }
            }
            if step % 50 == 49 { #expect(try store.verify().problems == []) }
        }
        #expect(refused > 0)
    }

    /// The records of a garden, field by field.
    private struct Content {
        struct Cell: Hashable {
            let record: UUID
            /// 0 for the record's existence.
            var field = 0
        }

        var cells: [Cell: String] = [:]
        private var sensors: [UUID: Sensor] = [:]
        private var samples: [UUID: Sample] = [:]

        init(_ store: RecordStore) throws {
            try store.read { transaction in
                for sensor in try transaction[Sensor.self].page(limit: 100) {
                    sensors[sensor.id] = sensor
                    add(sensor.id, sensor.name, sensor.neighbor?.uuidString)
                }
                for sample in try transaction[Sample.self].page(limit: 100) {
                    samples[sample.id] = sample
                    add(sample.id, sample.sensor.uuidString, sample.alarm?.uuidString, "\(sample.value)")
                }
                for alarm in try transaction[Alarm.self].page(limit: 100) { add(alarm.id) }
            }
        }

        private mutating func add(_ record: UUID, _ fields: String?...) {
            for (number, value) in ([""] + fields).enumerated() { cells[Cell(record: record, field: number)] = value }
        }

        /// Whether something differs because a record that is named is gone.
        func followsFromRules(_ cell: Cell, since before: Content) -> Bool {
            if let sample = before.samples[cell.record] {
                return samples[cell.record] == nil && sensors[sample.sensor] == nil
            }
            guard cell.field == 2, cells[cell] == nil, let neighbor = before.sensors[cell.record]?.neighbor else {
                return false
            }
            return sensors[neighbor] == nil
        }
    }
}
