import CivilTime
import Daybook
import Exchange
import FoundationEssentials
import Records
import Tasks

/// The records of a store, as bytes.
struct StoreRecords {
    struct Record: Equatable {
        var collection: String
        var key: [UInt8]
        var value: [UInt8]
    }

    /// By collection, by key.
    var records: [Record] = []

    /// Those of a store with random tasks, which is made and removed again.
    static func random(_ count: Int, seed: UInt64, in folder: String) async throws -> StoreRecords {
        var documents = SeedDocuments(random: FuzzRandom(seed: seed))
        let path = "\(folder)/seeds"
        let context = context(seed)
        let daybook = try DaybookStore.open(at: path, context: context)
        var file = TaskImport()
        file.tasks = documents.tasks(count)
        file.tombstones = (0...(count / 4)).map { _ in documents.tombstone() }
        _ = try await daybook.import(file)
        daybook.close()
        let store = try RecordStore(at: path, schema: TaskList.schema, context: context)
        defer {
            store.close()
            try? FileManager.default.removeItem(atPath: path)
        }
        var found = StoreRecords()
        try store.readImage { image in
            for collection in image.collections {
                try image.forEachRecord(in: collection.name) { key, value in
                    found.records.append(Record(collection: collection.name, key: bytes(key), value: bytes(value)))
                    return true
                }
            }
        }
        return found
    }

    static func context(_ seed: UInt64) -> Context {
        Context(
            clock: SettableClock(Instant(secondsSince1970: 1_770_714_900)), random: SeededRandomSource(seed: seed),
            currentZone: { .utc }, weekStart: .monday)
    }

    private static func bytes(_ span: RawSpan) -> [UInt8] {
        (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }

    /// The name, the count and the digest of each collection.
    var collections: [(name: String, count: Int, digest: UInt64)] {
        Set(records.map(\.collection)).sorted().map { name in
            var digest = CollectionDigest(collection: name)
            for record in records where record.collection == name {
                digest.add(key: record.key.span.bytes, value: record.value.span.bytes)
            }
            return (name, digest.count, digest.digest)
        }
    }

    /// What is different from other records: a value, or nil where there is none any more.
    func changes(since other: StoreRecords) -> [(record: Record, isRemoval: Bool)] {
        let gone = other.records.filter { old in
            !records.contains { $0.collection == old.collection && $0.key == old.key }
        }
        let new = records.filter { !other.records.contains($0) }
        let all = new.map { ($0, false) } + gone.map { ($0, true) }
        return all.sorted { left, right in
            left.0.collection == right.0.collection
                ? left.0.key.lexicographicallyPrecedes(right.0.key) : left.0.collection < right.0.collection
        }
    }
}
