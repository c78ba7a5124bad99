extension JSONParser {
    /// Reads the string whose opening quote comes next.
    package mutating func string() throws(Failure) -> String {
        position += 1
        let start = position
        var allBits: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                let range = start..<position
                position += 1
                // ASCII needs no validation, which costs more than all the rest for a short text.
                return allBits < 0x80 ? String(decoding: bytes[range], as: UTF8.self) : text(bytes[range])
            }
            allBits |= byte
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            try check(byte)
            position += 1
        }
        throw failure("a string does not end")
    }

    /// Reads the rest of a string with escapes, which need a copy.
    private mutating func escapedString(from start: Int) throws(Failure) -> String {
        var decoded = Array(bytes[start..<position])
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return text(decoded[...])
            }
            position += 1
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &decoded)
            } else {
                try check(byte)
                decoded.append(byte)
            }
        }
        throw failure("a string does not end")
    }

    private mutating func appendEscape(to decoded: inout [UInt8]) throws(Failure) {
        guard position < bytes.count else { throw failure("a string does not end") }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(letter)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"): decoded.append(contentsOf: Array(String(try unicodeEscape()).utf8))
        default: throw failure("a string has an escape that JSON does not have")
        }
    }

    private mutating func unicodeEscape() throws(Failure) -> Character {
        var code = UInt32(try codeUnit())
        if UTF16.isLeadSurrogate(UInt16(code)), take(UInt8(ascii: "\\")) {
            guard take(UInt8(ascii: "u")) else {
                // Another escape follows: return its backslash.
                position -= 1
                return noteLoneSurrogate()
            }
            let trail = try codeUnit()
            guard UTF16.isTrailSurrogate(trail) else { return noteLoneSurrogate() }
            code = 0x10000 + (code - 0xD800) << 10 + UInt32(trail) - 0xDC00
        }
        guard let scalar = Unicode.Scalar(code) else { return noteLoneSurrogate() }
        return Character(scalar)
    }

    private mutating func noteLoneSurrogate() -> Character {
        note("a string has half of a surrogate pair")
        return "\u{FFFD}"
    }

    private mutating func codeUnit() throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = bytes[position].hexadecimalValue else {
                throw failure("four hexadecimal digits must follow \\u")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    /// A line break inside a string is an unterminated string; other control characters invalidate only the record.
    private mutating func check(_ byte: UInt8) throws(Failure) {
        guard byte < 0x20 else { return }
        if byte == 0x0A || byte == 0x0D { throw failure("a string does not end on its line") }
        note("a string has a control character that is not escaped")
    }

    private mutating func text(_ utf8: ArraySlice<UInt8>) -> String {
        if let text = String(validating: utf8, as: UTF8.self) { return text }
        note("a string is not valid UTF-8")
        return String(decoding: utf8, as: UTF8.self)
    }

    private mutating func note(_ reason: String) {
        if problem == nil { problem = RecordProblem(reason) }
    }
}
