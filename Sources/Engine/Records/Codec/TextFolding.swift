@_spi(_Unicode) import Swift

/// The canonical forms of a text, in UTF-8. Here, since only this file uses what the standard library does not promise.
package enum TextNormalization {
    /// NFC.
    package static func composed(_ text: String) -> [UInt8] { utf8(text._nfc) }

    /// NFD.
    package static func decomposed(_ text: String) -> [UInt8] { utf8(text._nfd) }

    private static func utf8(_ scalars: some Sequence<Unicode.Scalar>) -> [UInt8] {
        scalars.flatMap { Array(UTF8.encode($0) ?? .init()) }
    }
}

/// What makes texts equal that differ only in case and diacritics: shared by text keys and words.
///
/// Canonical decomposition without diacritics (nonspacing marks of a combining class of 10 or more, so that marks which
/// make another letter, such as the voicing of kana or the Indic nukta, stay), then upper and lower case mapping of each
/// scalar (so that `ß` is `ss` and `ς` is `σ`).
enum TextFolding {
    /// Calls a closure with each scalar of a text's folded form, until it returns false.
    ///
    /// Scalars of one or two bytes and Han are folded on their own, by a table, if they begin a character: no mark before or
    /// after them changes what they decompose to. Everything between them is folded by the definition.
    static func forEachScalar(of text: String, _ body: (Unicode.Scalar) -> Bool) {
        let view = text.utf8
        let bytes = view.span
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x80 {
                guard body(lowercase(byte)) else { return }
                position += 1
            } else if let (folded, count) = foldedAlone(bytes, at: position) {
                guard fold(folded, body) else { return }
                position += count
            } else {
                var run: [UInt8] = []
                repeat {
                    repeat {
                        run.append(bytes[position])
                        position += 1
                    } while position < bytes.count && bytes[position] & 0xC0 == 0x80
                } while position < bytes.count && bytes[position] >= 0x80 && foldedAlone(bytes, at: position) == nil
                guard forEachScalar(ofDefinedForm: String(decoding: run, as: UTF8.self), body) else { return }
            }
        }
    }

    /// The folded form of the scalar of several bytes at a position, and how many they are; nil if it takes the definition.
    private static func foldedAlone(_ bytes: Span<UInt8>, at position: Int) -> (folded: Folded, count: Int)? {
        let byte = bytes[position]
        if byte < 0xE0, position + 1 < bytes.count {
            return twoBytes[Int(byte & 0x1F) << 6 | Int(bytes[position + 1] & 0x3F)].map { ($0, 2) }
        }
        guard 0xE4...0xE9 ~= byte, position + 2 < bytes.count else { return nil }
        let value =
            UInt32(byte & 0x0F) << 12 | UInt32(bytes[position + 1] & 0x3F) << 6 | UInt32(bytes[position + 2] & 0x3F)
        guard han.contains(value), let scalar = Unicode.Scalar(value) else { return nil }
        return ((scalar, nil), 3)
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

    /// One scalar or two, or none.
    private typealias Folded = (first: Unicode.Scalar?, second: Unicode.Scalar?)

    /// The unified ideographs of the basic plane, which are their own folded form.
    static let han: ClosedRange<UInt32> = 0x4E00...0x9FFF

    /// The folded form of each scalar below U+0800; nil for those that do not begin a character.
    private static let twoBytes: [Folded?] = (0..<0x800 as Range<UInt32>).map { value in
        guard let scalar = Unicode.Scalar(value), scalar.properties.canonicalCombiningClass == .notReordered else {
            return nil
        }
        var folded: [Unicode.Scalar] = []
        forEachScalar(ofDefinedForm: String(scalar)) { scalar in
            folded.append(scalar)
            return true
        }
        return folded.count > 2 ? nil : (folded.first, folded.dropFirst().first)
    }

    private static func fold(_ folded: Folded, _ body: (Unicode.Scalar) -> Bool) -> Bool {
        if let first = folded.first, !body(first) { return false }
        return folded.second.map(body) ?? true
    }
}
