import CivilTime
import FoundationEssentials
import KeyValue

extension StoreInspection {
    /// How many entries a page or a search passes over that show nothing.
    private static let stepLimit = 20_000

    /// Up to `limit` records in the order of their keys or of an index, from the first one after an earlier page.
    ///
    /// - Parameters:
    ///   - index: the name of an index of the collection; nil for the order of the keys.
    ///   - interval: the keys that are shown.
    ///   - entry: the `next` of the page before.
    /// - Throws: `unknownCollection` for a collection or an index that is not there.
    /// - Complexity: a step and a look-up for each row; one step for each pending row of the index.
    public func page(
        of collection: CollectionSummary, by index: String? = nil, in interval: KeyInterval = .all,
        backwards: Bool = false, after entry: [UInt8]? = nil, limit: Int = 50
    ) throws -> RowPage {
        guard let records = tables[collection.name], !isHidden(collection.name) else {
            throw RecordsError.unknownCollection(name: collection.name)
        }
        let summary = collection.indexes.first { $0.name == index }
        guard index == nil || summary != nil, let table = tables[index ?? collection.name] else {
            throw RecordsError.unknownCollection(name: index ?? collection.name)
        }
        let range = KeyRange(lower: interval.lower, upper: interval.upper)
        if let entry, !range.contains(KeyBytes(entry).bytes) { throw RecordsError.foreignPageToken }
        return try transaction.withEngine { engine in
            let idWidth = try self.idWidth(of: records, engine)
            // An index that collections share has entries of the others, too.
            let isShared = index?.hasPrefix(collection.name + ".") == false
            var page = RowPage(rows: [], next: entry)
            var steps = 0
            while page.rows.count < limit, steps < Self.stepLimit {
                let entries = try entries(
                    of: table, in: range, after: page.next.map { KeyBytes($0) }, backwards: backwards, limit: limit + 1,
                    engine)
                for entry in entries.prefix(limit) where page.rows.count < limit {
                    steps += 1
                    page.next = entry.array
                    let key = summary == nil ? entry.array : Array(entry.array.suffix(idWidth))
                    let record = try record(key, in: collection, records, engine)
                    if record == nil, isShared { continue }
                    let place = summary.map { KeyPart.values(of: entry.array, $0.key, idWidth: idWidth) }
                    page.rows.append(
                        Row(place: place ?? KeyPart.values(of: key, collection.key), key: key, record: record))
                }
                if entries.count <= limit, page.next == entries.last?.array ?? page.next {
                    page.next = nil
                    break
                }
            }
            return page
        }
    }

    /// The first entries of a range after another one, with those that are not at their places yet.
    private func entries(
        of table: ChecksummedTable, in range: KeyRange, after entry: KeyBytes?, backwards: Bool, limit: Int,
        _ engine: borrowing RawReadTransaction
    ) throws -> [KeyBytes] {
        var range = range
        if let entry {
            let next = entry.successorOfPrefix
            if !backwards, next == nil { return [] }
            range = KeyRange(lower: backwards ? range.lower : next, upper: backwards ? entry : range.upper)
        }
        var merged = MergedWalk(try pendingEntries(of: table.name, in: range, engine), backwards: backwards)
        var found: [KeyBytes] = []
        func add(_ key: KeyBytes) -> Bool {
            found.append(key)
            return found.count < limit
        }
        let isAtEnd = try engine.withCursor(over: table.table) { cursor in
            try range.forEachEntry(backwards: backwards, by: &cursor) { key, _ in
                merged.pass(before: key, to: add) && add(KeyBytes(copying: key))
            }
        }
        if isAtEnd { _ = merged.pass(before: nil, to: add) }
        return found
    }

    /// A record; nil when there is none.
    public func record(_ key: [UInt8], in collection: CollectionSummary) throws -> StoredRecord? {
        guard let records = tables[collection.name], !isHidden(collection.name), 1...64 ~= key.count else { return nil }
        return try transaction.withEngine { try record(key, in: collection, records, $0) }
    }

    /// The entries of a record in the indexes of its collection.
    ///
    /// For a collection of this program they are derived from the record, each with whether the index has it. For another one they
    /// are searched for, in up to 20,000 entries of each index.
    ///
    /// - Returns: the entries, and whether they are all.
    public func entries(
        of record: StoredRecord, in collection: CollectionSummary
    ) throws -> (entries: [IndexEntry], isComplete: Bool) {
        let key = KeyBytes(record.key)
        func entry(_ table: ChecksummedTable, _ bytes: KeyBytes, _ isThere: Bool) -> IndexEntry? {
            collection.indexes.first { $0.name == table.name }.map { index in
                let values = KeyPart.values(of: bytes.array, index.key, idWidth: key.count)
                return IndexEntry(index: index.name, key: values, isThere: isThere)
            }
        }
        return try transaction.withEngine { engine in
            if let bound = schema.collections.first(where: { $0.name == collection.name }) {
                let value = try bound.recordsTable.get(key, in: engine) { value, _ in value.copied } ?? []
                let derived = bound.indexEntries(of: key, value) ?? []
                return (
                    try derived.compactMap { table, bytes in
                        let isPlaced = try engine.contains(bytes.bytes, in: table.table)
                        let range = KeyRange(prefix: bytes)
                        return try entry(
                            table, bytes, isPlaced || !pendingEntries(of: table.name, in: range, engine).isEmpty)
                    }, true
                )
            }
            var (found, isComplete): ([IndexEntry], Bool) = ([], true)
            for table in collection.indexes.compactMap({ tables[$0.name] }) {
                var steps = 0
                let pending = try pendingEntries(of: table.name, in: .all, engine)
                for bytes in pending where bytes.array.suffix(key.count) == record.key[...] {
                    if let entry = entry(table, bytes, true) { found.append(entry) }
                }
                let isAtEnd = try table.forEachEntry(in: engine) { bytes, _ in
                    steps += 1
                    if bytes.byteCount >= key.count, bytes.extracting(last: key.count).isEqual(to: key.bytes),
                        let entry = entry(table, KeyBytes(copying: bytes), true)
                    {
                        found.append(entry)
                    }
                    return steps < Self.stepLimit
                }
                isComplete = isComplete && isAtEnd
            }
            return (found, isComplete)
        }
    }

    private func record(
        _ key: [UInt8], in collection: CollectionSummary, _ table: ChecksummedTable,
        _ engine: borrowing RawReadTransaction
    ) throws -> StoredRecord? {
        let id = KeyPart.values(of: key, collection.key)
        do {
            return try table.get(KeyBytes(key), in: engine) { value, _ in
                StoredRecord(
                    key: key, id: id, fields: Self.fields(of: value.copied, declared: collection.fields),
                    byteCount: value.byteCount, isDamaged: false)
            }
        } catch RecordsError.damagedEntry {
            return StoredRecord(key: key, id: id, fields: [], byteCount: 0, isDamaged: true)
        }
    }

    /// How many bytes the ids of a collection have: all as many.
    private func idWidth(of records: ChecksummedTable, _ engine: borrowing RawReadTransaction) throws -> Int {
        var width = 0
        try records.forEachEntry(in: engine) { key, _ in
            width = key.byteCount
            return false
        }
        return width
    }

    /// The entries of an index that are not at their places yet, in order.
    private func pendingEntries(
        of index: String, in range: KeyRange, _ engine: borrowing RawReadTransaction
    ) throws -> [KeyBytes] {
        guard let table = tables[PendingListRow.tableName(of: index)] else { return [] }
        var found: [KeyBytes] = []
        try table.forEachEntry(in: engine) { id, checksummed in
            try table.open(key: id, checksummed: checksummed) { value, _ in
                _ = PendingListRow.forEachEntry(value, of: id) { if range.contains($0.bytes) { found.append($0) } }
            }
            return true
        }
        return found.sorted()
    }

    /// The fields of a record's bytes.
    static func fields(of bytes: [UInt8], declared: [Field]) -> [StoredField] {
        guard let stored = StoredFields(bytes) else {
            return [StoredField(number: 0, name: nil, value: .bytes(bytes))]
        }
        return stored.fields.map { field in
            let declaration = declared.first { $0.number == field.number }
            let value = declaration.flatMap { field.value(as: $0.kind) } ?? field.guess
            return StoredField(number: field.number, name: declaration?.name, value: value)
        }
    }
}

extension StoredFields.Field {
    private var number64: UInt64 { content.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }

    /// Nil when the content is not what the kind stores.
    fileprivate func value(as kind: FieldKind) -> StoreInspection.Value? {
        guard kind.forms.contains(form) else { return nil }
        switch kind {
        case .text: return String(validating: content, as: UTF8.self).map { .text($0) }
        case .bytes: return .bytes(content)
        case .integer: return .integer(Int64(bitPattern: number64))
        case .integer32: return .integer(Int64(Int32(truncatingIfNeeded: number64)))
        case .unsigned32, .unsigned8: return .integer(Int64(number64))
        case .boolean: return .boolean(number64 == 1)
        case .booleanDefaultingToTrue: return .boolean(number64 != 1)
        case .double: return .double(Double(bitPattern: number64))
        case .instant: return .instant(Instant(microsecondsSince1970: Int64(bitPattern: number64)))
        case .day: return Day(daysSince1970: Int32(truncatingIfNeeded: number64)).map { .day($0) }
        case .uuid: return (try? UUID(keyArray: content)).map { .uuid($0) }
        case .enumeration(let names):
            let raw = UInt8(truncatingIfNeeded: number64)
            return .enumeration(raw, name: names[raw])
        }
    }

    /// What the content looks like where nothing is declared.
    fileprivate var guess: StoreInspection.Value {
        switch form {
        case .oneByte, .fourBytes, .eightBytes:
            .integer(form == .fourBytes ? Int64(Int32(truncatingIfNeeded: number64)) : Int64(bitPattern: number64))
        case .sixteenBytes: (try? UUID(keyArray: content)).map { .uuid($0) } ?? .bytes(content)
        case .shortBytes, .longBytes:
            if let text = String(validating: content, as: UTF8.self), !content.contains(0) {
                .text(text)
            } else {
                .bytes(content)
            }
        }
    }
}

extension BoundCollection {
    func indexEntries(of key: KeyBytes, _ value: [UInt8]) -> [(table: ChecksummedTable, entry: KeyBytes)]? {
        guard let record = validRecord(key.bytes, value.span.bytes) else { return nil }
        var found: [(table: ChecksummedTable, entry: KeyBytes)] = []
        forEachContribution(of: record, key) { place, contribution in
            let table = derivedTables[place].table
            switch contribution {
            case .entry(let entry): found.append((table, entry))
            case .entries(let entries): found += entries.map { (table, $0) }
            case .instant, .share: break
            }
        }
        return found
    }
}
