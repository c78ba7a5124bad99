/// Reads a text of ASCII digits and signs from left to right. It works on bytes: a digit is `0` to `9`, never one of
/// the other scripts' digits.
struct TextCursor {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Steps over the byte, if it is the next one.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    /// Steps over one of the bytes and returns it, if it is the next one.
    mutating func skip(anyOf characters: String) -> UInt8? {
        guard let byte = next, characters.utf8.contains(byte) else { return nil }
        position += 1
        return byte
    }

    /// Consumes the next byte and returns it.
    mutating func skipByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// The number that exactly `count` digits make; nil, without moving, when fewer digits follow.
    mutating func digits(_ count: Int) -> Int? {
        guard bytes.count - position >= count else { return nil }
        var value = 0
        for offset in 0..<count {
            guard let digit = Self.digit(bytes[position + offset]) else { return nil }
            value = value * 10 + digit
        }
        position += count
        return value
    }

    /// The number that one or more digits make; nil when there is none or it does not fit an `Int`.
    mutating func number() -> Int? {
        var value = 0
        let start = position
        while let byte = next, let digit = Self.digit(byte) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(digit)
            guard !overflow, !carry else { return nil }
            value = sum
            position += 1
        }
        return position > start ? value : nil
    }

    static func digit(_ byte: UInt8) -> Int? {
        byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
    }
}

/// The number in decimal, with zeros in front up to `width` digits; `value` is not negative.
func padded(_ value: Int, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
