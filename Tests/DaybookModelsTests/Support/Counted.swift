import Daybook
import Synchronization

/// A record type that counts how often one is decoded.
struct Counted: Record, Equatable {
    static let decoded = Mutex(0)
    static let byNumber = Index<Counted, Int64>("byNumber") { $0.number }
    static let collection = RecordCollection<Counted>("counted") { byNumber }

    var id: UUID
    var number: Int64

    init(id: UUID, number: Int64) {
        (self.id, self.number) = (id, number)
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        number = try fields.int64(1)
        Self.decoded.withLock { $0 += 1 }
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, number)
    }
}
