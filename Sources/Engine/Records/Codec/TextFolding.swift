@_spi(_Unicode) import Swift

/// What makes texts equal that differ only in case and diacritics: shared by text keys and words.
///
/// Canonical decomposition without diacritics (nonspacing marks of a combining class of 10 or more, so that marks which
/// make another letter, such as the voicing of kana or the Indic nukta, stay), then upper and lower case mapping of each
/// scalar (so that `ß` is `ss` and `ς` is `σ`).
enum TextFolding {
    /// Calls a closure with each scalar of a text's folded form, until it returns false.
    static func forEachScalar(of text: String, _ body: (Unicode.Scalar) -> Bool) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            for byte in text.utf8 {
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                guard body(Unicode.Scalar(isUpper ? byte + 0x20 : byte)) else { return }
            }
            return
        }
        for scalar in text._nfd {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                guard body(Unicode.Scalar(isUpper ? byte + 0x20 : byte)) else { return }
                continue
            }
            let properties = scalar.properties
            if properties.generalCategory == .nonspacingMark, properties.canonicalCombiningClass.rawValue >= 10 {
                continue
            }
            for upper in properties.uppercaseMapping.unicodeScalars {
                for lower in upper.properties.lowercaseMapping.unicodeScalars {
                    guard body(lower) else { return }
                }
            }
        }
    }
}
