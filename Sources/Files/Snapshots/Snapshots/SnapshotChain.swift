import ByteStreams
import Records

/// A full snapshot and the incremental ones that continue it, read at once in one forward pass: gives the records of
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
    /// The positions of the snapshots whose states are compared with what they say.
    private let checked: [Int]
    /// What only the full snapshot speaks of, and is in every state.
    private var common: [CollectionDigest]
    /// What else is in each state that is compared.
    private var others: [[CollectionDigest]]

    /// The paths of the snapshots, the full one first.
    var paths: [String] { readers.map(\.path) }

    /// Joins the readers, the full one first, each of them fresh.
    ///
    /// - Parameter checkingEveryState: whether the records at the moment of each snapshot are compared with what that one
    ///   says, and not only those at the last moment. It is the same one pass.
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

    /// Goes to the next record; false at the end, when every snapshot was found to be as it was written and the records
    /// to be those that the last one speaks of.
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

    /// Adds the key to every state that has it, with the value of the newest snapshot up to then that speaks of it.
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
            throw .damagedSnapshot(path: reader.path, reason: "its records are not those that it says it has")
        }
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
