import Foundation
import KeyValue
import Testing

@testable import Records

@Suite struct ChecksumTests {
    /// The buffer that xxHash's own self-test uses (xxhsum.c): bytes from the upper half of powers of a prime.
    private static let buffer: [UInt8] = {
        var generator: UInt64 = 2_654_435_761
        return (0..<222).map { _ in
            defer { generator = generator &* 11_400_714_785_074_694_797 }
            return UInt8(generator >> 56)
        }
    }()

    @Test(
        "XXH64 returns the values of its published self-test",
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF),
            (1, 0, 0xE934_A84A_DB05_2768), (1, 2_654_435_761, 0x5014_6076_43A9_B4C3),
            (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
            (14, 2_654_435_761, 0xC3BD_6BF6_3DEB_6DF0), (222, 0, 0xB641_AE8C_B691_C174),
            (222, 2_654_435_761, 0x20CB_8AB7_AE10_C14A),
        ] as [(Int, UInt64, UInt64)])
    func publishedVectors(count: Int, seed: UInt64, expected: UInt64) {
        #expect(XXHash64.hash(Array(Self.buffer[..<count]).span.bytes, seed: seed) == expected)
    }

    @Test("XXH64 hashes short texts as the reference does")
    func texts() {
        #expect(XXHash64.hash(Array("a".utf8).span.bytes, seed: 0) == 0xD24E_C4F1_A98C_6E5B)
        #expect(XXHash64.hash(Array("abc".utf8).span.bytes, seed: 0) == 0x44BC_2CF5_AD77_0999)
    }

    @Test("An entry's hash covers its table, its key and its value")
    func coverage() {
        func hash(_ key: [UInt8], _ value: [UInt8], _ table: String) -> UInt64 {
            Checksum.hash(key: key.span.bytes, value: value.span.bytes, seed: Checksum.seed(ofTable: table))
        }
        let base = hash([1, 2], [3, 4], "a")
        #expect(hash([1, 3], [3, 4], "a") != base)
        #expect(hash([1, 2], [3, 5], "a") != base)
        #expect(hash([1, 2], [3, 4], "b") != base)
        #expect(hash([1, 2, 3], [4], "a") != base)
    }
}
