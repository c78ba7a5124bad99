import KeyValue
import Testing

struct BytesTests {
    @Test("Integers are read in both orders at any offset")
    func integersAreReadInBothOrdersAtAnyOffset() {
        var generator = Generator(seed: 1)
        for _ in 0..<200 {
            let value = UInt64.random(in: 0 ... .max, using: &generator)
            let padding = generator.bytes(0...9)
            let big = padding + withUnsafeBytes(of: value.bigEndian) { Array($0) }
            let little = padding + withUnsafeBytes(of: value.littleEndian) { Array($0) }
            #expect(big.span.bytes.bigEndian(at: padding.count, as: UInt64.self) == value)
            #expect(little.span.bytes.littleEndian(at: padding.count, as: UInt64.self) == value)
            #expect(big.span.bytes[byteAt: padding.count] == UInt8(value >> 56))
        }
    }

    @Test("Comparisons agree with those of arrays")
    func comparisonsAgreeWithThoseOfArrays() {
        var generator = Generator(seed: 2)
        for _ in 0..<2000 {
            let first = generator.bytes(0...4, alphabet: 3)
            let second = generator.bytes(0...4, alphabet: 3)
            #expect(first.span.bytes.isEqual(to: second.span.bytes) == (first == second))
            #expect(first.span.bytes.precedes(second.span.bytes) == first.lexicographicallyPrecedes(second))
            #expect(first.span.bytes.starts(with: second.span.bytes) == first.starts(with: second))
            #expect(first.span.bytes.copied == first)
        }
    }

    @Test("Invalid UTF-8 does not decode to text")
    func onlyValidTextIsText() {
        #expect(bytes("Äpfel 🍏").span.bytes.validatedText == "Äpfel 🍏")
        #expect([UInt8]().span.bytes.validatedText == "")
        #expect([0xC3, 0x28].span.bytes.validatedText == nil)
        #expect([0x61, 0xFF].span.bytes.validatedText == nil)
    }
}
