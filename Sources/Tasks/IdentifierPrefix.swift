import FoundationEssentials

/// The beginning of an id as a person types it: hexadecimal digits, hyphens where an id has them, 4 characters or more.
struct IdentifierPrefix {
    private let text: String
    /// The digits that make whole bytes: where a look-up can begin.
    let wholeBytes: [UInt8]

    init?(_ typed: String) {
        guard typed.count >= 4, typed.count <= 36 else { return nil }
        let pattern = Array("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
        for (character, expected) in zip(typed, pattern) {
            guard expected == "-" ? character == "-" : character.isASCII && character.isHexDigit else { return nil }
        }
        text = typed.lowercased()
        let digits = text.compactMap(\.hexDigitValue)
        wholeBytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    func matches(_ id: UUID) -> Bool { id.lowercased.hasPrefix(text) }
}
