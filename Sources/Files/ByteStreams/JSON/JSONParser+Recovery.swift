extension JSONParser {
    /// How an invalid element of an array was skipped.
    package enum Skip {
        /// To its end: a comma or the end of the array follows.
        case element
        /// With the rest of its line, and a comma there: an element or the end of the array follows.
        case line
    }

    /// Skips the element at the position, which is not JSON: to the bracket that closes it, or if that is missing, or a
    /// quotation mark is, to the next line that begins like an element.
    ///
    /// - Throws: A failure at the end of the bytes where the next element cannot be found without doubt.
    package mutating func skipInvalidElement() throws(Failure) -> Skip {
        var open: [UInt8] = []
        var index = position
        var isString = false
        // The last byte before this one that is not white space.
        var last: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            defer { if !byte.isJSONBlank { last = byte } }
            switch byte {
            case UInt8(ascii: "\n"):
                // A string ends in its line, and in an object is neither another one without a key nor the end of an array.
                if isString { return try skipLines(to: index) }
                if open.last == UInt8(ascii: "{"), try beginsElement(at: index) {
                    position = index
                    return .line
                }
            case UInt8(ascii: "\\") where isString:
                if index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "\""):
                // What looks like the border of two elements within a string is one: a quotation mark is missing.
                if isString, bytes[position..<index].dropLast().endsLikeBorder { return try skipLines(to: index) }
                isString.toggle()
            case _ where isString:
                break
            case UInt8(ascii: "{") where open.last == UInt8(ascii: "{") && last == UInt8(ascii: ","):
                // A member has a key, so this is the next element.
                position = index - 1
                return .line
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // It closes what it fits, although an inner bracket is missing; one that closes nothing is that of the array.
                let opening = byte == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
                guard let match = open.lastIndex(of: opening) else {
                    position = index - 1
                    return .element
                }
                open.removeSubrange(match...)
                if open.isEmpty {
                    position = index
                    return .element
                }
            case UInt8(ascii: ",") where open.isEmpty:
                position = index - 1
                return .element
            default:
                break
            }
        }
        throw endOfBytes
    }
    /// Skips the rest of a line, and further lines to one that begins like an element.
    private mutating func skipLines(to index: Int) throws(Failure) -> Skip {
        guard let end = bytes[(index - 1)...].firstIndex(of: UInt8(ascii: "\n")).map({ $0 + 1 }) else {
            throw endOfBytes
        }
        // Where several elements are in one line, those after this one would be lost without a word.
        let line = bytes[position..<end].filter { !$0.isJSONBlank }
        let border: [UInt8] = [UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: "{")]
        guard line.firstRange(of: border) == nil else { throw endOfBytes }
        var start = end
        while true {
            let byte = try first(from: start)
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ",") { break }
            guard let next = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { throw endOfBytes }
            start = next + 1
        }
        position = start
        return .line
    }

    /// Whether what comes next begins an element, after a comma or without, or ends the array.
    private func beginsElement(at offset: Int) throws(Failure) -> Bool {
        let byte = try first(from: offset)
        if byte != UInt8(ascii: ",") { return byte == UInt8(ascii: "{") || byte == UInt8(ascii: "]") }
        guard let comma = bytes[offset...].firstIndex(of: byte) else { return false }
        return try first(from: comma + 1) == UInt8(ascii: "{")
    }

    /// The first byte from an offset on that is not white space.
    private func first(from offset: Int) throws(Failure) -> UInt8 {
        guard let byte = bytes[offset...].first(where: { !$0.isJSONBlank }) else { throw endOfBytes }
        return byte
    }

    /// A failure after which a window reads on.
    private var endOfBytes: Failure { Failure(offset: bytes.count, reason: "the file ends too early") }
}

extension ArraySlice<UInt8> {
    /// Whether it ends with `},{`.
    fileprivate var endsLikeBorder: Bool {
        let last = lazy.reversed().filter { !$0.isJSONBlank }.prefix(3)
        return last.elementsEqual([UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: "}")])
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
