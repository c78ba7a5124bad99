import CivilTime
import Foundation
import KeyValue
import Testing

@testable import Records

/// Bytes as the first version wrote them. A test that fails here means that the format changed: stores that people have
/// would be misread.
@Suite struct GoldenBytesTests {
    private func goldenStore() async throws -> TestStore {
        let opened = try TestStore()
        let instant = try Instant("2026-02-11T10:07:30.5Z")
        var reading = Reading(1, at: instant, level: -2, day: try Day("1969-12-31"), note: "né")
        try await opened.store.write(ChangeLabel(operation: "readings.put", origin: .importing)) { [reading] in
            try $0.put(reading)
        }
        reading.note = nil
        opened.clock.advance(byMicroseconds: 1_000_000)
        try await opened.store.write(ChangeLabel(operation: "edit")) { [reading] in try $0.put(reading) }
        return opened
    }

    private func rows(_ opened: TestStore, _ table: String) throws -> [String] {
        try opened.store.rawEntries(table).map { "\(hexadecimal($0.key)) \(hexadecimal($0.value))" }
    }

    @Test("The bytes of a record: version, tagged fields, checksum [L-DM6]")
    func record() async throws {
        #expect(
            try await rows(goldenStore(), "readings")
                == [
                    "00000000000000000000000000000001 01010504726f6f660203a01d3d8a894a06000302feffffff0402fffffff"
                        + "f12de48b4"
                ])
    }

    @Test("The encoding that benchmarks time is what a store writes, without the checksum")
    func fieldBytes() async throws {
        let opened = try await goldenStore()
        let reading = try #require(try opened.store.read { try $0[Reading.self].get(uuid(1)) })
        #expect(try opened.store.rawEntries("readings").map { $0.value.dropLast(4) } == [reading.fieldBytes[...]])
    }

    @Test("The bytes of an index entry: key, id; the checksum alone as value")
    func indexEntry() async throws {
        #expect(
            try await rows(goldenStore(), "readings.byTime")
                == [
                    "80064a898a3d1da000000000000000000000000000000001 b49c16c7"
                ])
        #expect(
            try await rows(goldenStore(), "readings.byLevel")
                == [
                    "7ffffffe7fffffff00000000000000000000000000000001 704d6db3"
                ])
    }

    @Test("The bytes of a roll-up's row: total with its checksum, quarters, checksum of all")
    func rollUpRow() async throws {
        #expect(
            try await rows(goldenStore(), "readings.perDay")
                == [
                    "8000500f 0100000000000000cf4d78f92801000000ee58d692"
                ])
    }

    @Test("A row of the first version, which has a number for the operation, is read and written again unchanged")
    func formerChangeRow() throws {
        let text =
            "010001020064cf98884a060001000000000000000100000000000000000000000000000000000000"
            + "000000000000000000000000010000000709276c3e00000000000000021000000000000000000000000000000001"
        let row = try #require(decoded(bytes(ofHexadecimal: text)))
        #expect(row.formerOperation == 1 && row.label == ChangeLabel(origin: .importing))
        #expect(row.entries.map(\.key) == [uuid(1).keyBytes.array])
        #expect(decoded(row.encoded) == row)
    }

    private func decoded(_ bytes: [UInt8]) -> ChangeRow? { ChangeRow(decoding: bytes.span.bytes) }

    private func bytes(ofHexadecimal text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    }

    @Test("The bytes of rows of the change log: head, links, entries with images before")
    func changeRow() async throws {
        #expect(
            try await rows(goldenStore(), "changes")
                == [
                    "0000000000000001 020000020064cf98884a06000100000000000000010000000000000000000000000000000"
                        + "0000000000000000000000000000000010000000c72656164696e67732e7075740709276c3e000000000000000"
                        + "a100000000000000000000000000000000151b22c15",
                    "0000000000000002 0200000040a6de98884a06000200000000000000020000000000000001000000000000000"
                        + "00000000000000000000000000000000100000004656469740709276c20000000000000000b100000000000000"
                        + "00000000000000000012400000001010504726f6f660203a01d3d8a894a06000302feffffff0402ffffffff050"
                        + "5036ec3a9dbaa6378",
                ])
    }

    @Test("The bytes of the count and digest, of the versions of index and schema")
    func meta() async throws {
        let found = try await rows(goldenStore(), "meta")
        #expect(
            found
                == [
                    "6275696c742f5ab5d9b7b9003a8c 01000000abfa9c78",
                    "6275696c742f6acffee036aff916 010000009160e594",
                    "6275696c742fdc5c457945f64bbf 01000000fab31353",
                    "636f756e742f6c270907 010000000000000012de48b4369f8eb4f9424e00",
                    "6465636c617265642f6c270907 010501010673656e736f72020a0774616b656e41740304056c6576656c040b036461790501046e6f7465010b10"
                        + "020006627954696d65010a08000762794c6576656c0205040804213525e2",
                    "6b6570742f6c270907 8c3a00b9b7d9b55a16f9af36e0fecf6abf4bf64579455cdc83a3bdcd",
                    "736368656d61 0100000028985c4e",
                    "73746f7265 910a2dec89024cc1beeb8da1658eec678d828b43",
                ])
    }

    @Test("The manifest store.json is readable text")
    func manifest() async throws {
        let opened = try await goldenStore()
        let text = try String(contentsOfFile: "\(opened.folder.store)/store.json", encoding: .utf8)
        #expect(
            text == """
                {
                  "format": "daybook",
                  "version": 2,
                  "createdAt": "2026-02-11T09:00:00Z",
                  "library": "1.0.0"
                }

                """)
    }
}

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
