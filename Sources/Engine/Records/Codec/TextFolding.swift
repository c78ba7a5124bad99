@_spi(_Unicode) import Swift

/// What makes texts equal that differ only in case and diacritics: shared by text keys and words.
///
/// Canonical decomposition without diacritics (nonspacing marks of a combining class of 10 or more, so that marks which
/// make another letter, such as the voicing of kana or the Indic nukta, stay), then upper and lower case mapping of each
/// scalar (so that `ß` is `ss` and `ς` is `σ`).
enum TextFolding {
    /// Calls a closure with each scalar of a text's folded form, until it returns false.
    ///
    /// ASCII and Latin letters of two bytes are folded on their own, by a table: each begins a character, and no mark before or
    /// after it changes what it decomposes to. Everything between them is folded by the definition.
    static func forEachScalar(of text: String, _ body: (Unicode.Scalar) -> Bool) {
        let view = text.utf8
        let bytes = view.span
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x80 {
                guard body(lowercase(byte)) else { return }
                position += 1
            } else if byte <= latinEnd, position + 1 < bytes.count {
                let folded = latin[Int(byte & 0x1F) << 6 | Int(bytes[position + 1] & 0x3F)]
                guard fold(folded, body) else { return }
                position += 2
            } else {
                var run: [UInt8] = []
                while position < bytes.count, bytes[position] > latinEnd {
                    repeat {
                        run.append(bytes[position])
                        position += 1
                    } while position < bytes.count && bytes[position] & 0xC0 == 0x80
                }
                guard forEachScalar(ofDefinedForm: String(decoding: run, as: UTF8.self), body) else { return }
            }
        }
    }

    /// Does the same by the definition, for any text; returns whether the closure never returned false.
    @discardableResult
    static func forEachScalar(ofDefinedForm text: String, _ body: (Unicode.Scalar) -> Bool) -> Bool {
        for scalar in text._nfd {
            if scalar.isASCII {
                guard body(lowercase(UInt8(truncatingIfNeeded: scalar.value))) else { return false }
                continue
            }
            let properties = scalar.properties
            if properties.generalCategory == .nonspacingMark, properties.canonicalCombiningClass.rawValue >= 10 {
                continue
            }
            for upper in properties.uppercaseMapping.unicodeScalars {
                for lower in upper.properties.lowercaseMapping.unicodeScalars {
                    guard body(lower) else { return false }
                }
            }
        }
        return true
    }

    private static func lowercase(_ byte: UInt8) -> Unicode.Scalar {
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        return Unicode.Scalar(isUpper ? byte + 0x20 : byte)
    }

    /// The first byte of the last letters in the table, U+0200 to U+023F.
    private static let latinEnd: UInt8 = 0xC8

    /// The folded form of each scalar below U+0240: at most two scalars, zero for none.
    private static let latin: [(Unicode.Scalar, Unicode.Scalar)] = (0..<0x240 as Range<UInt32>).map { value in
        var folded: [Unicode.Scalar] = []
        let text = Unicode.Scalar(value).map { String($0) } ?? ""
        forEachScalar(ofDefinedForm: text) { scalar in
            folded.append(scalar)
            return true
        }
        return (folded.first ?? "\0", folded.dropFirst().first ?? "\0")
    }

    private static func fold(
        _ folded: (first: Unicode.Scalar, second: Unicode.Scalar), _ body: (Unicode.Scalar) -> Bool
    ) -> Bool {
        if folded.first != "\0", !body(folded.first) { return false }
        return folded.second == "\0" || body(folded.second)
    }
}
