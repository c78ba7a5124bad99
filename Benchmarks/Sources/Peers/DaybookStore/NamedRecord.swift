import Daybook

/// A record with a name that is searched by its beginning.
struct NamedRecord: Record {
    var id: UUID
    var name: String

    static let byName = Index<NamedRecord, TextKey>("byName") { TextKey($0.name) }

    static let collection = RecordCollection<NamedRecord>("named") {
        Field(1, "name", .text)
        byName
    }

    init(id: UUID, name: String) {
        self.id = id
        self.name = name
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        name = try fields.string(1)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, name)
    }
}

/// A Daybook store of named records.
struct NamedStore {
    private let daybook: DaybookStore

    /// Opens it, and fills it if it is empty.
    init(folder: String, names: [String]) throws {
        daybook = try DaybookStore.open(
            at: folder, records: Schema().adding(NamedRecord.collection))
        guard try daybook.read({ try $0[NamedRecord.self].count() }) == 0 else { return }
        try daybook.bulkLoad { loader in
            for (number, name) in names.enumerated() {
                try loader.insert(NamedRecord(id: UUID(high: 0, low: UInt64(number)), name: name))
            }
        }
    }

    /// Returns the names that begin with a text, in their order.
    func names(beginning text: String) throws -> [String] {
        try daybook.read { try $0[NamedRecord.byName].prefix(TextPrefix(text)).map(\.name) }
    }

    func close() { daybook.close() }
}
