import Testing

@testable import Sync

@Suite struct PaddingTests {
    @Test("A padded content has the size of its step, and gives the content back")
    func roundTrip() throws {
        for count in Array(0...700) + [1_023, 1_024, 4_095, 65_535, 100_000] {
            let content = [UInt8](repeating: 0x80, count: count)
            let padded = Padding.pad(content)
            #expect(padded.count == Padding.size(of: count))
            #expect(Padding.unpad(padded) == content)
        }
    }

    @Test("Steps are 16, then 32 bytes, then at most an eighth of the length")
    func steps() {
        #expect([0, 15].map(Padding.size) == [16, 16])
        #expect([16, 31, 32, 63, 64].map(Padding.size) == [32, 32, 64, 64, 96])
        for count in 512..<20_000 { #expect(Double(Padding.size(of: count)) <= Double(count + 1) * 1.125) }
        // 100,000 lengths are told apart as 146 sizes.
        #expect(Set((0..<100_000).map(Padding.size)).count == 146)
    }

    @Test("Bytes that were padded in another way are refused")
    func refused() {
        #expect(Padding.unpad([]) == nil)
        #expect(Padding.unpad([UInt8](repeating: 0, count: 16)) == nil)
        #expect(Padding.unpad(Padding.pad([1]) + [UInt8](repeating: 0, count: 16)) == nil)
        #expect(Padding.unpad([1, 2, 3, 0x80]) == nil)
    }
}
