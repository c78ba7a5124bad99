import ByteStreams
import FoundationEssentials
import Records

/// Reads the lines of a dump; memory stays bounded by the longest record.
struct DumpReader {
    /// A record as it is to be stored.
    struct Record {
        var collection: String
        var key: [UInt8]
        /// The value without a checksum.
        var value: [UInt8]
    }

    /// The version of the schema that wrote the records.
    let schemaVersion: UInt32
    /// The number of the last change of the store that was dumped.
    let sequence: UInt64
    private var window: JSONWindow
    private var declared: [String: DumpFields] = [:]
    private var count = 0
    private var hasEnded = false

    /// Reads the first line.
    ///
    /// - Throws: `invalidDump`, `newerVersion`, what the source throws.
    init(_ source: @escaping ByteSource) throws(FileError) {
        // In JSON a byte takes six at most.
        var window = try JSONWindow(source, valueLimit: 6 * StoreDump.recordLimit + 1 << 20)
        let header = try Self.line(of: &window)
        let notADump = FileError.invalidDump(line: 1, reason: "it is not the first line of a dump")
        guard let header, header["format"] == .string(StoreDump.format),
            case .success(let version) = Self.number(Int.self, "version", header)
        else { throw notADump }
        guard version <= StoreDump.version else {
            throw .newerVersion(found: version, supported: StoreDump.version)
        }
        guard case .success(let schema) = Self.number(UInt32.self, "schema", header),
            case .success(let sequence) = Self.number(UInt64.self, "sequence", header)
        else { throw notADump }
        schemaVersion = schema
        self.sequence = sequence
        self.window = window
    }

    /// The next record; nil after the last line.
    ///
    /// - Throws: `invalidDump` for a line that is damaged, and for a dump that has lost its end.
    mutating func next() throws(FileError) -> Record? {
        while !hasEnded {
            guard let members = try Self.line(of: &window) else {
                let line = window.line(at: window.parser.position)
                throw .invalidDump(line: line, reason: "the end of the dump is missing")
            }
            do throws(RecordProblem) {
                if let name = members["declare"] {
                    try declare(try name.text("declare"), members)
                } else if members["end"] != nil {
                    guard try Self.number(Int.self, "records", members).get() == count else {
                        throw RecordProblem("it counts other records than those before it")
                    }
                    hasEnded = true
                } else {
                    count += 1
                    return try record(members)
                }
            } catch {
                throw invalid(error.reason)
            }
        }
        if try window.peek() != nil {
            throw .invalidDump(line: window.line(at: window.parser.position), reason: "it follows the end of the dump")
        }
        return nil
    }

    /// The error for the line that was read last.
    mutating func invalid(_ reason: String) -> FileError {
        .invalidDump(line: window.line(at: window.start), reason: reason)
    }

    /// The members of the next line; nil at the end of the file.
    private static func line(of window: inout JSONWindow) throws(FileError) -> [JSONMember]? {
        guard try window.peek() != nil else { return nil }
        switch try window.step({ (parser) throws(JSONParser.Failure) in try parser.value() }) {
        case .success(.object(let members)) where window.parser.problem == nil: return members
        case .success:
            let reason = window.parser.problem?.reason ?? "it is not an object"
            throw .invalidDump(line: window.line(at: window.start), reason: reason)
        case .failure(let failure):
            throw .invalidDump(line: window.line(at: failure.offset), reason: failure.reason)
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ type: Number.Type, _ name: String, _ members: [JSONMember]
    ) -> Result<Number, RecordProblem> {
        guard case .number(let digits)? = members[name], let number = Number(digits) else {
            return .failure(RecordProblem("`\(name)` must be a whole number"))
        }
        return .success(number)
    }

    private mutating func declare(_ collection: String, _ members: [JSONMember]) throws(RecordProblem) {
        guard declared[collection] == nil, case .array(let elements)? = members["fields"] else {
            throw RecordProblem("the declaration is not valid, or is not the first of its collection")
        }
        var fields: [Field] = []
        for element in elements {
            guard case .object(let members) = element, case .string(let name)? = members["name"],
                case .string(let kindName)? = members["kind"]
            else { throw RecordProblem("the declaration of a field is not valid") }
            var cases: [UInt8: String] = [:]
            if case .object(let names)? = members["cases"] {
                for name in names {
                    guard let raw = UInt8(name.key) else { throw RecordProblem("a case must have a number") }
                    cases[raw] = try name.value.text("cases")
                }
            }
            guard let kind = FieldKind(dumpName: kindName, cases: cases) else {
                throw RecordProblem("a field is of an unknown kind")
            }
            fields.append(Field(try Self.number(Int.self, "number", members).get(), name, kind))
        }
        declared[collection] = DumpFields(fields)
    }

    private func record(_ members: [JSONMember]) throws(RecordProblem) -> Record {
        guard case .string(let collection)? = members["collection"] else {
            throw RecordProblem("`collection` is missing")
        }
        guard case .string(let text)? = members["key"], let key = Self.key(text) else {
            throw RecordProblem("`key` must be a UUID or pairs of hexadecimal digits")
        }
        if case .object(let fields)? = members["fields"] {
            guard let value = try (declared[collection] ?? DumpFields()).read(fields).value else {
                throw RecordProblem("a field is given twice, or in another form than stated")
            }
            return Record(collection: collection, key: key, value: value)
        }
        guard case .string(let digits)? = members["value"], let value = [UInt8](hexadecimal: digits) else {
            throw RecordProblem("`fields` or `value` is missing")
        }
        return Record(collection: collection, key: key, value: value)
    }

    private static func key(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 36, let id = UUID(strict: text) else {
            return [UInt8](hexadecimal: text).flatMap { 1...64 ~= $0.count ? $0 : nil }
        }
        var key = KeyBytes()
        id.encode(into: &key)
        var bytes: [UInt8] = []
        bytes.append(key.bytes)
        return bytes
    }
}
