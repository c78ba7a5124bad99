import Records

/// A record of a synced collection.
struct SyncedRecord: Hashable {
    let collection: SyncedCollection
    let key: [UInt8]

    static func == (left: Self, right: Self) -> Bool {
        left.collection.number == right.collection.number && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(collection.number)
        hasher.combine(key)
    }
}

/// What a transaction did to a record of a synced collection, its tombstone included.
struct RecordChange {
    var kind: FollowedChange.Kind
    var before: [UInt8]?
    var changedFields: UInt64
    /// Whether only its tombstone has changed.
    var isTombstone = false
}

/// The collections that take part in sync.
struct SyncedCollections: Sendable {
    private let byNumber: [UInt32: SyncedCollection]
    /// The collections whose tombstones are in a collection of a number.
    private let byTombstones: [UInt32: SyncedCollection]
    /// In the order of their declaration: those that others refer to come first.
    let all: [SyncedCollection]

    init(_ collections: [SyncedCollection]) {
        all = collections
        byNumber = Dictionary(collections.map { ($0.number, $0) }) { first, _ in first }
        byTombstones = Dictionary(
            collections.compactMap { collection in collection.tombstones.map { ($0.number, collection) } }
        ) { first, _ in first }
    }

    subscript(number: UInt32) -> SyncedCollection? { byNumber[number] }

    /// The record of a key in a synced collection, or in the collection of its tombstones.
    func record(ofKey key: [UInt8], in collection: UInt32) -> SyncedRecord? {
        (byNumber[collection] ?? byTombstones[collection]).map { SyncedRecord(collection: $0, key: key) }
    }

    /// The changes of synced records among all of a transaction's, in their order. A tombstone belongs to the record that it
    /// stands for.
    func records(of changes: [FollowedChange]) -> [(record: SyncedRecord, change: RecordChange)] {
        var places: [SyncedRecord: Int] = [:]
        var records: [(record: SyncedRecord, change: RecordChange)] = []
        for change in changes {
            if let collection = byNumber[change.collection] {
                let record = SyncedRecord(collection: collection, key: change.key)
                let own = RecordChange(
                    kind: change.kind, before: change.before, changedFields: change.changedFields)
                if let place = places[record] {
                    records[place].change = own
                } else {
                    places[record] = records.count
                    records.append((record, own))
                }
            } else if let collection = byTombstones[change.collection] {
                let record = SyncedRecord(collection: collection, key: change.key)
                guard places[record] == nil else { continue }
                places[record] = records.count
                records.append(
                    (
                        record,
                        RecordChange(
                            kind: change.kind, before: nil, changedFields: 0, isTombstone: change.isPresent)
                    ))
            }
        }
        return records
    }
}

extension SyncedCollection {
    /// Whether all records are there without which this one cannot be.
    func hasParents(key: [UInt8], _ fields: StoredFields, in transaction: ReadTransaction) throws -> Bool {
        for parent in parents {
            guard let target = parent.key(key, fields),
                try transaction.storedBytes(ofKey: target, in: parent.target) != nil
            else { return false }
        }
        return true
    }
}

extension StoredFields {
    /// The signed integer of a field of up to eight bytes; nil without the field.
    func integer(_ number: Int) -> Int64? {
        guard let field = fields.first(where: { $0.number == number }), field.content.count <= 8 else { return nil }
        let value = field.content.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(bitPattern: value)
    }

    subscript(number: Int) -> Field? {
        get { fields.first { $0.number == number } }
        set {
            fields.removeAll { $0.number == number }
            guard let newValue else { return }
            fields.insert(newValue, at: fields.firstIndex { $0.number > number } ?? fields.count)
        }
    }

    /// The fields of some numbers, as a value.
    func value(of numbers: [Int]) -> [UInt8] {
        StoredFields(fields.filter { numbers.contains($0.number) }).value ?? [1]
    }
}

extension StoredFields.Field {
    /// A field of a signed integer of 64 bits.
    static func integer(_ number: Int, _ value: Int64) -> Self {
        var content: [UInt8] = []
        content.append(littleEndian: value)
        return Self(number: number, form: .eightBytes, content: content)
    }

    /// A field of an unsigned integer of 32 bits; nil for 0, which is not stored.
    static func unsigned32(_ number: Int, _ value: UInt32) -> Self? {
        guard value != 0 else { return nil }
        var content: [UInt8] = []
        content.append(littleEndian: value)
        return Self(number: number, form: .fourBytes, content: content)
    }
}
