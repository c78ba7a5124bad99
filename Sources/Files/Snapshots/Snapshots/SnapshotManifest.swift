import CivilTime
import Crypto
import FoundationEssentials
import Records

/// What a snapshot says of itself, before its records.
public struct SnapshotManifest: Sendable, Equatable {
    /// The store; nil for one of an earlier version that had no id yet.
    public var storeID: UUID?
    /// The version of the store's schema.
    public var schema: UInt32
    /// The last change of the store that the snapshot has.
    public var sequence: UInt64
    /// When it was made.
    public var instant: Instant
    /// The version of the library that wrote it.
    public var library: String
    /// Every collection that was not empty, by name: what the store is with this snapshot, also for an incremental one.
    public var collections: [SnapshotCollection]
    /// The snapshot that it continues; nil for one that stands alone.
    public var base: SnapshotBase?

    /// How many records there are in the store, not in the file.
    public var recordCount: Int { collections.reduce(0) { $0 + $1.count } }

    /// The snapshot's identity.
    public var id: SnapshotID { SnapshotID(bytes: Array(SHA256.hash(data: bytes).prefix(16))) }

    /// What stands for the store in the header.
    var storeMark: UInt64 {
        guard let storeID else { return 0 }
        var id = KeyBytes()
        storeID.encode(into: &id)
        var bytes: [UInt8] = []
        bytes.append(id.bytes)
        return SHA256.hash(data: bytes).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The names of all collections that the snapshot speaks of, in the order in which they are numbered in it: also those
    /// that are empty now and were not at the base.
    var names: [String] {
        Set(collections.map(\.name) + (base?.collections.map(\.name) ?? [])).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}
