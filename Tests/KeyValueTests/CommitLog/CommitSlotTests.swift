import Foundation
import TestSupport
import Testing

@testable import KeyValue

/// The slots of the file `commits`.
@Suite struct CommitSlotTests {
    private static func slot(_ dice: inout Dice, number: UInt64) -> CommitSlot {
        let modes: [CommitSlot.Mode] = [.direct, .logged, .stopped]
        var slot = CommitSlot(number: number, mode: modes[dice.below(3)])
        guard slot.mode != .direct else { return slot }
        slot.checkpoint = dice.next()
        slot.owner = dice.next()
        slot.seed = dice.next()
        slot.logLength = 4096 * UInt64(dice.below(1000))
        slot.metaPages = .init(
            even: (0..<512).map { _ in UInt8(dice.below(256)) }, odd: (0..<512).map { _ in UInt8(dice.below(256)) })
        return slot
    }

    @Test("A slot that was written is read as it was", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var dice = Dice(seed: seed)
        let slot = Self.slot(&dice, number: seed)
        let read = CommitSlot(decoding: slot.encoded.span.bytes)
        #expect(read == slot)
    }

    @Test("A slot with one wrong bit is none")
    func bits() {
        var dice = Dice(seed: 1)
        let bytes = Self.slot(&dice, number: 7).encoded
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            let read = CommitSlot(decoding: damaged.span.bytes)
            #expect(read == nil)
        }
    }

    @Test(
        "Whatever a torn write leaves of a slot, the current one is the former or the new one, and the confirmed one is there"
    )
    func torn() {
        for seed in UInt64(1)...200 {
            var dice = Dice(seed: seed)
            var bytes = CommitFile.contentOfNew
            for number in UInt64(2)...8 {
                let before = CommitSlots(decoding: bytes.span.bytes)
                let slot = Self.slot(&dice, number: number)
                let start = before.freePosition * CommitSlots.spacing
                var torn = bytes
                // Sectors of 512 bytes reach the disk in any order.
                let encoded = slot.encoded
                for sector in stride(from: 0, to: encoded.count, by: 512) where dice.below(2) == 0 {
                    let range = sector..<min(sector + 512, encoded.count)
                    torn.replaceSubrange(start + range.lowerBound..<start + range.upperBound, with: encoded[range])
                }
                let after = CommitSlots(decoding: torn.span.bytes)
                #expect(after.current == before.current || after.current == slot)
                if let confirmed = before.confirmation {
                    #expect(after.slots[confirmed.position]?.checksum == confirmed.checksum)
                }
                // Whole, and confirmed or not.
                bytes.replaceSubrange(start..<start + encoded.count, with: encoded)
                guard dice.below(3) > 0 else { continue }
                let confirmation = SlotConfirmation(
                    number: number, position: before.freePosition, checksum: slot.checksum)
                let place = CommitSlots.confirmationOffset
                bytes.replaceSubrange(place..<place + SlotConfirmation.byteCount, with: confirmation.encoded)
                #expect(CommitSlots(decoding: bytes.span.bytes).isConfirmed)
            }
        }
    }
}

/// The records of the log.
@Suite struct CommitRecordTests {
    private static func build(_ dice: inout Dice) -> (CommitRecord.Builder, [CommitRecord.Change]) {
        var builder = CommitRecord.Builder(limit: 1 << 20)
        var changes: [CommitRecord.Change] = []
        for _ in 0..<dice.below(20) {
            let number = dice.below(5)
            let table = Table(name: "table\(number)", number: 2 + number)
            let key = (0...dice.below(60)).map { _ in UInt8(dice.below(256)) }
            if dice.below(4) == 0 {
                builder.delete(key.span.bytes, in: table)
                changes.append(.delete(table: table.name, key: key))
            } else {
                let value = (0..<dice.below(6000)).map { _ in UInt8(dice.below(256)) }
                builder.put(key.span.bytes, value.span.bytes, in: table)
                changes.append(.put(table: table.name, key: key, value: value))
            }
        }
        return (builder, changes)
    }

    private static func decoded(_ bytes: [UInt8], after previous: UInt64) -> CommitRecord? {
        CommitRecord(decoding: bytes.span.bytes, after: previous)
    }

    @Test("A record that was written is read as it was", arguments: 1...20 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let (builder, changes) = Self.build(&dice)
        let (bytes, checksum) = builder.record(of: 40 + seed, after: seed, seed: 9)
        let record = try #require(Self.decoded(bytes, after: seed))
        #expect(record.changes == changes)
        #expect(record.transaction == 40 + seed)
        #expect(record.seed == 9)
        #expect(record.checksum == checksum)
        #expect(bytes.count == builder.byteCount)
        // Of another chain, as one from before the last turn.
        #expect(Self.decoded(bytes, after: seed + 1)?.changes == nil)
    }

    @Test("A record with one wrong bit, or without its end, is none")
    func bits() {
        var dice = Dice(seed: 3)
        var builder = CommitRecord.Builder(limit: 1 << 20)
        for number in 0..<4 {
            builder.put(
                [UInt8(number)].span.bytes, [1, 2, 3].span.bytes, in: Table(name: "table\(dice.below(2))", number: 2))
        }
        let bytes = builder.record(of: 7, after: 5, seed: 9).bytes
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(Self.decoded(damaged, after: 5)?.changes == nil)
        }
        for count in 0..<bytes.count {
            #expect(Self.decoded(Array(bytes.prefix(count)), after: 5)?.changes == nil)
        }
    }
}
