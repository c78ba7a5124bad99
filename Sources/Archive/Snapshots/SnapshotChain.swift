import Records

/// A full snapshot and the incremental ones that go on from it, read at once in one forward pass: gives the records of
/// the last moment.
package final class SnapshotChain {
    /// The number of the record's collection, by `names`.
    package private(set) var collection = 0
    /// The record's key.
    package private(set) var key: [UInt8] = []
    /// Its value, without a seal.
    package private(set) var value: [UInt8] = []
    /// The names of all collections that any of them speaks of, by their numbers.
    package let names: [String]
    /// What is there at the last moment.
    package let manifest: SnapshotManifest

    private let readers: [SnapshotReader]
    /// For each reader, what its numbers of collections are here.
    private let numbers: [[Int]]
    /// Whether each reader stands on a record.
    private var isOnRecord: [Bool]
    private var isStarted = false
    private var digests: [CollectionDigest]

    /// The readers, the full one first, each of them fresh.
    ///
    /// - Throws: `brokenChain` when one does not go on from the one before it.
    package init(_ readers: [SnapshotReader]) throws(ArchiveError) {
        var previous: SnapshotReader?
        for reader in readers {
            guard try Self.continues(reader, from: previous) else {
                throw .brokenChain(path: reader.path, base: reader.manifest.base?.fileName ?? "no other")
            }
            previous = reader
        }
        guard let last = previous else { throw .notFound(path: "") }
        manifest = last.manifest
        let names = Set(readers.flatMap(\.names)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self.names = names
        self.readers = readers
        numbers = readers.map { reader in reader.names.map { name in names.firstIndex(of: name) ?? 0 } }
        isOnRecord = readers.map { _ in false }
        digests = names.map { CollectionDigest(collection: $0) }
    }

    private static func continues(_ reader: SnapshotReader, from previous: SnapshotReader?) throws(ArchiveError) -> Bool
    {
        guard let previous else { return reader.manifest.base == nil }
        guard let base = reader.manifest.base else { return false }
        return base.id == previous.manifest.id && base.sequence == previous.manifest.sequence
            && base.collections == previous.manifest.collections
    }

    /// Goes to the next record; false at the end, when every snapshot was found to be as it was written and the records
    /// to be those that the last one speaks of.
    package func next() throws(ArchiveError) -> Bool {
        if !isStarted {
            isStarted = true
            for index in readers.indices { isOnRecord[index] = try readers[index].next() }
        }
        while let newest = firstReader() {
            let reader = readers[newest]
            let isRemoval = reader.isRemoval
            collection = numbers[newest][reader.collection]
            key.replace(with: reader.key)
            value.replace(with: reader.value)
            for index in readers.indices where stands(index, on: collection) {
                isOnRecord[index] = try readers[index].next()
            }
            if isRemoval { continue }
            digests[collection].add(key, value)
            return true
        }
        let found = zip(names, digests).map { SnapshotCollection(name: $0, count: $1.count, digest: $1.digest) }
        guard found.filter({ $0.count > 0 }) == manifest.collections else {
            throw .damagedSnapshot(
                path: readers.last?.path ?? "", reason: "its records are not those that it says it has")
        }
        return false
    }

    /// Of the readers that stand on the first key the last, which has the newest of it.
    private func firstReader() -> Int? {
        var first: Int?
        for index in readers.indices where isOnRecord[index] {
            guard let other = first else {
                first = index
                continue
            }
            let number = numbers[index][readers[index].collection]
            let otherNumber = numbers[other][readers[other].collection]
            if number < otherNumber
                || number == otherNumber && !readers[other].key.precedes(readers[index].key)
            {
                first = index
            }
        }
        return first
    }

    private func stands(_ index: Int, on collection: Int) -> Bool {
        isOnRecord[index] && numbers[index][readers[index].collection] == collection && readers[index].key == key
    }
}
