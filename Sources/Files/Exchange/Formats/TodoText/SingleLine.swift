import CivilTime

extension String {
    /// The text on one line, for formats whose tasks are lines: line ends become spaces, blanks at both ends go.
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

    /// Whether the two are the same bytes; `==` also takes two spellings of one letter for the same.
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
