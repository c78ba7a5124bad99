import ByteStreams

/// Recognizes what a file is by its first bytes: an archive, or text in another encoding than UTF-8.
enum TextDecoding {
    private static let archives: [(bytes: [UInt8], kind: String)] = [
        ([0x50, 0x4B, 0x03, 0x04], "a zip archive (or a document that is one, such as .xlsx)"),
        ([0x50, 0x4B, 0x05, 0x06], "an empty zip archive"),
        ([0x1F, 0x8B], "a gzip archive"),
    ]

    /// Returns the text of a source as UTF-8: UTF-16 is recognized by its byte order mark, or by the zero in each of its
    /// first characters.
    ///
    /// - Throws: `FileError.unsupportedFormat` for an archive and for UTF-32; errors of the source.
    static func decoded(_ source: @escaping ByteSource, name: String?) throws(FileError) -> ByteSource {
        var beginning: [UInt8] = []
        while beginning.count < 4 {
            let part = try source()
            if part.isEmpty { break }
            beginning += part
        }
        if let archive = archives.first(where: { beginning.starts(with: $0.bytes) }) {
            throw .unsupportedFormat(
                name: name, kind: archive.kind, advice: "unpack it, or save it as text, and import the files")
        }
        if beginning.starts(with: [0xFF, 0xFE, 0, 0]) || beginning.starts(with: [0, 0, 0xFE, 0xFF]) {
            throw .unsupportedFormat(name: name, kind: "text in UTF-32", advice: "save it as UTF-8, and import that")
        }
        var first: [UInt8]? = beginning
        let whole: ByteSource = { () throws(FileError) in
            if let part = first.take() { return part }
            return try source()
        }
        guard let isBigEndian = isBigEndianUTF16(beginning) else { return whole }
        var decoder = UTF16Decoder(isBigEndian: isBigEndian)
        return { () throws(FileError) in
            while true {
                let part = try whole()
                let text = part.isEmpty ? decoder.end() : decoder.utf8(of: part)
                if part.isEmpty || !text.isEmpty { return text }
            }
        }
    }

    /// The byte order of UTF-16; nil for another encoding.
    private static func isBigEndianUTF16(_ bytes: [UInt8]) -> Bool? {
        if bytes.starts(with: [0xFF, 0xFE]) { return false }
        if bytes.starts(with: [0xFE, 0xFF]) { return true }
        guard bytes.count >= 4 else { return nil }
        // No text has a zero; a file of tasks begins with two characters of ASCII.
        switch (bytes[0] == 0, bytes[1] == 0, bytes[2] == 0, bytes[3] == 0) {
        case (true, false, true, false): return true
        case (false, true, false, true): return false
        default: return nil
        }
    }
}

/// Decodes UTF-16 in parts of any length. A surrogate without its other half becomes bytes that are not UTF-8, so that its
/// line is reported like any other that is not text.
private struct UTF16Decoder {
    let isBigEndian: Bool
    /// The first byte of a unit.
    private var half: UInt8?
    /// The first of two surrogates.
    private var lead: UInt16?

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    mutating func utf8(of bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            guard let first = half.take() else {
                half = byte
                continue
            }
            let (high, low) = isBigEndian ? (first, byte) : (byte, first)
            take(UInt16(high) << 8 | UInt16(low), into: &text)
        }
        return text
    }

    /// Returns what is left at the end of the file: half a character is not valid.
    mutating func end() -> [UInt8] {
        let isIncomplete = half.take() != nil
        return lead.take() != nil || isIncomplete ? Self.invalid : []
    }

    private static let invalid: [UInt8] = [0xFF]

    private mutating func take(_ unit: UInt16, into text: inout [UInt8]) {
        if let first = lead.take() {
            if UTF16.isTrailSurrogate(unit) {
                let value = 0x10000 + (UInt32(first & 0x3FF) << 10 | UInt32(unit & 0x3FF))
                return append(value, to: &text)
            }
            text += Self.invalid
        }
        if UTF16.isLeadSurrogate(unit) {
            lead = unit
        } else if UTF16.isTrailSurrogate(unit) {
            text += Self.invalid
        } else {
            append(UInt32(unit), to: &text)
        }
    }

    private func append(_ value: UInt32, to text: inout [UInt8]) {
        if let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) { text += bytes }
    }
}
