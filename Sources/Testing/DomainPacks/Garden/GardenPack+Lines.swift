import CivilTime
import Daybook
import FoundationEssentials
import Records

/// What is compared: everything that an index, a tally, a roll-up or a reference shows.
extension GardenPack {
    package var lines: [String] {
        let names = beds.keys.sorted { TextKey(Self.name(of: $0)).form < TextKey(Self.name(of: $1)).form }
        var lines = names.map { number in
            let bed = beds[number, default: Bed(tags: [])]
            let inside = plants.filter { $0.value.bed == number }.sorted { $0.key < $1.key }
            return Self.line(
                bed: number, bed.tags, bed.neighbor, count: inside.count,
                sum: Int64(inside.reduce(0) { $0 + $1.value.price }), plants: inside.map(\.key))
        }
        for tag in Self.tags {
            let tagged = beds.filter { $0.value.tags.contains(tag) }.keys.sorted()
            lines.append("\(tag): \(tagged)")
        }
        let newest = plants.sorted {
            ($1.value.plantedAt, Self.id($0.key).keyText) < ($0.value.plantedAt, Self.id($1.key).keyText)
        }
        lines += newest.map { Self.line(plant: $0, $1.bed, $1.nursery, $1.plantedAt, Int64($1.price)) }
        lines.append("planted: \(plants.count)")
        for nursery in nurseries.sorted() {
            lines.append("nursery \(nursery): \(plants.filter { $0.value.nursery == nursery }.keys.sorted())")
        }
        let texts = notes.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        lines += texts.map { "note \($0.key): \($0.value)" }
        let lengths = Dictionary(grouping: notes.values, by: \.utf8.count).mapValues(\.count)
        return lines + lengths.sorted { $0.key < $1.key }.map { "notes of length \($0.key): \($0.value)" }
    }

    package static func lines(in transaction: ReadTransaction) throws -> [String] {
        let number = TaskAction.number(of:)
        let beds = try transaction[DomainPacks.Bed.byName].range()
        var lines = try beds.map { bed in
            guard try transaction[DomainPacks.Bed.byName].first(TextKey(bed.name.uppercased()))?.id == bed.id else {
                throw LookUpsDisagree()
            }
            let inside = try transaction[DomainPacks.Plant.inBed].prefix(bed.id).map { number($0.id) }
            return line(
                bed: number(bed.id), bed.tags, bed.neighbor.map(number),
                count: try transaction[DomainPacks.Plant.perBed].count(of: bed.id),
                sum: try transaction[DomainPacks.Plant.perBed].sum(of: bed.id), plants: inside.sorted())
        }
        for tag in tags {
            let tagged = try transaction[DomainPacks.Bed.byTag].prefix(TextKey(tag)).map { number($0.id) }
            lines.append("\(tag): \(tagged.sorted())")
        }
        let plants = try transaction[DomainPacks.Plant.newest].range()
        lines += plants.map {
            line(plant: number($0.id), number($0.bed), $0.nursery.map(number), $0.plantedAt, $0.price)
        }
        lines.append("planted: \(try transaction[DomainPacks.Plant.perDay].count(in: always))")
        var nurseries: [Int] = []
        try transaction[Nursery.self].forEach {
            nurseries.append(number($0.id))
            return true
        }
        for nursery in nurseries.sorted() {
            let from = try transaction[DomainPacks.Plant.from].prefix(id(nursery)).map { number($0.id) }
            lines.append("nursery \(nursery): \(from.sorted())")
        }
        let notes = try transaction[Note.byText].range().map { (number: number($0.id), text: $0.text) }
        lines += notes.sorted { ($0.text, $0.number) < ($1.text, $1.number) }.map { "note \($0.number): \($0.text)" }
        try transaction[Note.perLength].forEach { length, count, _ in
            lines.append("notes of length \(length): \(count)")
            return true
        }
        return lines
    }

    /// From before 1970, which clocks may show, to beyond all plants.
    private static let always = Instant(secondsSince1970: -4_000_000_000)..<Instant(secondsSince1970: 4_000_000_000)

    private static func line(
        bed: Int, _ tags: [String], _ neighbor: Int?, count: Int, sum: Int64, plants: [Int]
    ) -> String {
        "bed \(bed) \(tags) next to \(neighbor.map { "\($0)" } ?? "none"): \(count) plants for \(sum): \(plants)"
    }

    private static func line(plant: Int, _ bed: Int, _ nursery: Int?, _ at: Instant, _ price: Int64) -> String {
        "plant \(plant) in \(bed) from \(nursery.map { "\($0)" } ?? "nowhere") at \(at) for \(price)"
    }

    /// Two ways to the same record lead to different ones.
    struct LookUpsDisagree: Error {}

    /// No plant is without its bed, whatever reads them.
    package static func problems(in transaction: ReadTransaction) throws -> [String] {
        var problems: [String] = []
        for plant in try transaction[DomainPacks.Plant.byTime].range()
        where try transaction[DomainPacks.Bed.self].get(plant.bed) == nil {
            problems.append("a plant is without its bed")
        }
        return problems
    }
}

extension UUID {
    /// Orders ids as keys do.
    fileprivate var keyText: String { uuidString }
}
