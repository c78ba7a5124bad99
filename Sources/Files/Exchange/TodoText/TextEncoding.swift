import ByteStreams
import CivilTime

/// Percent encoding of a text as one word: blanks, control characters and the percent sign.
enum PercentText {
    /// Writes a text as one word.
    ///
    /// - Parameters:
    ///   - keepingSpaces: Whether spaces are kept, except at both ends.
    ///   - isSpecial: Whether a byte is encoded, in addition to control characters and `%`.
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
            guard let high = rest.next()?.hexadecimalValue, let low = rest.next()?.hexadecimalValue, high | low != 0
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension String {
    /// The text on one line: line ends become spaces, blanks at both ends are removed.
    var onOneLine: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var last: UInt8 = 0
        for byte in utf8 {
            let isLineFeed = byte == UInt8(ascii: "\n")
            if isLineFeed || byte == UInt8(ascii: "\r") {
                // "\r\n" is one line end.
                if !(isLineFeed && last == UInt8(ascii: "\r")) { bytes.append(UInt8(ascii: " ")) }
            } else {
                bytes.append(byte)
            }
            last = byte
        }
        return String(decoding: bytes[...].withoutBlanksAtEnds, as: UTF8.self)
    }

    /// Whether both are the same bytes; `==` ignores canonical differences.
    func isSpelled(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension UInt8 {
    /// Whether it is a space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension ArraySlice<UInt8> {
    /// The bytes without spaces and tabs at both ends.
    var withoutBlanksAtEnds: ArraySlice<UInt8> {
        var part = drop(while: \.isBlank)
        while part.last?.isBlank == true { part.removeLast() }
        return part
    }

    /// The day that the bytes are, as `2026-02-11`.
    var day: Day? {
        guard count == 10 else { return nil }
        return try? Day(String(decoding: self, as: UTF8.self))
    }

    /// The bytes without some parts of them, which come in order, each with the blanks before it.
    func text(without ranges: [Range<Int>]) -> String {
        var rest: [UInt8] = []
        rest.reserveCapacity(count)
        var position = startIndex
        for range in ranges {
            var end = range.lowerBound
            while end > position, self[end - 1].isBlank { end -= 1 }
            rest += self[position..<end]
            position = range.upperBound
        }
        rest += self[position...]
        return String(decoding: rest[...].withoutBlanksAtEnds, as: UTF8.self)
    }
}
