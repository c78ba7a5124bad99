import KeyValue

/// The declared fields and keys of a collection without its record type: what a program needs to show records that it has no
/// types for. Stored under `declared/` in the table `meta` for the collections of applications.
struct CollectionLayout: Equatable, Sendable {
    struct IndexLayout: Equatable, Sendable {
        var name: String
        var isShared: Bool
        var isUnique: Bool
        var key: [KeyPart]
    }

    var fields: [Field]
    /// The parts of a record's key.
    var key: [KeyPart]
    var indexes: [IndexLayout]

    private static let version: UInt8 = 1

    /// A version (1), the fields, the parts of the key, the indexes: each list behind its length (1). A field: number (1), kind (1),
    /// name; for an enumeration the length of a list (1) of raw value (1) and name. A part: kind (1), with 128 for a descending
    /// one, width (1). An index: flags (1: 1 unique, 2 shared), name, its parts. A name: length (1), UTF-8.
    var encoded: [UInt8] {
        var bytes = [Self.version, UInt8(clamping: fields.count)]
        for field in fields.prefix(255) {
            bytes += [UInt8(clamping: field.number), field.kind.code]
            bytes.append(name: field.name)
            guard case .enumeration(let names) = field.kind else { continue }
            bytes.append(UInt8(clamping: names.count))
            for (raw, name) in names.sorted(by: { $0.key < $1.key }).prefix(255) {
                bytes.append(raw)
                bytes.append(name: name)
            }
        }
        bytes.append(parts: key)
        bytes.append(UInt8(clamping: indexes.count))
        for index in indexes.prefix(255) {
            bytes.append((index.isUnique ? 1 : 0) | (index.isShared ? 2 : 0))
            bytes.append(name: index.name)
            bytes.append(parts: index.key)
        }
        return bytes
    }

    init(fields: [Field], key: [KeyPart], indexes: [IndexLayout]) {
        (self.fields, self.key, self.indexes) = (fields, key, indexes)
    }

    /// Nil for bytes of another version, or that are not a layout.
    init?(decoding bytes: [UInt8]) {
        var reader = LayoutReader(rest: bytes[...])
        guard reader.byte() == Self.version, let fieldCount = reader.byte() else { return nil }
        fields = []
        for _ in 0..<fieldCount {
            guard let number = reader.byte(), let code = reader.byte(), let name = reader.name() else { return nil }
            var names: [UInt8: String] = [:]
            if code == FieldKind.enumeration([:]).code {
                guard let count = reader.byte() else { return nil }
                for _ in 0..<count {
                    guard let raw = reader.byte(), let name = reader.name() else { return nil }
                    names[raw] = name
                }
            }
            guard let kind = FieldKind(code: code, names: names) else { return nil }
            fields.append(Field(Int(number), name, kind))
        }
        guard let key = reader.parts(), let indexCount = reader.byte() else { return nil }
        self.key = key
        indexes = []
        for _ in 0..<indexCount {
            guard let flags = reader.byte(), let name = reader.name(), let key = reader.parts() else { return nil }
            indexes.append(
                IndexLayout(name: name, isShared: flags & 2 != 0, isUnique: flags & 1 != 0, key: key))
        }
    }
}

extension RecordCollection {
    /// The layout of the collection.
    var layout: CollectionLayout {
        CollectionLayout(
            fields: fields, key: R.ID.parts,
            indexes: parts.compactMap { part in
                switch part.kind {
                case .index, .multiIndex:
                    CollectionLayout.IndexLayout(
                        name: part.name, isShared: part.isShared, isUnique: part.isUnique, key: part.keyParts())
                case .rollUp, .tally: nil
                }
            })
    }
}

extension FieldKind {
    private static let coded: [FieldKind] = [
        .text, .bytes, .integer, .integer32, .unsigned32, .unsigned8, .boolean, .booleanDefaultingToTrue, .double,
        .instant,
        .day, .uuid,
    ]

    /// The stored number of the kind.
    fileprivate var code: UInt8 {
        Self.coded.firstIndex(of: self).map { UInt8($0 + 1) } ?? UInt8(Self.coded.count + 1)
    }

    fileprivate init?(code: UInt8, names: [UInt8: String]) {
        switch Int(code) {
        case 1...Self.coded.count: self = Self.coded[Int(code) - 1]
        case Self.coded.count + 1: self = .enumeration(names)
        default: return nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(name: String) {
        let name = name.utf8.prefix(255)
        append(UInt8(name.count))
        self += name
    }

    fileprivate mutating func append(parts: [KeyPart]) {
        append(UInt8(clamping: parts.count))
        for part in parts.prefix(255) {
            self += [part.kind.rawValue | (part.isDescending ? 128 : 0), UInt8(clamping: part.width)]
        }
    }
}

/// Reads what a layout has written.
private struct LayoutReader {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func name() -> String? {
        guard let count = byte(), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return String(validating: rest.prefix(Int(count)), as: UTF8.self)
    }

    mutating func parts() -> [KeyPart]? {
        guard let count = byte() else { return nil }
        var parts: [KeyPart] = []
        for _ in 0..<count {
            guard let code = byte(), let width = byte(), let kind = KeyPart.Kind(rawValue: code & 127) else {
                return nil
            }
            parts.append(KeyPart(kind, width: Int(width), isDescending: code & 128 != 0))
        }
        return parts
    }
}
