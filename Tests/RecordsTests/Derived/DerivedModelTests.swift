import CivilTime
import Foundation
import Testing

@testable import Records

/// The garden as plain dictionaries.
private struct Model: Equatable {
    var sensors: [UUID: Sensor] = [:]
    var samples: [UUID: Sample] = [:]

    mutating func delete(_ sensor: UUID) {
        sensors[sensor] = nil
        samples = samples.filter { $0.value.sensor != sensor }
        for (id, other) in sensors where other.neighbor == sensor { sensors[id]?.neighbor = nil }
    }
}

@Suite struct DerivedModelTests {
    @Test(
        "Indexes of several keys, tallies and references equal a model after every step, and undo leads back [D16]",
        arguments: 1...6 as ClosedRange<UInt64>)
    func lockstep(seed: UInt64) async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        var dice = Dice(seed)
        var model = Model()
        var history: [Model] = []
        var undone: [Model] = []
        for step in 0..<200 {
            let before = model
            var error: RecordsError?
            switch dice.below(12) {
            case 0...4:
                let number = UInt64(dice.below(12))
                let names = ["roof", "Roof ", "cellar", "a very long name that goes on and on", "Röof"]
                let neighbor = dice.chance(50) ? UInt64(dice.below(12)) : nil
                let tags = (0..<dice.below(4)).map { _ in
                    dice.pick(["wet", "Dry", "dry", "old", "long tag of many letters, and more"])
                }
                let sensor = Sensor(number, dice.pick(names) + "\(dice.below(3))", tags: tags, neighbor: neighbor)
                error = await recordsError { try await store.write { try $0.put(sensor) } }
                let others = model.sensors.values.filter { $0.id != sensor.id }
                if others.contains(where: { TextKey($0.name) == TextKey(sensor.name) }) {
                    #expect(
                        error == .duplicateKey(index: "sensors.byName")
                            || error == .missingTarget(reference: "sensors.neighborOf"))
                } else if let neighbor = sensor.neighbor, neighbor != sensor.id, model.sensors[neighbor] == nil {
                    #expect(error == .missingTarget(reference: "sensors.neighborOf"))
                } else {
                    #expect(error == nil)
                    model.sensors[sensor.id] = sensor
                }
            case 5...7:
                let sample = Sample(
                    UInt64(dice.below(30)), of: UInt64(dice.below(12)), second: Int64(dice.below(5)),
                    value: Int64(dice.below(9)) - 4)
                error = await recordsError { try await store.write { try $0.put(sample) } }
                #expect(
                    (error == .missingTarget(reference: "samples.ofSensor")) == (model.sensors[sample.sensor] == nil))
                if error == nil { model.samples[sample.id] = sample }
            case 8:
                let id = uuid(dice.below(12))
                _ = try await store.write { try $0.delete(Sensor.self, id: id) }
                model.delete(id)
            case 9, 10:
                error = await recordsError { try await store.write { _ = try $0.undo() } }
                #expect((error == .nothingToUndo) == history.isEmpty)
                if error == nil {
                    undone.append(model)
                    model = history.removeLast()
                }
                try Self.compare(store, model, "step \(step)")
                continue
            default:
                error = await recordsError { try await store.write { _ = try $0.redo() } }
                #expect((error == .nothingToRedo) == undone.isEmpty)
                if error == nil {
                    history.append(model)
                    model = undone.removeLast()
                }
                try Self.compare(store, model, "step \(step)")
                continue
            }
            if error == nil, model != before {
                history.append(before)
                undone = []
            }
            try Self.compare(store, model, "step \(step)")
            if step % 50 == 49 { #expect(try store.verify().problems == []) }
        }
        let dry = try store.read { try $0[Sensor.byTag].prefix(TextPrefix("dry")).map(\.id) }
        _ = try await store.rebuild()
        #expect(try store.verify().problems == [])
        try Self.compare(store, model, "rebuilt")
        #expect(try store.read { try $0[Sensor.byTag].prefix(TextPrefix("dry")).map(\.id) } == dry)
    }

    private static func compare(_ store: RecordStore, _ model: Model, _ place: String) throws {
        try store.read { transaction in
            let byID = { (left: UUID, right: UUID) in left.uuidString < right.uuidString }
            let sensors = model.sensors.values.sorted { byID($0.id, $1.id) }
            var found: [Sensor] = []
            try transaction[Sensor.self].forEach {
                found.append($0); return true
            }
            #expect(found == sensors, "\(place)")
            for prefix in [
                "", "r", "roof", "a very long name that goes on and", "wet", "dr", "long tag of many letters, a",
            ] {
                let part = TextPrefix(prefix)
                let named = sensors.filter { TextKey($0.name).begins(with: part) }
                #expect(Set(try transaction[Sensor.byName].prefix(part).map(\.id)) == Set(named.map(\.id)), "\(place)")
                let tagged = sensors.filter { $0.tags.contains { TextKey($0).begins(with: part) } }
                let result = try transaction[Sensor.byTag].prefix(part).map(\.id)
                #expect(result.sorted(by: byID) == tagged.map(\.id), "\(place), \(prefix)")
            }
            let newest = model.samples.values.sorted {
                ($1.takenAt, $0.id.uuidString) < ($0.takenAt, $1.id.uuidString)
            }
            #expect(try transaction[Sample.newest].range() == newest, "\(place)")
            var pages: [Sample] = []
            var token: PageToken?
            repeat {
                let page = try transaction[Sample.newest].page(after: token, limit: 3)
                pages += page.records
                token = page.next
            } while token != nil
            #expect(pages == newest)
            for number in 0..<12 as Range<UInt64> {
                let ours = model.samples.values.filter { $0.sensor == uuid(number) }
                #expect(try transaction[Sample.perSensor].count(of: uuid(number)) == ours.count, "\(place)")
                #expect(try transaction[Sample.perSensor].sum(of: uuid(number)) == ours.reduce(0) { $0 + $1.value })
                #expect(try transaction[Sample.ofSensor].prefix(uuid(number)).count == ours.count)
                let near = model.sensors.values.filter { $0.neighbor == uuid(number) }
                #expect(try transaction[Sensor.neighborOf].prefix(uuid(number)).count == near.count)
            }
        }
    }
}
