import KeyValue

extension StoreImage {
    /// The former hashes of the records of one collection that changed since a moment; nil for a record that did not
    /// exist then.
    private typealias Before = [[UInt8]: UInt64?]

    /// Which records are not what they were at an earlier moment, by the change log: of each collection that is not empty
    /// now or was not then, also of those that did not change.
    ///
    /// - Parameter sequence: the number of the last change before that moment.
    /// - Throws: `changesTrimmed` when the change has left the log, `changesPurged` when a purge or a rebuild removed
    ///   what was there before, `changeNotReached` when there is no such change yet.
    package func changes(after sequence: UInt64) throws -> [CollectionChanges] {
        let touched = try touched(after: sequence)
        let names = Set(touched.keys).union(collections.map(\.name))
        return try names.sorted().compactMap { name in
            let changes = try changes(in: name, since: touched[name] ?? [:])
            let isEmpty = changes.base.count == 0 && !collections.contains { $0.name == name }
            return isEmpty ? nil : changes
        }
    }

    private func touched(after sequence: UInt64) throws -> [String: Before] {
        guard sequence <= self.sequence else { throw RecordsError.changeNotReached(last: self.sequence) }
        var touched: [String: Before] = [:]
        guard sequence < self.sequence else { return touched }
        try transaction.withEngine { engine in
            let log = ChangeLog(schema: transaction.schema)
            let oldest = try log.firstSequence(in: engine)
            guard oldest <= sequence + 1 else { throw RecordsError.changesTrimmed(oldest: oldest) }
            var last = sequence
            try log.forEach(after: sequence, in: engine) { found, row in
                last += 1
                guard found == last else { throw transaction.schema.changes.damage(last.keyBytes.bytes) }
                for entry in row.entries { try note(entry, after: sequence, in: &touched) }
                return true
            }
        }
        return touched
    }

    /// Of several changes of a record, the first one has its former state.
    private func note(
        _ entry: ChangeRow.Entry, after sequence: UInt64, in touched: inout [String: Before]
    ) throws {
        guard !entry.isPurged else { throw RecordsError.changesPurged(after: sequence) }
        guard let name = names[entry.collection] else {
            throw transaction.schema.changes.damage(entry.key.span.bytes)
        }
        guard touched[name]?[entry.key] == nil else { return }
        let hash = entry.image.map { image in
            Checksum.hash(
                key: entry.key.span.bytes, value: image.span.bytes, seed: Checksum.seed(ofTable: name))
        }
        touched[name, default: [:]].updateValue(hash, forKey: entry.key)
    }

    private func changes(in name: String, since before: Before) throws -> CollectionChanges {
        var base =
            collections.first { $0.name == name } ?? CollectionImage(name: name, count: 0, digest: 0)
        var keys: [[UInt8]] = []
        for (key, then) in before {
            let now = try stored(key, in: name) { _, hash in hash }
            guard now != then else { continue }
            keys.append(key)
            if let now {
                base.count -= 1
                base.digest &-= now
            }
            if let then {
                base.count += 1
                base.digest &+= then
            }
        }
        keys.sort { $0.span.bytes.precedes($1.span.bytes) }
        return CollectionChanges(name: name, base: base, keys: keys)
    }
}

/// Which records of a collection changed since a moment, and what the collection was then.
package struct CollectionChanges: Sendable, Equatable {
    /// The collection's name.
    package var name: String
    /// What it was at that moment, reckoned back from now. If it is not what was noted then, something was lost since
    /// without a trace, and the changes are not all.
    package var base: CollectionImage
    /// The keys of the records that are not now what they were then, ascending.
    package var keys: [[UInt8]]

    package init(name: String, base: CollectionImage, keys: [[UInt8]]) {
        self.name = name
        self.base = base
        self.keys = keys
    }
}

/// What is stored of one collection at one moment: its table's name, and how many records there are with which digest.
package struct CollectionImage: Sendable, Equatable {
    /// The name of the collection and its table.
    package var name: String
    /// How many records it has.
    package var count: Int
    /// The sum of their hashes.
    package var digest: UInt64

    package init(name: String, count: Int, digest: UInt64) {
        self.name = name
        self.count = count
        self.digest = digest
    }

    init(name: String, _ count: RecordCount) {
        self.init(name: name, count: Int(count.count), digest: count.digest)
    }
}

/// The running count and digest of a collection's records, for bytes that are held outside a store. It equals the count
/// and digest of a store with these records.
package struct CollectionDigest: Sendable, Equatable {
    private let seed: UInt64
    /// How many records were added.
    package private(set) var count = 0
    /// The sum of their hashes.
    package private(set) var digest: UInt64 = 0

    package init(collection name: String) {
        seed = Checksum.seed(ofTable: name)
    }

    /// Adds a record: its key, and its value without a checksum. The order does not matter.
    package mutating func add(key: RawSpan, value: RawSpan) {
        count += 1
        digest &+= Checksum.hash(key: key, value: value, seed: seed)
    }
}
