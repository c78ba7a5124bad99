import ByteStreams
import Records

/// A full snapshot and the incremental ones that continue it, merged in one pass into the records of the last one.
package final class SnapshotChain {
    /// The number of the record's collection in `names`.
    package private(set) var collection = 0
    /// The record's key.
    package private(set) var key: [UInt8] = []
    /// The record's value, without its checksum.
    package private(set) var value: [UInt8] = []
    /// The names of all collections in the snapshots, by their numbers.
    package let names: [String]
    /// The manifest of the last snapshot.
    package let manifest: SnapshotManifest

    private let readers: [SnapshotReader]
    /// For each reader, the numbers of its collections in `names`.
    private let numbers: [[Int]]
    /// Whether each reader is at a record.
    private var isOnRecord: [Bool]
    private var isStarted = false
    /// The positions of the snapshots whose records are compared with their manifests.
    private let checked: [Int]
    /// The records that only the full snapshot mentions, which are in every state.
    private var common: [CollectionDigest]
    /// The other records of each compared state.
    private var others: [[CollectionDigest]]

    /// The snapshots with their paths, the full one first.
    var snapshots: [(path: String, manifest: SnapshotManifest)] { readers.map { ($0.path, $0.manifest) } }

    /// Joins readers that have not begun, the full snapshot first.
    ///
    /// - Parameter checkingEveryState: whether the records of every snapshot are compared with its manifest, not only
    ///   those of the last one. The pass is the same.
    /// - Throws: `brokenChain` when one does not continue the one before it.
    package init(_ readers: [SnapshotReader], checkingEveryState: Bool = false) throws(FileError) {
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
        let checked = checkingEveryState ? Array(readers.indices) : [readers.count - 1]
        self.checked = checked
        let none = names.map { CollectionDigest(collection: $0) }
        common = none
        others = checked.map { _ in none }
    }

    private static func continues(_ reader: SnapshotReader, from previous: SnapshotReader?) throws(FileError) -> Bool {
        guard let previous else { return reader.manifest.base == nil }
        guard let base = reader.manifest.base else { return false }
        return base.id == previous.manifest.id && base.sequence == previous.manifest.sequence
            && base.collections == previous.manifest.collections
    }

    /// Moves to the next record; false at the end, when every snapshot was checked and the records are those of the
    /// last manifest.
    package func next() throws(FileError) -> Bool {
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
            if newest == 0 {
                common[collection].add(key, value)
                isOnRecord[0] = try reader.next()
                return true
            }
            let standing = readers.indices.filter { stands($0, on: collection) }
            add(standing)
            for index in standing { isOnRecord[index] = try readers[index].next() }
            if !isRemoval { return true }
        }
        for (state, position) in checked.enumerated() { try compare(state, with: readers[position]) }
        return false
    }

    /// Adds the key to every state that has it, with the value of the newest snapshot up to that state.
    private func add(_ standing: [Int]) {
        for (state, position) in checked.enumerated() {
            guard let newest = standing.last(where: { $0 <= position }), !readers[newest].isRemoval else { continue }
            others[state][collection].add(key, readers[newest].value)
        }
    }

    private func compare(_ state: Int, with reader: SnapshotReader) throws(FileError) {
        var found: [SnapshotCollection] = []
        for (number, name) in names.enumerated() {
            let other = others[state][number]
            let count = common[number].count + other.count
            guard count > 0 else { continue }
            found.append(SnapshotCollection(name: name, count: count, digest: common[number].digest &+ other.digest))
        }
        guard found == reader.manifest.collections else {
            throw .damagedSnapshot(path: reader.path, reason: "its records differ from its manifest")
        }
    }

    /// The last of the readers at the lowest key, which has its newest version.
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
