import ByteStreams
import CivilTime
import FoundationEssentials

extension SnapshotManifest {
    /// The longest manifest that is read.
    static let byteLimit = 1 << 20

    /// The manifest as it is in the file: one compact JSON object.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            if let storeID { writer.field("store", storeID) }
            writer.key("schema")
            writer.int(schema)
            writer.key("sequence")
            writer.int(sequence)
            writer.key("instant")
            writer.int(instant.microsecondsSince1970)
            writer.field("library", library)
            Self.write(collections, to: &writer)
            guard let base else { return }
            writer.object("base") { writer in
                writer.field("id", base.id.description)
                writer.key("sequence")
                writer.int(base.sequence)
                writer.key("instant")
                writer.int(base.instant.microsecondsSince1970)
                writer.field("file", base.fileName)
                Self.write(base.collections, to: &writer)
            }
        }
        return writer.bytes
    }

    private static func write(_ collections: [SnapshotCollection], to writer: inout JSONWriter) {
        writer.array("collections") { writer in
            for collection in collections {
                writer.object { writer in
                    writer.field("name", collection.name)
                    writer.field("count", collection.count)
                    writer.field("digest", hexadecimal(collection.digest))
                }
            }
        }
    }

    private static func hexadecimal(_ digest: UInt64) -> String {
        var text: [UInt8] = []
        for shift in stride(from: 56, through: 0, by: -8) { text.appendHexadecimal(UInt8(digest >> shift & 0xFF)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a manifest. It must be in the form in which it is written: encoding it again gives the same bytes.
    init(_ bytes: [UInt8]) throws(SnapshotDamage) {
        do {
            var parser = JSONParser(bytes)
            guard case .object(let members) = try parser.value(), parser.problem == nil else {
                throw RecordProblem("`manifest` must be an object")
            }
            storeID = try members["store"].map { value throws(RecordProblem) in try value.id("store") }
            schema = try Self.required("schema", members).integer("schema")
            sequence = try Self.required("sequence", members).integer("sequence")
            instant = Instant(microsecondsSince1970: try Self.required("instant", members).integer("instant"))
            library = try Self.required("library", members).text("library")
            collections = try Self.collections(members)
            if case .object(let members)? = members["base"] {
                guard let id = SnapshotID(try Self.required("id", members).text("id")) else {
                    throw RecordProblem("`id` must be 32 hexadecimal digits")
                }
                base = SnapshotBase(
                    id: id, sequence: try Self.required("sequence", members).integer("sequence"),
                    instant: Instant(microsecondsSince1970: try Self.required("instant", members).integer("instant")),
                    fileName: try Self.required("file", members).text("file"),
                    collections: try Self.collections(members))
            } else {
                base = nil
            }
        } catch {
            throw SnapshotDamage("its manifest cannot be read")
        }
        guard self.bytes == bytes else { throw SnapshotDamage("its manifest is not in the canonical form") }
        // The name must refer to a file in the same folder.
        if let base, base.fileName.isEmpty || base.fileName.utf8.contains(UInt8(ascii: "/")) {
            throw SnapshotDamage("its base has an invalid name")
        }
        guard collections.isAscending, base?.collections.isAscending ?? true else {
            throw SnapshotDamage("its collections are not in order")
        }
        // No store has so many records, and adding the counts must not overflow.
        guard collections.isCountable, base?.collections.isCountable ?? true else {
            throw SnapshotDamage("its collections have too many records")
        }
    }

    private static func required(_ key: String, _ members: [JSONMember]) throws(RecordProblem) -> JSONValue {
        guard let value = members[key] else { throw RecordProblem("`\(key)` is missing") }
        return value
    }

    private static func collections(_ members: [JSONMember]) throws(RecordProblem) -> [SnapshotCollection] {
        guard case .array(let values) = try required("collections", members) else {
            throw RecordProblem("`collections` must be an array")
        }
        var collections: [SnapshotCollection] = []
        for value in values {
            guard case .object(let members) = value else { throw RecordProblem("`collections` must be objects") }
            let digits = try required("digest", members).text("digest")
            let count: Int = try required("count", members).integer("count")
            guard digits.utf8.count == 16, let digest = UInt64(digits, radix: 16), count >= 0 else {
                throw RecordProblem("`digest` must be 16 hexadecimal digits")
            }
            collections.append(
                SnapshotCollection(name: try required("name", members).text("name"), count: count, digest: digest))
        }
        return collections
    }
}

extension [SnapshotCollection] {
    /// Whether the names are distinct and ascending.
    fileprivate var isAscending: Bool {
        zip(self, dropFirst()).allSatisfy { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Whether the sum of the counts is far from overflowing.
    fileprivate var isCountable: Bool {
        allSatisfy { $0.count < 1 << 40 } && count <= 1 << 16
    }
}
