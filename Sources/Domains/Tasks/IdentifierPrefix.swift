import FoundationEssentials

/// The beginning of an id as a person types it: hexadecimal digits, hyphens where an id has them, 4 characters or more.
struct IdentifierPrefix {
    /// The beginnings in whole bytes where a look-up can begin: one, or sixteen when the last digit is half a byte.
    let beginnings: [[UInt8]]

    init?(_ typed: String) {
        guard typed.count >= 4, typed.count <= 36 else { return nil }
        let pattern = Array("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
        for (character, expected) in zip(typed, pattern) {
            guard expected == "-" ? character == "-" : character.isASCII && character.isHexDigit else { return nil }
        }
        let digits = typed.compactMap(\.hexDigitValue)
        let wholeBytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        beginnings =
            digits.count % 2 == 0
            ? [wholeBytes] : (0..<16).map { wholeBytes + [UInt8(digits[digits.count - 1] << 4 | $0)] }
    }
}
