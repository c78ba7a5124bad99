import CivilTime
import KeyValue

/// The `meta` table: versions, for each collection the count and digest of its records, and the consumers of changes.
enum Meta {
    static let tableName = "meta"

    /// `schema`: the version of the schema that wrote last (4 bytes, little-endian).
    static let schemaKey = KeyBytes(Array("schema".utf8))

    /// `domain/<name>`: the version of a domain's schema that wrote last (4 bytes, little-endian).
    static func domainKey(_ name: String) -> KeyBytes { KeyBytes(Array("domain/\(name)".utf8)) }

    /// `store`: the store's id (16 bytes), which never changes and is unique.
    static let storeKey = KeyBytes(Array("store".utf8))

    /// `scrub`: how far the scrub has come: see `ScrubProgress`.
    static let scrubKey = KeyBytes(Array("scrub".utf8))

    static let countPrefix = KeyBytes(Array("count/".utf8))

    /// `count/<collection number>`: how many records there are (8 bytes) and the sum of their hashes (8 bytes).
    static func countKey(_ collection: UInt32) -> KeyBytes {
        var key = countPrefix
        key.append(bigEndian: collection)
        return key
    }

    /// `built/<table number>`: the version of the declaration that an index or roll-up was built by (4 bytes).
    static func builtKey(_ table: String) -> KeyBytes { builtKey(Checksum.seed(ofTable: table)) }

    static func builtKey(_ number: UInt64) -> KeyBytes {
        var key = builtPrefix
        key.append(bigEndian: number)
        return key
    }

    private static let builtPrefix = KeyBytes(Array("built/".utf8))

    /// `kept/<collection number>`: the numbers of the indexes and roll-ups that the last program to open the store
    /// maintains (8 bytes each, ascending). Others must be rebuilt.
    static func keptKey(_ collection: UInt32) -> KeyBytes {
        var key = KeyBytes(Array("kept/".utf8))
        key.append(bigEndian: collection)
        return key
    }

    /// `declared/<collection number>`: the fields and keys of an application's collection: see `CollectionLayout`.
    static func declaredKey(_ collection: UInt32) -> KeyBytes {
        var key = KeyBytes(Array("declared/".utf8))
        key.append(bigEndian: collection)
        return key
    }

    static let consumerPrefix = KeyBytes(Array("consumer/".utf8))

    /// `consumer/<name>`: how far a registered consumer of changes has read (8 bytes), and the time of its last move
    /// (8 bytes).
    static func consumerKey(_ name: ConsumerName) -> KeyBytes {
        var key = consumerPrefix
        for byte in name.text.utf8 { key.append(byte) }
        return key
    }

    /// `follower/<name>`: a few bytes of a part of the program that takes part in every transaction.
    static func followerKey(_ name: String) -> KeyBytes { KeyBytes(Array("follower/\(name)".utf8)) }

    /// The value under `kept/`.
    static func encodeKept(_ tables: [ChecksummedTable]) -> [UInt8] {
        var list: [UInt8] = []
        for number in tables.map(\.number).sorted() { list.append(littleEndian: number) }
        return list
    }

    static func encode(_ number: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: number)
        return bytes
    }

    static func decodeNumber(_ bytes: RawSpan) -> UInt32 {
        bytes.byteCount >= 4 ? bytes.littleEndian(at: 0) : 0
    }
}

/// How many records a collection has, and the sum of their hashes: detects a subtree that went missing.
struct RecordCount: Equatable, Sendable {
    var count: Int64 = 0
    var digest: UInt64 = 0

    static let none = RecordCount()

    init(count: Int64 = 0, digest: UInt64 = 0) {
        self.count = count
        self.digest = digest
    }

    init(_ bytes: RawSpan) {
        guard bytes.byteCount >= 16 else { return }
        count = bytes.littleEndian(at: 0)
        digest = bytes.littleEndian(at: 8)
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: count)
        bytes.append(littleEndian: digest)
        return bytes
    }

    static func += (left: inout RecordCount, right: RecordCount) {
        left.count += right.count
        left.digest &+= right.digest
    }
}
