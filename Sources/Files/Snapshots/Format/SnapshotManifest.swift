import ByteStreams
import CivilTime
import Crypto
import FoundationEssentials
import Records

/// The description of a snapshot, which precedes its records.
public struct SnapshotManifest: Sendable, Equatable {
    /// The store's id; nil for a store of an earlier version without one.
    public var storeID: UUID?
    /// The version of the store's schema.
    public var schema: UInt32
    /// The sequence number of the last change in the snapshot.
    public var sequence: UInt64
    /// When the snapshot was made.
    public var instant: Instant
    /// The version of the library that wrote it.
    public var library: String
    /// Every non-empty collection of the store, by name; in an incremental snapshot as well.
    public var collections: [SnapshotCollection]
    /// The snapshot that this one continues; nil for a full snapshot.
    public var base: SnapshotBase?

    /// The number of records in the store, not in the file.
    public var recordCount: Int { collections.reduce(0) { $0 + $1.count } }

    /// The snapshot's identity.
    public var id: SnapshotID { SnapshotID(bytes: Array(SHA256.hash(data: bytes).prefix(16))) }

    /// The value that identifies the store in the header.
    var storeMark: UInt64 {
        guard let storeID else { return 0 }
        var id = KeyBytes()
        storeID.encode(into: &id)
        var bytes: [UInt8] = []
        bytes.append(id.bytes)
        return SHA256.hash(data: bytes).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The names of all collections that the snapshot mentions, in the order of their numbers, including those that
    /// became empty since the base.
    var names: [String] {
        Set(collections.map(\.name) + (base?.collections.map(\.name) ?? [])).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}

/// The content of one collection in a snapshot, summed up.
public struct SnapshotCollection: Sendable, Equatable {
    /// The collection's name.
    public var name: String
    /// The number of records.
    public var count: Int
    /// The sum of their hashes.
    public var digest: UInt64
}

/// The snapshot that an incremental one continues.
public struct SnapshotBase: Sendable, Equatable {
    /// The identity of the snapshot.
    public var id: SnapshotID
    /// The sequence number of its last change.
    public var sequence: UInt64
    /// When the snapshot was made.
    public var instant: Instant
    /// The name of its file at that time. The file may have been renamed since; the id identifies it.
    public var fileName: String
    /// The content of the store at that time, by collection.
    public var collections: [SnapshotCollection]

    /// Creates the base that a snapshot is for a later one.
    public init(_ manifest: SnapshotManifest, fileName: String) {
        id = manifest.id
        sequence = manifest.sequence
        instant = manifest.instant
        self.fileName = fileName
        collections = manifest.collections
    }

    init(
        id: SnapshotID, sequence: UInt64, instant: Instant, fileName: String, collections: [SnapshotCollection]
    ) {
        self.id = id
        self.sequence = sequence
        self.instant = instant
        self.fileName = fileName
        self.collections = collections
    }
}

/// The identity of a snapshot: 16 bytes derived from its content, so that the same state at the same instant has the
/// same identity.
public struct SnapshotID: Sendable, Hashable, CustomStringConvertible {
    let bytes: [UInt8]

    /// The identity of no snapshot.
    static let none = SnapshotID(bytes: [UInt8](repeating: 0, count: 16))

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil unless the text is 32 hexadecimal digits in lower case.
    init?(_ text: String) {
        guard text.utf8.count == 32, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    public var description: String {
        var text: [UInt8] = []
        for byte in bytes { text.appendHexadecimal(byte) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Nil unless the text is pairs of hexadecimal digits in lower case.
    init?(hexadecimal text: String) {
        self = []
        var high: UInt8?
        for character in text.utf8 {
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high {
                append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if high != nil { return nil }
    }
}
