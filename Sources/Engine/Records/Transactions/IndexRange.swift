import FoundationEssentials
import KeyValue

/// A part of an index, from one entry to another: `IndexRange.prefix(sensor)`, `.keys(from: monday, to: tuesday)`, `.all`.
///
/// Live queries take it, too, so that a range is spelled once.
public struct IndexRange<R: Record, Key: OrderedKey>: Sendable {
    var bytes: KeyRange

    /// The whole index.
    public static var all: Self { Self(bytes: KeyRange(lower: nil, upper: nil)) }

    /// The entries with keys in `from..<to`; either end may be open.
    public static func keys(from lower: Key? = nil, to upper: Key? = nil) -> Self {
        Self(bytes: KeyRange(lower: lower?.keyBytes, upper: upper?.keyBytes))
    }

    /// The entries whose keys begin with a part of the key.
    public static func prefix(_ part: some OrderedKey) -> Self { Self(bytes: KeyRange(prefix: part.keyBytes)) }

    /// The range without the entry of a record and everything before it. Of records with equal keys, those with a greater
    /// id come after it.
    public func after(_ key: Key, id: R.ID) -> Self { after(Self.entry(key, id)) }

    /// The range without the entry of a record and everything after it.
    public func before(_ key: Key, id: R.ID) -> Self { before(Self.entry(key, id)) }

    func after(_ entry: KeyBytes) -> Self {
        // No entry is longer than this one and begins with it.
        let next = entry.successorOfPrefix
        guard let next, bytes.lower.map({ $0.bytes.precedes(next.bytes) }) ?? true else { return self }
        return Self(bytes: KeyRange(lower: next, upper: bytes.upper))
    }

    func before(_ entry: KeyBytes) -> Self {
        guard bytes.upper.map({ entry.bytes.precedes($0.bytes) }) ?? true else { return self }
        return Self(bytes: KeyRange(lower: bytes.lower, upper: entry))
    }

    /// Whether an entry with these bytes is in the range.
    func contains(_ entry: KeyBytes) -> Bool { bytes.contains(entry.bytes) }

    private static func entry(_ key: Key, _ id: R.ID) -> KeyBytes {
        var entry = key.keyBytes
        entry.append(contentsOf: id.keyBytes)
        return entry
    }
}

/// A page of records, and how to ask for the next one.
public struct Page<R: Record>: Sendable {
    /// The records, in the order of the index.
    public let records: [R]
    /// Names the place after the last record; nil when there are no more.
    public let next: PageToken?
}

/// The place between two pages. It stays valid whatever is written in between: the next page begins after the last record
/// of the one before, wherever that has gone since, so that no other record is repeated or left out.
///
/// As text: base64url (RFC 4648, section 5) of the table's number (4 bytes), the entry's key, and a checksum (4 bytes).
public struct PageToken: Sendable, Hashable, CustomStringConvertible {
    let table: UInt32
    let entry: KeyBytes

    init(after entry: KeyBytes, in table: ChecksummedTable) {
        self.table = Checksum.collectionNumber(of: table.name)
        self.entry = entry
    }

    /// The token of a text; nil when it is none.
    public init?(_ text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: standard), 9...72 ~= data.count else { return nil }
        let bytes = Array(data)
        let content = Array(bytes.dropLast(4))
        guard Array(bytes.suffix(4)) == Self.checksum(of: content) else { return nil }
        table = content.span.bytes.littleEndian(at: 0)
        entry = KeyBytes(Array(content.dropFirst(4)))
    }

    /// The text, of letters, digits, `-` and `_`.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: table)
        bytes += entry.array
        bytes += Self.checksum(of: bytes)
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func checksum(of bytes: [UInt8]) -> [UInt8] {
        var checksum: [UInt8] = []
        checksum.append(littleEndian: UInt32(truncatingIfNeeded: XXHash64.hash(bytes.span.bytes, seed: 0)))
        return checksum
    }
}
