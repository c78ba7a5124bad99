import Foundation
import Testing

@testable import Records

@Suite struct WordTests {
    @Test(
        "Words are runs of letters and digits, without case and diacritics [F-13]",
        arguments: [
            ("Call Ada, at 17:30!", ["call", "ada", "at", "17", "30"]),
            ("Café CAFE\u{301} cafe", ["cafe"]),
            ("Straße—ΣΊΣΥΦΟΣ", ["strasse", "σισυφοσ"]),
            ("Ёлка ёлка", ["елка"]),
            ("don't l'école", ["don", "t", "l", "ecole"]),
            ("ada@example.org", ["ada", "example", "org"]),
            ("C++ & snake_case x²", ["c", "snake", "case", "x²"]),
            ("काम करो", ["काम", "करो"]),
            ("שָׁלוֹם", ["שלום"]),
            ("", []), (" \n\t—…🎉 ", []), ("\u{301}", []), ("🎉買", ["買"]),
        ])
    func words(text: String, words: [String]) {
        #expect(Word.all(in: [text]).map(\.text) == words)
        #expect(Word.searched(in: text).map(\.text) == words)
    }

    @Test(
        "A run without blanks is pairs of characters, and its last character alone [F-13]",
        arguments: [
            ("买牛奶", ["买牛", "牛奶", "奶"], ["买牛", "牛奶"]),
            ("牛", ["牛"], ["牛"]),
            ("買iPhone2台", ["買", "iphone2", "台"], ["買", "iphone2", "台"]),
            ("がっこう", ["か\u{3099}っ", "っこ", "こう", "う"], ["か\u{3099}っ", "っこ", "こう"]),
            ("コーヒー", ["コー", "ーヒ", "ヒー", "ー"], ["コー", "ーヒ", "ヒー"]),
            ("한국어", ["한국", "국어", "어"], ["한국", "국어"]),
            ("ไทย", ["ไท", "ทย", "ย"], ["ไท", "ทย"]),
            ("牛奶, 牛奶", ["牛奶", "奶"], ["牛奶"]),
        ])
    func runs(text: String, words: [String], searched: [String]) {
        #expect(Word.all(in: [text]).map { $0.text.precomposedStringWithCanonicalMapping } == words.map(composed))
        #expect(Word.searched(in: text).map { $0.text.precomposedStringWithCanonicalMapping } == searched.map(composed))
    }

    private func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

    @Test("Of a long word the first 36 bytes count, in whole scalars, and of many words the first ones [F-13]")
    func limits() throws {
        let long = String(repeating: "ab", count: 40)
        #expect(Word.all(in: [long + " c"]).map(\.text) == [String(long.prefix(36)), "c"])
        let cyrillic = "x" + String(repeating: "ж", count: 40)
        #expect(Word.all(in: [cyrillic])[0].text == "x" + String(repeating: "ж", count: 17))
        let marks = "ก" + String(repeating: "ุ", count: 50)
        for word in Word.all(in: [marks + marks + marks]) { #expect(word.bytes.count <= 36) }
        let many = (0..<50).map(String.init)
        #expect(Word.all(in: [many.joined(separator: " "), "late"], limit: 20).map(\.text) == Array(many.prefix(20)))
        #expect(Word.all(in: ["a b", "b c"]).map(\.text) == ["a", "b", "c"])
    }

    @Test(
        "Any text has words that are stored and read back, and finds itself", arguments: 1...40 as ClosedRange<UInt64>)
    func anyText(seed: UInt64) throws {
        var dice = Dice(seed)
        let scalars = (0..<60).compactMap { _ in
            let range = dice.pick([0x20...0x7E, 0xA0...0x24F, 0x370...0x1FFF, 0x3000...0xFFFF, 0x1F300...0x20FFF])
            return Unicode.Scalar(UInt32(range.lowerBound + dice.below(range.count)))
        }
        let text = String(String.UnicodeScalarView(scalars))
        let words = Word.all(in: [text])
        for word in words {
            #expect(1...36 ~= word.bytes.count)
            let key = WordKey(word, Descending(Int64(7))).keyBytes
            #expect(key.count <= WordKey<Descending<Int64>>.width)
            var decoder = KeyDecoder(key.bytes)
            let again = try WordKey<Descending<Int64>>(decoding: &decoder)
            #expect(again.word == word && again.rank.value == 7)
        }
        #expect(Set(Word.searched(in: text)).isSubset(of: Set(words)))
    }
}
