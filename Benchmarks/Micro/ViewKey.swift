import Daybook

/// A key with the parts of a view's entry: day, rank, position, id.
struct ViewKey: OrderedKey, Hashable {
    static let width = 29

    let day: Day
    let rank: UInt8
    let position: Int64
    let id: UUID

    init(day: Day, rank: UInt8, position: Int64, id: UUID) {
        self.day = day
        self.rank = rank
        self.position = position
        self.id = id
    }

    func encode(into key: inout KeyBytes) {
        day.encode(into: &key)
        rank.encode(into: &key)
        position.encode(into: &key)
        id.encode(into: &key)
    }

    init(decoding key: inout KeyDecoder) throws(RecordsError) {
        day = try Day(decoding: &key)
        rank = try UInt8(decoding: &key)
        position = try Int64(decoding: &key)
        id = try UUID(decoding: &key)
    }
}

/// A record that consists of its key: reading one decodes the key.
struct KeyOnly: Record {
    static let collection = RecordCollection<KeyOnly>("keysOnly")

    let id: ViewKey

    init(id: ViewKey) {
        self.id = id
    }

    init(id: ViewKey, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
    }

    func encode(into fields: inout FieldEncoder) {}
}
