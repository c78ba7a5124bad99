import Records

/// The head of each part of a snapshot's body.
struct SnapshotSection: Equatable {
    enum Kind: UInt8 {
        case manifest = 1
        case records = 2
        case footer = 255
    }

    var kind: Kind
    /// The number of the collection among the names in the manifest; 0 where there is none.
    var collection = 0
    /// The number of records, deleted ones included.
    var count = 0
    /// The length of the content after the head.
    var length: Int
    /// Version 2: the checksum of the section, see `SectionChecksum`; of the footer, which SHA-256 protects, the mark of the
    /// snapshot's id instead. Version 1 has 0.
    var checksum: UInt64 = 0

    /// The length of a head.
    static func byteCount(version: Int) -> Int { version == 1 ? 16 : 24 }

    /// Where a head of version 2 has its own checksum.
    private static let checkedByteCount = 20

    init(_ kind: Kind, collection: Int = 0, count: Int = 0, length: Int, checksum: UInt64 = 0) {
        self.kind = kind
        self.collection = collection
        self.count = count
        self.length = length
        self.checksum = checksum
    }

    /// What the checksum of a section covers besides the content.
    var front: [UInt8] {
        var bytes = [kind.rawValue, 2]
        bytes.append(littleEndian: UInt16(collection))
        bytes.append(littleEndian: UInt32(count))
        bytes.append(littleEndian: UInt32(length))
        return bytes
    }

    /// The head in the format that is written, version 2.
    var bytes: [UInt8] {
        var bytes = front
        bytes.append(littleEndian: checksum)
        bytes.append(littleEndian: Self.check(bytes))
        return bytes
    }

    /// Reads a head. One of version 2 is valid only with its own checksum.
    init(_ bytes: [UInt8], version: Int) throws(SnapshotDamage) {
        var cursor = ByteCursor(bytes)
        let kind = Kind(rawValue: try cursor.byte())
        let zero = try cursor.byte()
        collection = Int(try cursor.integer(UInt16.self))
        count = Int(try cursor.integer(UInt32.self))
        if version == 1 {
            guard let length = Int(exactly: try cursor.integer(UInt64.self)) else {
                throw SnapshotDamage("a section is too long")
            }
            self.length = length
        } else {
            length = Int(try cursor.integer(UInt32.self))
            checksum = try cursor.integer(UInt64.self)
            guard try cursor.integer(UInt32.self) == Self.check(Array(bytes[..<Self.checkedByteCount])) else {
                throw SnapshotDamage("the head of a section is damaged")
            }
        }
        guard let kind, zero == (version == 1 ? 0 : 2) else { throw SnapshotDamage("a section is of an unknown kind") }
        self.kind = kind
    }

    private static func check(_ front: [UInt8]) -> UInt32 {
        var digest = CollectionDigest(collection: "")
        digest.add(front, [])
        return UInt32(truncatingIfNeeded: digest.digest)
    }
}

/// Computes the checksums by which each section of a snapshot can be trusted without the others: those of the store's entries,
/// with the collection for the table, and the snapshot's id and the head for the key. A section of another snapshot or of
/// another collection does not pass.
struct SectionChecksum: Equatable {
    /// The first eight bytes of the snapshot's id.
    let mark: UInt64

    init(mark: UInt64) {
        self.mark = mark
    }

    init(_ id: SnapshotID) {
        mark = id.bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The checksum of a section, whose own one is not looked at.
    ///
    /// - Parameter name: that of the collection; empty for the manifest.
    func of(_ section: SnapshotSection, _ content: [UInt8], in name: String) -> UInt64 {
        var key: [UInt8] = []
        key.append(littleEndian: mark)
        key += section.front
        var digest = CollectionDigest(collection: name)
        digest.add(key, content)
        return digest.digest
    }
}

/// The reason why bytes are not part of a valid snapshot. The reader adds the path and throws a `FileError`.
struct SnapshotDamage: Error, Equatable {
    var reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
