import Foundation
import Testing

@testable import Records

@Suite struct TextKeyTests {
    @Test(
        "Case, diacritics and blanks do not tell texts apart",
        arguments: [
            ("Café", "cafe"), ("CAFE\u{301}", "cafe"), ("  a \t\n b  ", "a b"), ("Straße", "strasse"),
            ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("σίσυφος", "σισυφοσ"), ("İstanbul", "istanbul"), ("ıstanbul", "istanbul"),
            ("Åse", "ase"), ("ÅSE", "ase"), ("", ""), ("\u{0}\u{1}x", "x"), ("ǅ", "ǆ"),
        ])
    func normalForm(text: String, form: String) {
        #expect(TextKey.normalForm(of: text) == form)
        #expect(TextKey(text) == TextKey(form))
    }

    @Test("Marks that make another letter stay")
    func otherLetters() {
        #expect(TextKey("か") != TextKey("が"))
        #expect(TextKey("が") == TextKey("か\u{3099}"))
        #expect(TextKey("क") != TextKey("क़"))
    }

    @Test(
        "Keys sort as the normal forms do, and are read back, whatever the length",
        arguments: 1...20 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        var dice = Dice(seed)
        let texts = (0..<60).map { _ in
            String(
                String.UnicodeScalarView((0..<dice.below(40)).map { _ in Unicode.Scalar(UInt8(97 + dice.below(2))) }))
        }
        for left in texts {
            for right in texts {
                let (a, b) = (TextKey(left), TextKey(right))
                #expect((a == b) == (a.keyBytes == b.keyBytes))
                if a.form.utf8.prefix(23).elementsEqual(b.form.utf8.prefix(23)) { continue }
                let isLess = a.form.utf8.prefix(23).lexicographicallyPrecedes(b.form.utf8.prefix(23))
                #expect(isBefore(a, b) == isLess)
            }
            let bytes = TextKey(left).keyBytes
            #expect(bytes.count <= TextKey.width)
            var decoder = KeyDecoder(bytes.bytes)
            let again = try TextKey(decoding: &decoder)
            #expect(TextKey(left).form.hasPrefix(again.form))
            #expect(again.keyBytes == bytes)
        }
    }

    private func isBefore<Key: OrderedKey>(_ left: Key, _ right: Key) -> Bool {
        let (left, right) = (left.keyBytes, right.keyBytes)
        return left.bytes.precedes(right.bytes)
    }

    @Test("A descending key sorts the other way around, also of a text")
    func descending() throws {
        for (low, high) in [(-5 as Int64, 7 as Int64), (0, 1), (.min, .max)] {
            #expect(isBefore(Descending(high), Descending(low)))
            var bytes = Descending(low).keyBytes
            high.encode(into: &bytes)
            var decoder = KeyDecoder(bytes.bytes)
            #expect(try Descending<Int64>(decoding: &decoder).value == low)
            #expect(try Int64(decoding: &decoder) == high)
        }
        #expect(isBefore(Descending(TextKey("ab")), Descending(TextKey("a"))))
        let bytes = Descending(TextKey("ab")).keyBytes
        var decoder = KeyDecoder(bytes.bytes)
        #expect(try Descending<TextKey>(decoding: &decoder).value == TextKey("ab"))
    }
}
