/// The declaration of one stored field of a record type: its number, its name, and what kind of value it holds.
///
/// List the fields in the collection, beside the indexes. Encoding and decoding do not read the declaration; dumps,
/// JSON names and documentation do, so that a field's name is spelled once:
///
///     static let collection = RecordCollection<Reading>("readings") {
///         Field(1, "sensor", .text)
///         Field(2, "takenAt", .instant)
///         byTime
///     }
public struct Field: Sendable, Hashable {
    /// The number under which the field is stored, 1 to 63. It never changes its meaning.
    public let number: Int
    /// The name in JSON, in dumps and in documentation.
    public let name: String
    /// What the field holds.
    public let kind: FieldKind

    /// Declares a field.
    public init(_ number: Int, _ name: String, _ kind: FieldKind) {
        self.number = number
        self.name = name
        self.kind = kind
    }
}

/// What a field holds, which also fixes how it is stored.
public enum FieldKind: Sendable, Hashable {
    /// Text in UTF-8.
    case text
    /// Any bytes.
    case bytes
    /// A signed integer of 64 bits.
    case integer
    /// A signed integer of 32 bits.
    case integer32
    /// An unsigned integer of 32 bits.
    case unsigned32
    /// An unsigned integer of 8 bits.
    case unsigned8
    /// A Boolean; false is not stored.
    case boolean
    /// A Boolean whose default is true: the field is stored, as 1, when it is false.
    case booleanDefaultingToTrue
    /// A floating-point number.
    case double
    /// An instant, in microseconds since 1970.
    case instant
    /// A day, in days since 1970-01-01.
    case day
    /// A UUID.
    case uuid
    /// A case of an enumeration, stored as its raw value; the names of the raw values that this version defines.
    case enumeration([UInt8: String])

    /// An enumeration whose stored values are called what its cases are called.
    public static func cases<Value>(of type: Value.Type) -> FieldKind
    where Value: CaseIterable & RawRepresentable, Value.RawValue == UInt8 {
        .enumeration(
            Dictionary(type.allCases.map { ($0.rawValue, String(describing: $0)) }, uniquingKeysWith: { $1 }))
    }

    /// The wire forms in which such a field may be stored.
    package var forms: [FieldForm] {
        switch self {
        case .unsigned8, .boolean, .booleanDefaultingToTrue, .enumeration: [.oneByte]
        case .integer32, .unsigned32, .day: [.fourBytes]
        case .integer, .double, .instant: [.eightBytes]
        case .uuid: [.sixteenBytes]
        case .text, .bytes: [.shortBytes, .longBytes]
        }
    }
}

/// A collection's declaration without its record type: what dumps, documentation and a store browser need.
package struct CollectionDeclaration: Sendable, Hashable {
    /// The name of the collection and of its table.
    package let name: String
    /// The declared fields, in the order of their numbers; empty for a collection that declares none.
    package let fields: [Field]
    /// The tables of its indexes and roll-ups, which are derived from the records.
    package let derivedTables: [String]

    /// The declaration of the field with a number; nil when there is none, as for a field of a newer version.
    package func field(_ number: Int) -> Field? { fields.first { $0.number == number } }

    /// Refuses declarations in which two fields share a number or a name.
    func check() throws(RecordsError) {
        var numbers: Set<Int> = []
        var names: Set<String> = []
        for field in fields {
            guard 1...63 ~= field.number else {
                throw .badDeclaration("the field \(field.name) of \(name) has the number \(field.number), not 1 to 63")
            }
            guard !field.name.isEmpty, numbers.insert(field.number).inserted, names.insert(field.name).inserted else {
                throw .badDeclaration("\(name) declares the field \(field.number), \(field.name), twice")
            }
        }
    }
}

extension RecordCollection {
    /// The declaration without the record type.
    package var declaration: CollectionDeclaration {
        CollectionDeclaration(
            name: name, fields: fields, derivedTables: parts.map { $0.tableName(in: name) })
    }

    /// Compares what a record writes with the declared fields: for tests.
    ///
    /// The set of field numbers is compared exactly, whatever the record holds. The wire form of a field can only be
    /// compared when the record writes the field, so give it a record in which every field differs from its default.
    ///
    /// - Returns: one line for each difference, and for each declared field that the record leaves out.
    package func mismatches(of record: R) -> [String] {
        var encoder = FieldEncoder()
        record.encode(into: &encoder)
        encoder.finish()
        let known = (1...63).filter { encoder.knownFields >> UInt64($0) & 1 == 1 }
        let declared = Set(fields.map(\.number))
        var problems = known.filter { !declared.contains($0) }.map { "field \($0) is encoded and not declared" }
        problems += declared.subtracting(known).sorted().map { "field \($0) is declared and not encoded" }
        guard let stored = StoredFields(encoder.bytes.span.bytes)?.fields else {
            return problems + ["the encoded bytes are not a list of fields"]
        }
        for field in fields where known.contains(field.number) {
            guard let found = stored.first(where: { $0.number == field.number }) else {
                problems.append("field \(field.number), \(field.name), is not written by this record")
                continue
            }
            if !field.kind.forms.contains(found.form) {
                problems.append("field \(field.number), \(field.name), has the form \(found.form)")
            }
        }
        return problems
    }
}

extension Schema {
    /// The declarations of the collections, in their order.
    package var declarations: [CollectionDeclaration] { collections.map(\.declaration) }
}
