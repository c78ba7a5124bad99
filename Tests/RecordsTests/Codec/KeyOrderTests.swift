import CivilTime
import Foundation
import Testing

@testable import Records

@Suite struct KeyOrderTests {
    private func decoded<Key: OrderedKey>(_ bytes: KeyBytes, as type: Key.Type) throws -> Key {
        var decoder = KeyDecoder(bytes.bytes)
        return try Key(decoding: &decoder)
    }

    private func expectOrder<Key: OrderedKey & Comparable>(_ keys: [Key]) throws {
        for left in keys {
            let bytes = left.keyBytes
            #expect(bytes.count == Key.width)
            #expect(try decoded(bytes, as: Key.self) == left)
            for right in keys {
                #expect(bytes.array.lexicographicallyPrecedes(right.keyBytes.array) == (left < right))
            }
        }
    }

    @Test("Bytes sort as integers do, at the ends and around zero [S-4]")
    func integers() throws {
        var dice = Dice(1)
        let random = (0..<40).map { _ in dice.next() }
        try expectOrder([0, 1, .max - 1, .max] + random)
        try expectOrder([.min, .min + 1, -256, -255, -1, 0, 1, 255, 256, .max] + random.map { Int64(bitPattern: $0) })
        try expectOrder([.min, -1, 0, 1, .max] + random.map { Int32(truncatingIfNeeded: $0) })
        try expectOrder([0, 1, 255, 256, .max] + random.map { UInt32(truncatingIfNeeded: $0) })
        try expectOrder((0...255).map { UInt8($0) })
    }

    @Test("Bytes sort as days do: year 1, before 1970, leap days, year 9999 [S-4, D1]")
    func days() throws {
        var dice = Dice(2)
        let span = Int(Day.last.daysSince1970) - Int(Day.first.daysSince1970)
        let random = (0..<60).map { _ in
            Day(clampingDaysSince1970: Int(Day.first.daysSince1970) + dice.below(span))
        }
        try expectOrder([.first, try Day("1969-12-31"), try Day("1970-01-01"), try Day("2028-02-29"), .last] + random)
    }

    @Test("Bytes sort as instants do [S-4]")
    func instants() throws {
        var dice = Dice(3)
        let random = (0..<60).map { _ in Instant(microsecondsSince1970: Int64(bitPattern: dice.next())) }
        let edges = [Int64.min, -1, 0, 1, .max].map { Instant(microsecondsSince1970: $0) }
        try expectOrder(edges + random)
    }

    @Test("Bytes sort as keys of two parts do [S-4]")
    func compositeKeys() throws {
        var dice = Dice(4)
        try expectOrder(
            (0..<80).map { _ in
                LevelKey(level: Int32(dice.below(5)) - 2, day: Day(clampingDaysSince1970: dice.below(9) - 4))
            })
    }

    @Test("The bytes of a key of several parts are theirs, one after another, and so are its properties [S-4]")
    func compounds() throws {
        let key = Compound(UInt16(0x0102), true, Day?.none, Descending(Int32(3)))
        #expect(hexadecimal(key.keyBytes.array) == "0102" + "01" + "00000000" + "7ffffffc")
        #expect(try decoded(key.keyBytes, as: type(of: key)).keyBytes == key.keyBytes)
        #expect(type(of: key).width == 11 && type(of: key).hasFixedWidth)
        typealias Named = Compound<UInt8, TextKey>
        #expect(Named.width == 1 + TextKey.width && !Named.hasFixedWidth && !Named.isShownInErrors)
        #expect(Compound<UInt8, Day?>.isShownInErrors)
        #expect(Set([Compound(1, true), Compound(1, false), Compound(1, true)] as [Compound<Int64, Bool>]).count == 2)
    }

    @Test("Bytes sort as days do where there may be none, which comes first [S-4]")
    func optionalDays() {
        let keys = ([nil, .first, Day(clampingDaysSince1970: 0), .last] as [Day?]).map(\.keyBytes.array)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test("A UUID's key bytes are its bytes, and decode to it")
    func identifiers() throws {
        let id = try #require(UUID(uuidString: "01890A5D-AC96-774B-BCCE-B302099A8057"))
        #expect(hexadecimal(id.keyBytes.array) == "01890a5dac96774bbcceb302099a8057")
        #expect(try decoded(id.keyBytes, as: UUID.self) == id)
    }

    @Test("A key that is too short is an error")
    func shortKeys() {
        #expect(throws: RecordsError.self) {
            try decoded(KeyBytes([1, 2, 3]), as: UInt32.self)
        }
    }

    @Test("The successor of a prefix sorts after every key with that prefix, and before all others")
    func successors() throws {
        var dice = Dice(6)
        for _ in 0..<500 {
            let prefix = (0..<1 + dice.below(4)).map { _ in dice.pick([0, 1, 0xFE, 0xFF] as [UInt8]) }
            let other = (0..<1 + dice.below(6)).map { _ in dice.pick([0, 1, 0xFE, 0xFF] as [UInt8]) }
            let beginsWith = other.starts(with: prefix)
            let isBefore = other.lexicographicallyPrecedes(prefix)
            guard let successor = KeyBytes(prefix).successorOfPrefix else {
                #expect(prefix.allSatisfy { $0 == 0xFF })
                continue
            }
            #expect(other.lexicographicallyPrecedes(successor.array) == (beginsWith || isBefore))
        }
    }
}
