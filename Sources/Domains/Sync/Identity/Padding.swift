/// Hides how long a content is, within steps.
///
/// A content is followed by one byte 0x80 and then zeros, up to 16, 32, and then every 32 bytes; from 512 on in the
/// steps of Padmé (Nikitin and others, 2019), which add at most 12 % and reveal a number of bits that grows with the
/// double logarithm of the length. Small steps keep an edit of a short field in the budget of the wire: 16 bytes hold a
/// completion or a position, 32 a title of 25 letters.
enum Padding {
    /// How many bytes a content has with its padding.
    static func size(of count: Int) -> Int {
        let least = count + 1
        if least <= 16 { return 16 }
        return roundedUp(least, to: max(32, padmeStep(least)))
    }

    static func pad(_ content: [UInt8]) -> [UInt8] {
        let size = size(of: content.count)
        return content + [0x80] + [UInt8](repeating: 0, count: size - content.count - 1)
    }

    /// The content; nil when it was padded in another way.
    static func unpad(_ padded: [UInt8]) -> [UInt8]? {
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 0x80, size(of: end) == padded.count else {
            return nil
        }
        return Array(padded[..<end])
    }

    /// The power of two to whose multiples Padmé rounds.
    private static func padmeStep(_ count: Int) -> Int {
        let exponent = binaryLogarithm(count)
        return 1 << (exponent - binaryLogarithm(exponent) - 1)
    }

    private static func binaryLogarithm(_ number: Int) -> Int { Int.bitWidth - 1 - number.leadingZeroBitCount }

    private static func roundedUp(_ number: Int, to step: Int) -> Int { (number + step - 1) / step * step }
}
