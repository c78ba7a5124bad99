/// Builds JSON as UTF-8 bytes, with the keys in the order in which they are written.
///
/// ```swift
/// var writer = JSONWriter(.pretty)
/// writer.object { writer in
///     writer.field("date", day)
///     writer.field("tasks", tasks)
/// }
/// ```
/// Commas, colons and indentation are added automatically. The writer does not check that the calls form valid JSON,
/// for example that each value in an object has a key.
package struct JSONWriter: Sendable {
    /// The layout of the text.
    package enum Style: Sendable {
        /// No white space.
        case compact
        /// One member a line, indented by two spaces.
        case pretty
    }

    /// The bytes that were written and not yet taken.
    package private(set) var bytes: [UInt8] = []
    private let style: Style
    private var depth = 0
    /// Whether another value or key precedes the next one in the same object or array.
    private var needsComma = false
    /// Whether the next value follows a key.
    private var followsKey = false

    /// Creates a writer without content.
    package init(_ style: Style = .compact) {
        self.style = style
    }

    /// Returns and removes the bytes so far; writing continues where it was.
    package mutating func take() -> [UInt8] {
        let taken = bytes
        bytes = []
        bytes.reserveCapacity(taken.count)
        return taken
    }

    /// Writes an object; `body` writes its fields.
    @inlinable package mutating func object<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array; `body` writes its elements.
    @inlinable package mutating func array<Failure: Error>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Opens an object.
    package mutating func beginObject() {
        begin(UInt8(ascii: "{"))
    }

    /// Closes the innermost object.
    package mutating func endObject() {
        end(UInt8(ascii: "}"))
    }

    /// Opens an array.
    package mutating func beginArray() {
        begin(UInt8(ascii: "["))
    }

    /// Closes the innermost array.
    package mutating func endArray() {
        end(UInt8(ascii: "]"))
    }

    /// Writes the key of the value that comes next.
    package mutating func key(_ key: String) {
        prepareValue()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        if style == .pretty { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    /// Writes a string.
    package mutating func string(_ value: String) {
        prepareValue()
        appendQuoted(value)
    }

    /// Writes a whole number.
    package mutating func int(_ value: some FixedWidthInteger) {
        prepareValue()
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Writes true or false.
    package mutating func bool(_ value: Bool) {
        prepareValue()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes null.
    package mutating func null() {
        prepareValue()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes text that is already JSON.
    package mutating func raw(_ json: String) {
        prepareValue()
        bytes.append(contentsOf: json.utf8)
    }

    /// Ends a line between two values at the top level: for files with one value a line, and for the end of a file.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = depth > 0 && needsComma
    }

    /// Writes a comma between two values at the top level, where none is added automatically.
    package mutating func separator() {
        bytes.append(UInt8(ascii: ","))
    }

    /// Writes a string whose bytes need no escapes, such as digits, dates and ids.
    package mutating func plainString(_ append: (inout [UInt8]) -> Void) {
        prepareValue()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func begin(_ bracket: UInt8) {
        prepareValue()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if needsComma { indent() }
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func prepareValue() {
        if followsKey {
            followsKey = false
        } else {
            if needsComma { bytes.append(UInt8(ascii: ",")) }
            if depth > 0 { indent() }
        }
        needsComma = true
    }

    private mutating func indent() {
        guard style == .pretty else { return }
        // Copied at once for usual depths.
        bytes.append(contentsOf: Self.lineStart.prefix(1 + depth * 2))
        for _ in Self.lineStart.count..<max(1 + depth * 2, Self.lineStart.count) { bytes.append(UInt8(ascii: " ")) }
    }

    private static let lineStart: [UInt8] = [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 16)

    private mutating func appendQuoted(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { text in
            // Bytes between escapes are copied at once, several times faster than byte by byte.
            var start = 0
            for position in text.indices where Self.needsEscape(text[position]) {
                bytes.append(contentsOf: text[start..<position])
                appendEscape(of: text[position])
                start = position + 1
            }
            bytes.append(contentsOf: text[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.appendHexadecimal(byte)
        }
    }
}
