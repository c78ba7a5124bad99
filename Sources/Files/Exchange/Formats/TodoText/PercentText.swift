import ByteStreams

/// Text as one word: blanks, control characters and the percent sign itself as `%` and two hexadecimal digits.
enum PercentText {
    /// Writes a text as one word.
    ///
    /// - Parameters:
    ///   - keepingSpaces: whether spaces stay, except at both ends.
    ///   - isSpecial: which bytes are written as digits, beside control characters and `%`.
    static func encode(
        _ text: String, keepingSpaces: Bool = false, also isSpecial: (UInt8) -> Bool = { _ in false }
    ) -> String {
        var bytes: [UInt8] = []
        let last = text.utf8.count - 1
        for (index, byte) in text.utf8.enumerated() {
            let isInnerSpace = keepingSpaces && byte == 0x20 && index > 0 && index < last
            let isSpecial = byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") || isSpecial(byte)
            if isSpecial && !isInnerSpace {
                bytes.append(UInt8(ascii: "%"))
                bytes.appendHexadecimal(byte)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what ``encode(_:keepingSpaces:also:)`` writes; nil where a `%` is not followed by two digits, or where the result is no
    /// text that a task may have.
    static func decode(_ word: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = word.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit), high | low != 0 else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
