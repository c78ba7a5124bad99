import KeyValue

/// Text as part of a key: two texts that differ only in case, diacritics or the kind of blanks are equal.
///
/// The normal form is canonical decomposition without diacritics (nonspacing marks of a combining class of 10 or more, so
/// that marks which make another letter, such as the voicing of kana or the Indic nukta, stay), then upper and lower case
/// mapping of each scalar (so that `ß` is `ss` and `ς` is `σ`), with every run of blanks and control characters as one
/// blank, and none at the ends. It follows the Unicode version of the standard library: after an update of Swift that
/// changes it for a stored text, `verify` reports the entry and `rebuild` writes it again.
///
/// In a key, up to 30 bytes of the normal form's UTF-8 are stored as they are, ended by a zero. Of a longer form the first
/// 23 bytes are stored, a one, and a hash of all (XXH64, big-endian). So texts of any length differ, and sort by
/// their first 23 bytes.
public struct TextKey: OrderedKey, Hashable {
    /// The normal form; of a key that was decoded, only the beginning that is stored.
    public let form: String
    private let hash: UInt64?

    static let (wholeLength, truncatedLength) = (30, 23)
    private static let (endOfWhole, endOfTruncated): (UInt8, UInt8) = (0, 1)

    /// The key of a text.
    public init(_ text: String) {
        form = Self.normalForm(of: text)
        hash = form.utf8.count > Self.wholeLength ? Self.hash(of: form) : nil
    }

    /// The length depends on the text; this is the longest.
    public static var width: Int { truncatedLength + 1 + 8 }

    /// False: a text cannot be an id.
    public static var hasFixedWidth: Bool { false }

    /// Adds its bytes to a key.
    public func encode(into key: inout KeyBytes) {
        guard let hash else {
            for byte in form.utf8 { key.append(byte) }
            return key.append(Self.endOfWhole)
        }
        for byte in form.utf8.prefix(Self.truncatedLength) { key.append(byte) }
        key.append(Self.endOfTruncated)
        key.append(bigEndian: hash)
    }

    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        var bytes: [UInt8] = []
        var byte: UInt8 = try key.bigEndian()
        while byte > Self.endOfTruncated {
            bytes.append(byte)
            byte = try key.bigEndian()
        }
        form = String(decoding: bytes, as: UTF8.self)
        hash = byte == Self.endOfTruncated ? try key.bigEndian() : nil
    }

    /// Whether the text begins with another one, in their normal forms.
    public func begins(with prefix: TextPrefix) -> Bool { form.utf8.starts(with: prefix.form.utf8) }

    private static func hash(of form: String) -> UInt64 {
        XXHash64.hash(Array(form.utf8).span.bytes, seed: 0)
    }

    /// Returns the normal form of a text.
    public static func normalForm(of text: String) -> String {
        var form = ""
        var isBlankDue = false
        TextFolding.forEachScalar(of: text) { scalar in
            if isBlank(scalar) {
                isBlankDue = true
                return true
            }
            if isBlankDue, !form.isEmpty { form.unicodeScalars.append(" ") }
            isBlankDue = false
            form.unicodeScalars.append(scalar)
            return true
        }
        return form
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
        return scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
}

/// The beginning of a text, to find all that begin with it: `transaction[Sensor.byName].prefix(TextPrefix("gre"))`.
public struct TextPrefix: OrderedKey, Hashable {
    /// The normal form.
    public let form: String

    /// The beginning of a text. A blank at its end does not count.
    public init(_ text: String) {
        form = TextKey.normalForm(of: text)
    }

    /// Whether a key alone shows if a text begins with this; otherwise the records decide.
    var isDecidedByKey: Bool { form.utf8.count <= TextKey.truncatedLength }

    /// The length depends on the text; this is the longest.
    public static var width: Int { TextKey.truncatedLength }

    /// False: a text cannot be an id.
    public static var hasFixedWidth: Bool { false }

    /// Adds its bytes to a key: those that every key of such a text begins with.
    public func encode(into key: inout KeyBytes) {
        for byte in form.utf8.prefix(TextKey.truncatedLength) { key.append(byte) }
    }

    /// A prefix has no end in a key, so this always throws.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        throw .badDeclaration("a TextPrefix cannot be the key of an index; use TextKey")
    }
}

/// A key in descending order: the greatest value comes first.
public struct Descending<Key: OrderedKey>: OrderedKey {
    /// The value.
    public let value: Key

    /// The reverse of a key.
    public init(_ value: Key) {
        self.value = value
    }

    /// As many bytes as the value has.
    public static var width: Int { Key.width }

    /// As the value's.
    public static var hasFixedWidth: Bool { Key.hasFixedWidth }

    /// Adds the value's bytes to a key, each of them inverted.
    public func encode(into key: inout KeyBytes) {
        let bytes = value.keyBytes
        for offset in 0..<bytes.count { key.append(~bytes.bytes[byteAt: offset]) }
    }

    /// Reads its bytes from a key.
    public init(decoding key: inout KeyDecoder) throws(RecordsError) {
        let inverted = key.invertedRest
        var decoder = KeyDecoder(inverted.bytes)
        value = try Key(decoding: &decoder)
        key.skip(decoder.offset)
    }
}
