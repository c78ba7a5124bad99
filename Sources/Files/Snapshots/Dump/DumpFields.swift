import ByteStreams
import CivilTime
import FoundationEssentials
import Records

/// Converts the fields of stored records to JSON and back without loss: each field by its declared name and kind, and a
/// field that is not declared, or whose content is not what its kind stores, as its bytes.
struct DumpFields {
    /// The declared fields by their numbers; empty for a collection that declares none.
    private let byNumber: [Int: Field]
    private let byName: [String: Field]

    init(_ fields: [Field] = []) {
        // A name of digits could not be distinguished from the number of an undeclared field.
        let fields = fields.filter { Int($0.name) == nil }
        byNumber = Dictionary(fields.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        byName = Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Writing

    func write(_ stored: StoredFields, to writer: inout JSONWriter) {
        writer.object { writer in
            for field in stored.fields {
                let declared = byNumber[field.number]
                writer.key(declared?.name ?? String(field.number))
                if let declared, Self.write(field, as: declared.kind, to: &writer) { continue }
                writer.object { $0.field(field.form.dumpName, field.content.hexadecimal) }
            }
        }
    }

    /// Writes a field the way its kind is read back; false when that would not give the same bytes.
    private static func write(
        _ field: StoredFields.Field, as kind: FieldKind, to writer: inout JSONWriter
    ) -> Bool {
        guard field.form == form(of: kind, byteCount: field.content.count) else { return false }
        let number = field.content.count <= 8 ? field.content.littleEndianInteger : 0
        switch kind {
        case .text:
            guard let text = String(validating: field.content, as: UTF8.self) else { return false }
            writer.string(text)
        case .bytes: writer.string(field.content.hexadecimal)
        case .integer: writer.int(Int64(bitPattern: number))
        case .integer32: writer.int(Int32(truncatingIfNeeded: number))
        case .unsigned32, .unsigned8: writer.int(number)
        case .boolean, .booleanDefaultingToTrue:
            guard number <= 1 else { return false }
            writer.bool((number == 1) == (kind == .boolean))
        case .double:
            let value = Double(bitPattern: number)
            guard value.isFinite else { return false }
            writer.value(value)
        case .instant:
            let instant = Instant(microsecondsSince1970: Int64(bitPattern: number))
            guard (try? Instant(instant.description)) == instant else { return false }
            writer.value(instant)
        case .day:
            let day = Day(daysSince1970: Int32(truncatingIfNeeded: number))
            guard let day, day.daysSince1970 == Int32(truncatingIfNeeded: number) else { return false }
            writer.value(day)
        case .uuid: writer.value(UUID(bigEndian: field.content.bigEndianInteger))
        case .enumeration(let names):
            let raw = UInt8(truncatingIfNeeded: number)
            // Of two cases that share a name, neither can be read back by it.
            if let name = names[raw], names.values.filter({ $0 == name }).count == 1 {
                writer.string(name)
            } else {
                writer.int(raw)
            }
        }
        return true
    }

    // MARK: Reading

    func read(_ members: [JSONMember]) throws(RecordProblem) -> StoredFields {
        var fields: [StoredFields.Field] = []
        for member in members {
            if let declared = byName[member.key] {
                fields.append(try Self.read(member.value, member.key, declared.number, declared.kind))
            } else if let number = Int(member.key), 1...255 ~= number {
                fields.append(try Self.read(member.value, member.key, number, byNumber[number]?.kind))
            } else {
                throw RecordProblem("the dump does not declare a field `\(member.key.prefix(40))`")
            }
        }
        return StoredFields(fields.sorted { $0.number < $1.number })
    }

    private static func read(
        _ value: JSONValue, _ name: String, _ number: Int, _ kind: FieldKind?
    ) throws(RecordProblem) -> StoredFields.Field {
        if case .object(let members) = value {
            guard members.count == 1, let form = FieldForm(dumpName: members[0].key),
                case .string(let text) = members[0].value, let content = [UInt8](hexadecimal: text)
            else { throw RecordProblem("`\(name)` must have one form with hexadecimal digits") }
            return StoredFields.Field(number: number, form: form, content: content)
        }
        guard let kind else { throw RecordProblem("`\(name)` is not declared and must be given in its stored form") }
        let content = try content(of: value, name, kind)
        return StoredFields.Field(number: number, form: form(of: kind, byteCount: content.count), content: content)
    }

    private static func content(
        of value: JSONValue, _ name: String, _ kind: FieldKind
    ) throws(RecordProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        switch kind {
        case .text:
            guard case .string(let text) = value else { throw RecordProblem("`\(name)` must be a string") }
            return Array(text.utf8)
        case .bytes:
            guard case .string(let text) = value, let content = [UInt8](hexadecimal: text) else {
                throw RecordProblem("`\(name)` must be hexadecimal digits")
            }
            return content
        case .integer: bytes.append(littleEndian: UInt64(bitPattern: try value.integer(name)))
        case .integer32: bytes.append(littleEndian: UInt32(bitPattern: try value.integer(name)))
        case .unsigned32: bytes.append(littleEndian: try value.integer(name) as UInt32)
        case .unsigned8: bytes.append(try value.integer(name))
        case .boolean, .booleanDefaultingToTrue:
            bytes.append(try value.bool(name) == (kind == .boolean) ? 1 : 0)
        case .double:
            guard case .number(let digits) = value, let number = Double(digits), number.isFinite else {
                throw RecordProblem("`\(name)` must be a number")
            }
            bytes.append(littleEndian: number.bitPattern)
        case .instant: bytes.append(littleEndian: UInt64(bitPattern: try value.instant(name).microsecondsSince1970))
        case .day: bytes.append(littleEndian: UInt32(bitPattern: try value.day(name).daysSince1970))
        case .uuid:
            var key = KeyBytes()
            try value.id(name).encode(into: &key)
            bytes.append(key.bytes)
        case .enumeration(let names):
            if case .string(let text) = value {
                guard let raw = names.first(where: { $0.value == text })?.key else {
                    throw RecordProblem("`\(name)` has a value that the dump does not declare")
                }
                return [raw]
            }
            bytes.append(try value.integer(name))
        }
        return bytes
    }

    /// The form in which a kind is stored, given the length of the content.
    private static func form(of kind: FieldKind, byteCount: Int) -> FieldForm {
        let forms = kind.forms
        return forms.count > 1 && byteCount > 255 ? .longBytes : forms[0]
    }
}

extension FieldForm {
    private static let dumpNames: [FieldForm: String] = [
        .oneByte: "byte", .fourBytes: "bytes4", .eightBytes: "bytes8", .sixteenBytes: "bytes16",
        .shortBytes: "short", .longBytes: "long",
    ]

    /// The name of the form in a dump.
    var dumpName: String { Self.dumpNames[self] ?? "" }

    init?(dumpName name: String) {
        guard let form = Self.dumpNames.first(where: { $0.value == name })?.key else { return nil }
        self = form
    }
}

extension FieldKind {
    private static let simpleKinds: [(name: String, kind: FieldKind)] = [
        ("text", .text), ("bytes", .bytes), ("integer", .integer), ("integer32", .integer32),
        ("unsigned32", .unsigned32), ("unsigned8", .unsigned8), ("boolean", .boolean),
        ("booleanDefaultingToTrue", .booleanDefaultingToTrue), ("double", .double), ("instant", .instant),
        ("day", .day), ("uuid", .uuid),
    ]

    /// The name of the kind in a dump.
    var dumpName: String {
        Self.simpleKinds.first { $0.kind == self }?.name ?? "enumeration"
    }

    /// The kind of a name, for an enumeration with the names of its values.
    init?(dumpName name: String, cases: [UInt8: String]) {
        if name == "enumeration" {
            self = .enumeration(cases)
        } else if let kind = Self.simpleKinds.first(where: { $0.name == name })?.kind {
            self = kind
        } else {
            return nil
        }
    }
}

extension [UInt8] {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self { text.appendHexadecimal(byte) }
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate var littleEndianInteger: UInt64 { reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    fileprivate var bigEndianInteger: UInt128 { reduce(0) { $0 << 8 | UInt128($1) } }
}
