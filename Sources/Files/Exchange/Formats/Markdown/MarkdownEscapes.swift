/// Signs that are meant as text, as Markdown writes any character: `&#128197;` is 📅.
///
/// Text that looks like that itself has one more `amp;`, so every text comes back.
enum MarkdownEscapes {
    /// Writes a text so that nothing in it is read as a sign.
    static func escape(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        let hasSigns = !MarkdownSigns(bytes).isEmpty
        guard hasSigns || bytes.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if hasSigns, let (sign, end) = MarkdownSign.at(index, in: bytes) {
                let length = sign == .category ? 1 : end - index
                for scalar in String(decoding: bytes[index..<(index + length)], as: UTF8.self).unicodeScalars {
                    result += "&#\(scalar.value);".utf8
                }
                index += length
                continue
            }
            result.append(bytes[index])
            if reference(at: index, in: bytes) != nil { result += "amp;".utf8 }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads what ``escape(_:)`` writes.
    static func unescape(_ text: String) -> String {
        let bytes = Array(text.utf8)[...]
        guard bytes.contains(UInt8(ascii: "&")) else { return text }
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard let reference = reference(at: index, in: bytes) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if reference.isEscaped {
                result.append(bytes[index])
                index += 1 + "amp;".utf8.count
            } else {
                result += String(reference.scalar).utf8
                index = reference.end
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func reference(
        at start: Int, in bytes: ArraySlice<UInt8>
    ) -> (scalar: Unicode.Scalar, isEscaped: Bool, end: Int)? {
        guard bytes[start] == UInt8(ascii: "&") else { return nil }
        var index = start + 1
        while bytes[index...].starts(with: "amp;".utf8) { index += 4 }
        let isEscaped = index > start + 1
        guard bytes[index...].first == UInt8(ascii: "#") else { return nil }
        let digits = bytes[(index + 1)...].prefix(6).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard bytes[digits.endIndex...].first == UInt8(ascii: ";"),
            let value = UInt32(String(decoding: digits, as: UTF8.self)), MarkdownSign(value) != nil,
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return (scalar, isEscaped, digits.endIndex + 1)
    }
}
