import CivilTime
import Daybook
import FoundationEssentials
import Records

/// A bed of a garden: a record with a unique name, several tags, and a neighbor that it forgets when that is deleted.
struct Bed: Record {
    let id: UUID
    var name: String
    var tags: [String]
    var neighbor: UUID?

    static let byName = Index<Bed, TextKey>("byName", isUnique: true) { TextKey($0.name) }
    static let byTag = Index<Bed, TextKey>(each: "byTag", hasPendingList: true) { $0.tags.map { TextKey($0) } }
    static let nextTo = Reference<Bed, Bed>("nextTo", whenDeleted: .nullify, \.neighbor)

    static let collection = RecordCollection<Bed>("beds") {
        Field(1, "name", .text)
        Field(2, "tags", .text)
        Field(3, "neighbor", .uuid)
        byName
        byTag
        nextTo
    }

    init(id: UUID, name: String, tags: [String], neighbor: UUID?) {
        self.id = id
        self.name = name
        self.tags = tags
        self.neighbor = neighbor
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        name = try fields.string(1)
        tags = try fields.optionalString(2)?.split(separator: "\n").map(String.init) ?? []
        neighbor = try fields.optionalUUID(3)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, name)
        fields.put(2, tags.isEmpty ? nil : tags.joined(separator: "\n"))
        fields.put(3, neighbor)
    }
}

/// A plant: it goes with its bed, and its nursery cannot be deleted while it is there.
struct Plant: Record {
    let id: UUID
    var bed: UUID
    var nursery: UUID?
    var plantedAt: Instant
    var price: Int64

    static let inBed = Reference<Plant, Bed>("inBed", whenDeleted: .cascade, \.bed)
    static let from = Reference<Plant, Nursery>("from", whenDeleted: .restrict, \.nursery)
    static let newest = Index<Plant, Descending<Instant>>("newest") { Descending($0.plantedAt) }
    static let byTime = Index<Plant, Instant>("byTime") { $0.plantedAt }
    static let perDay = RollUp("perDay", over: byTime)
    static let perBed = Tally<Plant, UUID>("perBed", summing: \.price) { $0.bed }

    static let collection = RecordCollection<Plant>("plants") {
        Field(1, "bed", .uuid)
        Field(2, "nursery", .uuid)
        Field(3, "plantedAt", .instant)
        Field(4, "price", .integer)
        inBed
        from
        newest
        byTime
        perDay
        perBed
    }

    init(id: UUID, bed: UUID, nursery: UUID?, plantedAt: Instant, price: Int64) {
        self.id = id
        self.bed = bed
        self.nursery = nursery
        self.plantedAt = plantedAt
        self.price = price
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        bed = try fields.uuid(1)
        nursery = try fields.optionalUUID(2)
        plantedAt = try fields.instant(3)
        price = try fields.int64(4)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, bed)
        fields.put(2, nursery)
        fields.put(3, plantedAt)
        fields.put(4, price)
    }
}

/// Where plants come from.
struct Nursery: Record {
    let id: UUID

    static let collection = RecordCollection<Nursery>("nurseries") {}

    init(id: UUID) { self.id = id }
    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) { self.id = id }
    func encode(into fields: inout FieldEncoder) {}
}

/// A note that is being written: durable, but neither in the change log nor undone.
struct Note: Record {
    let id: UUID
    var text: String

    static let byText = Index<Note, TextKey>("byText") { TextKey($0.text) }
    static let perLength = Tally<Note, UInt32>("perLength") { UInt32($0.text.utf8.count) }

    static let collection = RecordCollection<Note>("notes", isTracked: false) {
        Field(1, "text", .text)
        byText
        perLength
    }

    init(id: UUID, text: String) {
        self.id = id
        self.text = text
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
    }
}
