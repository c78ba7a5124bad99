/// The 16 bytes before each part of a snapshot's body.
struct SnapshotSection: Equatable {
    enum Kind: UInt8 {
        case manifest = 1
        case records = 2
        case footer = 255
    }

    static let byteCount = 16

    var kind: Kind
    /// The collection's place among the names in the manifest; 0 where there is none.
    var collection = 0
    /// How many records it has, counting those that are gone.
    var count = 0
    /// The bytes after this head.
    var length: Int

    var bytes: [UInt8] {
        var bytes = [kind.rawValue, 0]
        bytes.append(littleEndian: UInt16(collection))
        bytes.append(littleEndian: UInt32(count))
        bytes.append(littleEndian: UInt64(length))
        return bytes
    }

    init(_ kind: Kind, collection: Int = 0, count: Int = 0, length: Int) {
        self.kind = kind
        self.collection = collection
        self.count = count
        self.length = length
    }

    init(_ bytes: [UInt8]) throws(SnapshotDamage) {
        var cursor = ByteCursor(bytes)
        guard let kind = Kind(rawValue: try cursor.byte()), try cursor.byte() == 0 else {
            throw SnapshotDamage("a section is of an unknown kind")
        }
        self.kind = kind
        collection = Int(try cursor.integer(UInt16.self))
        count = Int(try cursor.integer(UInt32.self))
        guard let length = Int(exactly: try cursor.integer(UInt64.self)) else {
            throw SnapshotDamage("a section is too long")
        }
        self.length = length
    }
}
