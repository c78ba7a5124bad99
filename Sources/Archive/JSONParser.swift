/// Reads JSON (RFC 8259) from bytes, a value at a time, so that a large file never stands in memory as a whole tree.
///
/// MEASUREMENT
///
/// A string that is not proper text (invalid UTF-8, half of a surrogate pair, a raw control character) does not stop the
/// parser: it is noted in ``problem``, so that one bad field never makes the records after it unreadable.
struct JSONParser {
    /// Where and why the bytes are not JSON.
    struct Failure: Error {
        var offset: Int
        var reason: String
    }

    /// Deeper nesting is refused: nothing that people write comes near, and recursion must not use up the stack.
    static let depthLimit = 64
    /// More values than this in one record are refused, so that memory stays bounded whatever the file is.
    static let valueLimit = 65_536

    let bytes: [UInt8]
    private(set) var position: Int
    /// What is wrong with the text of a string of the last value, if anything.
    private(set) var problem: RecordProblem?
    private var depth = 0
    private var valueCount = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark is no part of JSON, but some editors write one.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next byte that is not white space; nil at the end.
    mutating func peek() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return bytes[position]
            }
        }
        return nil
    }

    /// Goes past one byte if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// Goes to the end of the line of an offset: where a line is not JSON, the next may be.
    mutating func skipLine(from offset: Int) {
        position = offset
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
        depth = 0
    }

    /// The next value, whole.
    mutating func value() throws(Failure) -> JSONValue {
        problem = nil
        valueCount = 0
        return try nestedValue()
    }

    /// Goes past the next value without keeping it.
    mutating func skipValue() throws(Failure) {
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

    mutating func beginObject() throws(Failure) {
        try begin(UInt8(ascii: "{"), "an object must start here")
    }

    mutating func beginArray() throws(Failure) {
        try begin(UInt8(ascii: "["), "an array must start here")
    }

    /// Whether the array that was begun has another element; goes past the comma, or past the end of the array.
    mutating func nextElement(isFirst: Bool) throws(Failure) -> Bool {
        if skip(UInt8(ascii: "]")) {
            depth -= 1
            return false
        }
        if !isFirst, !skip(UInt8(ascii: ",")) { throw failure("a comma or ] is missing") }
        return true
    }

    /// The next key of the object that was begun; nil, and past the object, when there is none.
    mutating func nextKey(isFirst: Bool) throws(Failure) -> String? {
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

    func failure(_ reason: String) -> Failure {
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
        // No number starts with a zero that other digits follow.
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
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
        if position == start { throw failure(reason) }
    }

    /// Like ``skip(_:)``, but white space is not passed.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}

// MARK: Strings

extension JSONParser {
    /// The string whose opening quote comes next.
    private mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let text = text(bytes[start..<position])
                position += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            try check(byte)
            position += 1
        }
        throw failure("a string does not end")
    }

    /// The rest of a string that has escapes, which need a copy.
    private mutating func escapedString(from start: Int) throws(Failure) -> String {
        var decoded = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return text(decoded[...])
            }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &decoded)
            } else {
                try check(byte)
                decoded.append(byte)
            }
        }
        throw failure("a string does not end")
    }

    private mutating func appendEscape(to decoded: inout [UInt8]) throws(Failure) {
        guard position < bytes.count else { throw failure("a string does not end") }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(letter)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): decoded.append(contentsOf: Array(String(try unicodeEscape()).utf8))
        default: throw failure("a string has an escape that JSON does not have")
        }
    }

    private mutating func unicodeEscape() throws(Failure) -> Character {
        var code = UInt32(try codeUnit())
        if UTF16.isLeadSurrogate(UInt16(code)), take(UInt8(ascii: "\\")) {
            guard take(UInt8(ascii: "u")) else {
                // Another escape stands there: give its backslash back.
                position -= 1
                return noteLoneSurrogate()
            }
            let trail = try codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { return noteLoneSurrogate() }
            code = 0x10000 + (code - 0xD800) << 10 + UInt32(trail) - 0xDC00
        }
        guard let scalar = Unicode.Scalar(code) else { return noteLoneSurrogate() }
        return Character(scalar)
    }

    private mutating func noteLoneSurrogate() -> Character {
        note("a string has half of a surrogate pair")
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = Self.hexadecimalValue(bytes[position]) else {
                throw failure("four hexadecimal digits must follow \\u")
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }

    private static func hexadecimalValue(_ digit: UInt8) -> UInt16? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(digit - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// A line that ends inside a string is a string without an end; other control characters spoil only the record.
    private mutating func check(_ byte: UInt8) throws(Failure) {
        guard byte < 0x20 else { return }
        if byte == 0x0A || byte == 0x0D { throw failure("a string does not end on its line") }
        note("a string has a control character that is not escaped")
    }

    private mutating func text(_ utf8: ArraySlice<UInt8>) -> String {
        if let text = String(validating: utf8, as: UTF8.self) { return text }
        note("a string is not valid UTF-8")
        return String(decoding: utf8, as: UTF8.self)
    }

    private mutating func note(_ reason: String) {
        if problem == nil { problem = RecordProblem(reason) }
    }
}
