import Records

/// A passphrase of an encrypted snapshot. It has no description, so that it cannot reach a log.
///
/// The same text in another Unicode normalization is the same passphrase: keyboards and files of different systems write
/// `ü` as one scalar (NFC) or as two (NFD). Bytes that are not UTF-8 are taken as they are.
public struct Passphrase: Sendable, Equatable {
    /// What new files are encrypted with: the text in NFC.
    let bytes: [UInt8]
    /// What files may be encrypted with, in the order to try: that, and what earlier versions took.
    let forms: [[UInt8]]

    /// Creates a passphrase of these bytes; nil when there are none.
    public init?(_ bytes: [UInt8]) {
        self.init(text: bytes, given: bytes)
    }

    /// Creates a passphrase from the content of a file without its final line break; nil when nothing else is in it. A byte
    /// order mark at its beginning, which some editors write, is not a part of the passphrase.
    public init?(fileContent: [UInt8]) {
        let text = Self.decodedUTF16(fileContent) ?? fileContent
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.init(
            text: Self.withoutLineBreak(text.starts(with: mark) ? Array(text.dropFirst(mark.count)) : text),
            given: Self.withoutLineBreak(fileContent))
    }

    /// - Parameter given: the bytes that an earlier version took.
    private init?(text: [UInt8], given: [UInt8]) {
        if text.isEmpty { return nil }
        var forms = [text, given]
        if let characters = String(validating: text, as: UTF8.self) {
            forms = [TextNormalization.composed(characters), text, TextNormalization.decomposed(characters), given]
        }
        bytes = forms[0]
        self.forms = forms.indices.filter { forms.firstIndex(of: forms[$0]) == $0 }.map { forms[$0] }
    }

    /// Compares the texts.
    public static func == (left: Passphrase, right: Passphrase) -> Bool { left.bytes == right.bytes }

    private static func withoutLineBreak(_ content: [UInt8]) -> [UInt8] {
        var bytes = content[...]
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return Array(bytes)
    }

    /// The UTF-8 of a file that begins with the byte order mark of UTF-16 and is valid; nil for others.
    private static func decodedUTF16(_ content: [UInt8]) -> [UInt8]? {
        guard content.count % 2 == 0, content.starts(with: [0xFF, 0xFE]) || content.starts(with: [0xFE, 0xFF]) else {
            return nil
        }
        let (low, high) = content[0] == 0xFF ? (0, 1) : (1, 0)
        let units = stride(from: 2, to: content.count, by: 2).map {
            UInt16(content[$0 + low]) | UInt16(content[$0 + high]) << 8
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }
}
