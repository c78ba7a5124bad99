/// Reads JSON (RFC 8259) from bytes, one value at a time, so that a large file is never in memory as one tree.
///
/// Why not `JSONDecoder`: for the 12,000 tasks of `history-etcd.taskwarrior.json` (3.1 MB) it needs 60 ms and 15 MB to
/// return the attributes as strings; this parser and the mapping to tasks need 65 ms and 8 MB. `JSONDecoder` also
/// returns neither the line of an invalid record nor the digits of numbers, and cannot continue after an error.
///
/// A string that is not valid text (invalid UTF-8, half of a surrogate pair, a raw control character) does not stop the
/// parser: it is recorded in ``problem``, so that one invalid field never makes the following records unreadable.
package struct JSONParser {
    /// Where and why the bytes are not JSON.
    package struct Failure: Error {
        package var offset: Int
        package var reason: String
    }

    /// Deeper nesting is refused, since recursion must not exhaust the stack.
    package static let depthLimit = 64
    /// More values than this in one record are refused, so that memory stays bounded whatever the file is.
    package static let valueLimit = 65_536

    /// The part of the file that the parser has, at least from ``position`` on.
    package private(set) var bytes: [UInt8]
    /// The offset of the next byte to read.
    package var position: Int
    /// The problem with a string of the last value, if any.
    package var problem: RecordProblem?
    private var depth = 0
    private var valueCount = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark is not part of JSON, but some editors write one.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next byte that is not white space; nil at the end.
    package mutating func peek() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return bytes[position]
            }
        }
        return nil
    }

    /// Skips one byte if it comes next.
    package mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// Moves to the end of the line of an offset: where one line is not JSON, the next may be.
    package mutating func skipLine(from offset: Int) {
        position = offset
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        depth = 0
    }

    /// A position to return to.
    package struct Mark {
        fileprivate var position: Int
        fileprivate let depth: Int
    }

    /// The current position.
    package var mark: Mark { Mark(position: position, depth: depth) }

    /// Returns to a position whose bytes are still there.
    package mutating func goBack(to mark: Mark) {
        position = mark.position
        depth = mark.depth
    }

    /// Drops the bytes before the position, and reserves capacity.
    package mutating func slide(room: Int) {
        bytes.removeFirst(position)
        position = 0
        bytes.reserveCapacity(room)
    }

    /// Adds the bytes that come next in the file.
    package mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    /// Reads the next value completely.
    package mutating func value() throws(Failure) -> JSONValue {
        problem = nil
        valueCount = 0
        return try nestedValue()
    }

    /// Skips the next value.
    package mutating func skipValue() throws(Failure) {
        switch peek() {
        case UInt8(ascii: "{"):
            try beginObject()
            var isFirst = true
            while try nextKey(isFirst: isFirst) != nil {
                try skipValue()
                isFirst = false
            }
        case UInt8(ascii: "["):
            try beginArray()
            var isFirst = true
            while try nextElement(isFirst: isFirst) {
                try skipValue()
                isFirst = false
            }
        default:
            _ = try scalar()
        }
    }

    package mutating func beginObject() throws(Failure) {
        try begin(UInt8(ascii: "{"), "an object must start here")
    }

    package mutating func beginArray() throws(Failure) {
        try begin(UInt8(ascii: "["), "an array must start here")
    }

    /// Whether the current array has another element; skips the comma or the end of the array.
    package mutating func nextElement(isFirst: Bool) throws(Failure) -> Bool {
        if skip(UInt8(ascii: "]")) {
            depth -= 1
            return false
        }
        if !isFirst, !skip(UInt8(ascii: ",")) { throw failure("a comma or ] is missing") }
        return true
    }

    /// The next key of the current object; nil at its end, which is skipped.
    package mutating func nextKey(isFirst: Bool) throws(Failure) -> String? {
        if skip(UInt8(ascii: "}")) {
            depth -= 1
            return nil
        }
        if !isFirst, !skip(UInt8(ascii: ",")) { throw failure("a comma or } is missing") }
        guard peek() == UInt8(ascii: "\"") else { throw failure("a key in quotes is missing") }
        let key = try string()
        guard skip(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
        return key
    }

    package func failure(_ reason: String) -> Failure {
        Failure(offset: position, reason: position < bytes.count ? reason : "the file ends too early")
    }

    private mutating func begin(_ bracket: UInt8, _ reason: String) throws(Failure) {
        guard skip(bracket) else { throw failure(reason) }
        depth += 1
        guard depth <= Self.depthLimit else { throw failure("it is nested deeper than \(Self.depthLimit) levels") }
    }

    private mutating func nestedValue() throws(Failure) -> JSONValue {
        valueCount += 1
        guard valueCount <= Self.valueLimit else {
            throw failure("one record has more than \(Self.valueLimit) values")
        }
        switch peek() {
        case UInt8(ascii: "{"):
            try beginObject()
            var members: [JSONMember] = []
            while let key = try nextKey(isFirst: members.isEmpty) {
                members.append(JSONMember(key: key, value: try nestedValue()))
            }
            return .object(members)
        case UInt8(ascii: "["):
            try beginArray()
            var elements: [JSONValue] = []
            while try nextElement(isFirst: elements.isEmpty) { elements.append(try nestedValue()) }
            return .array(elements)
        default:
            return try scalar()
        }
    }

    private mutating func scalar() throws(Failure) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Failure) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("a value is missing") }
        position += word.utf8.count
        return value
    }

    private mutating func number() throws(Failure) -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        // A number must not have leading zeros.
        if !take(UInt8(ascii: "0")) { try digits("a value is missing") }
        if take(UInt8(ascii: ".")) { try digits("a digit must follow the point") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits("a digit must follow the exponent")
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits(_ reason: String) throws(Failure) {
        let start = position
        let decimal = UInt8(ascii: "0")...UInt8(ascii: "9")
        while position < bytes.count, decimal.contains(bytes[position]) { position += 1 }
        if position == start { throw failure(reason) }
    }

    /// Like ``skip(_:)``, without skipping white space.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}
