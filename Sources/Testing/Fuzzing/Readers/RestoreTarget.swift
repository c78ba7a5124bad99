import CivilTime
import Daybook
import DomainPacks
import Exchange
import FoundationEssentials
import LabSupport
import Records
import Tasks

/// The loader of a store, with unchecked records.
struct RestoreTarget: FuzzTarget {
    private let corpus: [StoreRecords]
    private let mutator: Mutator
    /// The collections that the corpus has records of.
    private let names: [String]
    private let folder: String

    init(seed: UInt64, in folder: String) async throws {
        self.folder = folder
        var corpus: [StoreRecords] = []
        for count in [1, 4, 12] { corpus.append(try await StoreRecords.random(count, seed: seed, in: folder)) }
        for pack in KnownPacks.all { corpus.append(try await StoreRecords.made(by: pack, seed: seed, in: folder)) }
        self.corpus = corpus
        mutator = Mutator(
            others: corpus.flatMap { $0.records.map(\.value) }, tokens: SnapshotCorpus.tokens + [Array("tasks".utf8)])
        names = Set(corpus.flatMap(\.records).map(\.collection)).sorted()
    }

    /// Encodes records in sequence: collection, key and value, each preceded by its length.
    func input(_ random: inout SeededGenerator) -> [UInt8] {
        var records = random.pick(corpus).records
        for _ in 0...random.below(3) {
            let index = random.below(records.count)
            switch random.below(12) {
            case 0: records[index].key = mutator.mutate(records[index].key, &random)
            case 1:
                records[index].collection = random.pick(names + ["meta", "", "zz", "changes", "a\0"])
            case 2: records.swapAt(index, random.below(records.count))
            case 3: records.insert(records[index], at: random.below(records.count))
            default: records[index].value = mutator.mutate(records[index].value, &random)
            }
        }
        if !random.oneIn(4) {
            records.sort { left, right in
                left.collection == right.collection
                    ? left.key.lexicographicallyPrecedes(right.key) : left.collection < right.collection
            }
        }
        return records.flatMap { record in
            [Array(record.collection.utf8), record.key, record.value].flatMap {
                SnapshotParts.bytes(UInt32($0.count)) + $0
            }
        }
    }

    func read(_ input: [UInt8], _ random: inout SeededGenerator) throws -> Verdict {
        let path = "\(folder)/restored"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let context = StoreRecords.context(random.next())
        let records = Self.records(input)
        let verdict = try judge(quoting: Array(records.map(\.value).joined(separator: [0]))) {
            let loader = try StoreLoader(at: path, schema: KnownPacks.schema, context: context, sequence: 5)
            for record in records {
                try loader.append(key: record.key.span.bytes, value: record.value.span.bytes, to: record.collection)
            }
            _ = try loader.finish()
        }
        guard verdict == .accepted else { return verdict }
        // Accepted records must result in a store without problems.
        let store = try RecordStore(at: path, schema: KnownPacks.schema, context: context)
        defer { store.close() }
        let report = try store.verify()
        if let problem = report.problems.first { throw Finding("store", problem) }
        let known = try store.read { transaction in
            Set(transaction.collectionNumbers.compactMap { transaction.collectionName(of: $0) })
        }
        let count = records.count { known.contains($0.collection) }
        if report.records != count { throw Finding("store", "\(report.records) of \(count) records") }
        return verdict
    }

    private static func records(_ input: [UInt8]) -> [StoreRecords.Record] {
        var rest = input[...]
        func part() -> [UInt8] {
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            defer { rest = rest.dropFirst(4 + count) }
            return Array(rest.dropFirst(4).prefix(count))
        }
        var records: [StoreRecords.Record] = []
        while !rest.isEmpty {
            records.append(
                StoreRecords.Record(collection: String(decoding: part(), as: UTF8.self), key: part(), value: part()))
        }
        return records
    }
}

/// The records of a store, as bytes.
struct StoreRecords {
    struct Record: Equatable {
        var collection: String
        var key: [UInt8]
        var value: [UInt8]
    }

    /// Sorted by collection and key.
    var records: [Record] = []

    /// The records of a temporary store with random tasks.
    static func random(_ count: Int, seed: UInt64, in folder: String) async throws -> StoreRecords {
        var documents = SeedDocuments(random: SeededGenerator(seed: seed))
        let path = "\(folder)/seeds"
        let context = context(seed)
        let daybook = try DaybookStore.open(at: path, context: context)
        var file = TaskImport()
        file.tasks = documents.tasks(count)
        file.tombstones = (0...(count / 4)).map { _ in documents.tombstone() }
        _ = try await daybook.files.import(file)
        daybook.close()
        return try read(path, context)
    }

    /// The records of a temporary store in which random operations of a domain were performed.
    ///
    /// - Parameters:
    ///   - look: called with the store after each operation.
    ///   - lookAtFiles: called with the folder of the store once it is closed.
    static func made(
        by pack: any DomainPack.Type, seed: UInt64, in folder: String,
        afterEach look: (DaybookStore) throws -> Void = { _ in },
        atEnd lookAtFiles: (String) throws -> Void = { _ in }
    ) async throws -> StoreRecords {
        var random = SeededGenerator(seed: seed)
        let path = "\(folder)/seeds"
        let context = context(seed)
        let daybook = try DaybookStore.open(at: path, context: context, records: pack.records)
        var history = PackHistory(of: pack)
        let moment = DomainMoment(context.clock.wall, in: .utc)
        for name in pack.start.map({ String($0.prefix { $0 != "." }) }) + pack.weightedNames + pack.weightedNames {
            // A long note would be most of what is mutated.
            guard !["large", "bulk"].contains(name) else { continue }
            let draw = DomainDraw(random.below(9973), at: moment)
            guard let action = history.action(name, draw) else { continue }
            try await action.perform(in: daybook)
            history.apply(action)
            try look(daybook)
        }
        daybook.close()
        try lookAtFiles(path)
        return try read(path, context)
    }

    private static func read(_ path: String, _ context: Context) throws -> StoreRecords {
        let store = try RecordStore(at: path, schema: KnownPacks.schema, context: context)
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

    /// Returns the differences from other records: a value, or nil for a removed record.
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
