import CivilTime
import Daybook
import FoundationEssentials
import Records

/// A domain with every kind of declaration that tasks do not have: an index with several keys, a unique one, a descending
/// one, tallies, references with each rule, an untracked collection. Records have numbers; names and ids follow from them.
package struct GardenPack: DomainPack {
    package struct Bed: Equatable, Sendable {
        var tags: [String]
        var neighbor: Int?
    }

    package struct Plant: Equatable, Sendable {
        var bed: Int
        var nursery: Int?
        var plantedAt: Instant
        var price: Int
    }

    package var beds: [Int: Bed] = [:]
    package var plants: [Int: Plant] = [:]
    package var nurseries: Set<Int> = []
    /// Untracked.
    package var notes: [Int: String] = [:]
    /// The highest number given.
    package var lastNumber = 0

    package init() {}

    package static let records = Schema().adding(DomainPacks.Bed.collection).adding(DomainPacks.Plant.collection)
        .adding(Nursery.collection).adding(Note.collection)

    /// Two beds that are neighbors, a nursery with a plant in the first, another plant, and a note.
    package static let start = ["dig", "dig.1", "join", "plant.1", "plant.3", "note.2"]

    static let tags = ["sunny", "Dry", "near the wall"]
    /// The number of notes.
    static let noteCount = 3

    package func restored(to other: Self) -> Self {
        var restored = other
        restored.notes = notes
        restored.lastNumber = lastNumber
        return restored
    }

    static func id(_ number: Int) -> UUID { TaskAction.id(number) }

    static func name(of bed: Int) -> String { "Bed \(bed)" }
}

// MARK: Operations

extension GardenPack {
    package static let operations: [DomainOperation<Self>] = [
        DomainOperation("plant", weight: 3) { model, draw in
            guard let bed = draw.pick(model.beds.keys.sorted()) else { return nil }
            let nursery = draw.pick([nil] + model.nurseries.sorted())
            let (number, price, now) = (model.lastNumber + 1, 1 + draw.below(40), draw.now)
            let plant = Plant(bed: bed, nursery: nursery ?? nil, plantedAt: now, price: price)
            return DomainChange {
                $0.lastNumber = number
                $0.plants[number] = plant
            } transaction: {
                try $0.put(plant.record(number))
            }
        },
        DomainOperation("dig") { model, draw in
            let number = model.lastNumber + 1
            let bed = Bed(tags: Array(tags.prefix(1 + draw.below(3))), neighbor: draw.pick(model.beds.keys.sorted()))
            return DomainChange {
                $0.lastNumber = number
                $0.beds[number] = bed
            } transaction: {
                try $0.put(bed.record(number))
            }
        },
        // Other tags, another neighbor.
        DomainOperation("change") { model, draw in
            guard let number = draw.pick(model.beds.keys.sorted()), var bed = model.beds[number] else { return nil }
            bed.tags = bed.tags.contains(tags[0]) ? [tags[1], tags[2]] : [tags[0]]
            bed.neighbor = draw.pick(model.beds.keys.sorted().reversed())
            return DomainChange { [bed] in
                $0.beds[number] = bed
            } transaction: { [bed] in
                try $0.put(bed.record(number))
            }
        },
        // With its plants; other beds forget it.
        DomainOperation("clear") { model, draw in
            guard let number = draw.pick(model.beds.keys.sorted()) else { return nil }
            return DomainChange {
                $0.beds[number] = nil
                $0.plants = $0.plants.filter { $0.value.bed != number }
                for (other, bed) in $0.beds where bed.neighbor == number { $0.beds[other]?.neighbor = nil }
            } transaction: {
                try $0.delete(DomainPacks.Bed.self, id: id(number))
            }
        },
        // Replaces one of a few notes.
        DomainOperation("note") { model, draw in
            let (number, length) = (draw.below(noteCount), 1 + draw.below(60))
            let text = String(repeating: "a", count: length + (model.notes[number] ?? "").utf8.count % 7)
            return DomainChange {
                $0.notes[number] = text
            } transaction: {
                try $0.put(Note(id: id(number), text: text))
            }
        },
        // A nursery is deleted if no plant is from it.
        DomainOperation("leave") { model, draw in
            guard let number = draw.pick(model.nurseries.sorted()) else { return nil }
            let delete = { @Sendable (transaction: WriteTransaction) throws -> Void in
                try transaction.delete(Nursery.self, id: id(number))
            }
            if model.plants.values.contains(where: { $0.nursery == number }) { return .refused(transaction: delete) }
            return DomainChange({ $0.nurseries.remove(number) }, transaction: delete)
        },
        DomainOperation("join", isShort: false) { model, _ in
            let number = model.lastNumber + 1
            return DomainChange {
                $0.lastNumber = number
                $0.nurseries.insert(number)
            } transaction: {
                try $0.put(Nursery(id: id(number)))
            }
        },
        DomainOperation("uproot", isShort: false) { model, draw in
            guard let number = draw.pick(model.plants.keys.sorted()) else { return nil }
            return DomainChange({ $0.plants[number] = nil }) {
                try $0.delete(DomainPacks.Plant.self, id: id(number))
            }
        },
        // A bed whose name another one has, in other letters.
        DomainOperation("duplicate", isShort: false) { model, draw in
            guard let number = draw.pick(model.beds.keys.sorted()) else { return nil }
            let new = model.lastNumber + 1
            return .refused {
                try $0.put(
                    DomainPacks.Bed(id: id(new), name: name(of: number).uppercased(), tags: [], neighbor: nil))
            }
        },
        // A hundred plants, so that clearing a bed is a long cascade.
        DomainOperation("sow", isShort: false) { model, draw in
            guard let bed = draw.pick(model.beds.keys.sorted()) else { return nil }
            let (numbers, now) = ((model.lastNumber + 1)...(model.lastNumber + 100), draw.now)
            let plant = Plant(bed: bed, nursery: nil, plantedAt: now, price: 1)
            return DomainChange {
                $0.lastNumber = numbers.upperBound
                for number in numbers { $0.plants[number] = plant }
            } transaction: {
                for number in numbers { try $0.put(plant.record(number)) }
            }
        },
    ]
}

extension GardenPack.Bed {
    fileprivate func record(_ number: Int) -> Bed {
        Bed(
            id: GardenPack.id(number), name: GardenPack.name(of: number), tags: tags,
            neighbor: neighbor.map(GardenPack.id))
    }
}

extension GardenPack.Plant {
    fileprivate func record(_ number: Int) -> Plant {
        Plant(
            id: GardenPack.id(number), bed: GardenPack.id(bed), nursery: nursery.map(GardenPack.id),
            plantedAt: plantedAt, price: Int64(price))
    }
}
