import FoundationEssentials

extension UUID {
    /// The id as Daybook writes it: lower-case, hyphenated.
    public var lowercased: String {
        let (high, low) = bigEndianHalves
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (half, number) in [high, low].enumerated() {
            for digit in 0..<16 {
                if [8, 12, 16, 20].contains(half * 16 + digit) { text.append(UInt8(ascii: "-")) }
                let value = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * digit)) & 15
                text.append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The beginning of an id as a person types it: 4 to 32 hexadecimal digits, with hyphens where an id has them, or with none.
package struct IdentifierPrefix {
    /// The beginnings in whole bytes at which a look-up starts: one, or sixteen if the last digit is half a byte.
    package let beginnings: [[UInt8]]

    package init?(_ text: String) {
        guard identifierPattern.matches(text) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        let wholeBytes = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        beginnings =
            digits.count % 2 == 0
            ? [wholeBytes] : (0..<16).map { wholeBytes + [UInt8(digits[digits.count - 1] << 4 | $0)] }
    }
}

/// The end of an id as a person types it, by the same rules.
package struct IdentifierSuffix {
    private let value: UInt128
    private let digitCount: Int
    private let mask: UInt128

    /// Whether it is a whole id, which is no other's end.
    package var isWhole: Bool { digitCount == 32 }

    package init?(_ text: String) {
        guard identifierPattern.reversed().matches(text.reversed()) else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        digitCount = digits.count
        value = digits.reduce(0) { $0 << 4 | UInt128($1) }
        mask = digits.count == 32 ? .max : (1 << UInt128(4 * digits.count)) - 1
    }

    package func matches(_ id: UUID) -> Bool { (id.number ^ value) & mask == 0 }

    /// Returns the shortest suffix of an id, of at least 4 digits, that ends none of the others and begins no other id.
    ///
    /// - Parameter idsBeginning: Returns the stored ids that begin with some bytes, two at most.
    package static func shortest(
        of id: UUID, others: some Sequence<UUID>, idsBeginning: ([UInt8]) throws -> [UUID]
    ) rethrows -> String {
        let text = id.lowercased
        return try (4...36).lazy.map { String(text.suffix($0)) }.first { end in
            guard end.first != "-", let suffix = Self(end), !others.contains(where: suffix.matches) else {
                return false
            }
            return try !(IdentifierPrefix(end)?.beginnings ?? []).contains {
                try idsBeginning($0).contains { $0 != id }
            }
        } ?? text
    }
}

/// Where an id has hyphens.
private let identifierPattern = Array("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")

extension [Character] {
    /// Whether a text of 4 to 32 digits follows this pattern as far as it goes, or has no hyphens.
    fileprivate func matches(_ text: some Collection<Character>) -> Bool {
        let digits = text.filter { $0.isASCII && $0.isHexDigit }
        guard 4...32 ~= digits.count, text.count <= 36 else { return false }
        return digits.count == text.count
            || zip(text, self).allSatisfy { character, expected in
                expected == "-" ? character == "-" : character.isASCII && character.isHexDigit
            }
    }
}

extension UUID {
    /// The 16 bytes as one number.
    fileprivate var number: UInt128 {
        let (high, low) = bigEndianHalves
        return UInt128(high) << 64 | UInt128(low)
    }

    /// The last four digits as a number.
    package var lastDigits: UInt16 { UInt16(truncatingIfNeeded: number) }

    /// The last eight digits in reverse order, as a number: ids with the same end are one range of an index by it.
    package var reversedEnd: UInt32 {
        var rest = UInt32(truncatingIfNeeded: bigEndianHalves.low)
        var reversed: UInt32 = 0
        for _ in 0..<8 {
            reversed = reversed << 4 | rest & 15
            rest >>= 4
        }
        return reversed
    }
}

extension IdentifierSuffix {
    /// The range of `reversedEnd` of the ids with this end; the upper bound is nil where there is none.
    package var ends: (from: UInt32, to: UInt32?) {
        let known = min(digitCount, 8)
        var from: UInt32 = 0
        for position in 0..<known { from = from << 4 | UInt32(truncatingIfNeeded: value >> UInt128(4 * position)) & 15 }
        let step: UInt32 = 1 << UInt32(4 * (8 - known))
        if known < 8 { from <<= UInt32(4 * (8 - known)) }
        let (to, overflow) = from.addingReportingOverflow(step)
        return (from, overflow ? nil : to)
    }
}
