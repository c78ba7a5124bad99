import KeyValue

/// What the `meta` table of a damaged store still says.
struct SalvagedNotes {
    private(set) var notes: [(key: KeyBytes, value: [UInt8])] = []

    init(_ meta: FoundEntries, _ source: EntrySource) {
        meta.forEachKey { items in
            let item = items[items.startIndex]
            // A former version of a count or of a position would be trusted.
            guard item.status >= .unclaimed, let value = source.value(of: item, in: meta) else { return }
            notes.append((meta.key(of: item), value))
        }
    }

    func value(of key: KeyBytes) -> [UInt8]? { notes.first { $0.key == key }?.value }

    /// The version of the schema that wrote last.
    var schemaVersion: UInt32? { value(of: Meta.schemaKey).map { unsafe Meta.decodeNumber($0.span.bytes) } }

    /// The highest position of a registered consumer: new changes must have higher numbers.
    var highestPosition: UInt64 {
        notes.filter { $0.key.array.starts(with: Meta.consumerPrefix.array) }
            .compactMap { unsafe ConsumerRegistration(decoding: $0.value.span.bytes)?.position }
            .filter { $0 < 1 << 62 }.max() ?? 0
    }

    /// The count of a collection's records, and the sum of their hashes.
    func count(of collection: String) -> RecordCount? {
        value(of: Meta.countKey(Checksum.collectionNumber(of: collection))).map { unsafe RecordCount($0.span.bytes) }
    }

    /// Whether some counts are exactly those that the store had: of every collection, and of no other.
    func agree(with counts: [UInt32: RecordCount]) -> Bool {
        var noted: [UInt32: RecordCount] = [:]
        let prefix = Meta.countPrefix.array
        for (key, value) in notes where key.array.starts(with: prefix) && key.count == prefix.count + 4 {
            noted[key.bytes.bigEndian(at: prefix.count)] = unsafe RecordCount(value.span.bytes)
        }
        return !noted.isEmpty && noted.filter { $0.value != .none } == counts.filter { $0.value != .none }
    }

    /// The notes that a new store takes over: the versions of domains, the consumers of changes. Its id is its own, since a
    /// snapshot of changes to the old store must not be continued with it.
    ///
    /// - Parameter isWhole: whether every record is there. Only then the bytes of followers are kept: a follower that tells other
    ///   devices what became of the records would tell them that the lost ones were deleted.
    func carried(isWhole: Bool) -> [(key: KeyBytes, value: [UInt8])] {
        let prefixes =
            (isWhole ? ["domain/", "follower/"] : ["domain/"]).map { Array($0.utf8) } + [Meta.consumerPrefix.array]
        return notes.filter { note in prefixes.contains { note.key.array.starts(with: $0) } }
    }

    /// Refuses a store that a newer version wrote, whose records would be misread.
    func checkVersions(of schema: Schema, path: String) throws(RecordsError) {
        if let found = schemaVersion, found > schema.version {
            throw .newerFormat(path: path, found: Int(found), known: Int(schema.version))
        }
        for (domain, version) in schema.domains {
            guard let found = value(of: Meta.domainKey(domain)).map({ unsafe Meta.decodeNumber($0.span.bytes) }),
                found > version
            else { continue }
            throw .newerFormat(path: path, found: Int(found), known: Int(version))
        }
    }
}
