import CivilTime
import FoundationEssentials
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct SpaceKeysTests {
    private static let random = SeededRandomSource(seed: 7)
    private static let space = UUID(high: random.next(), low: random.next())
    private static let keys = SpaceKeys(space: space, key: .first(random: random))

    private static func unit(_ key: MergeKey? = nil, flags: SyncUnit.Flags = []) -> SyncUnit {
        let stamp = Stamp(time: 1_800_000_000_000 << 16, device: 0xABCD_EF01_2345_6789)
        return SyncUnit(
            record: keys.name(ofRecord: [1, 2, 3], in: 4), unit: 3, key: (key ?? .latest(stamp)).bytes, flags: flags,
            body: [])
    }

    /// Units of every kind of key, with bodies of several sizes.
    private static func units(_ sealing: any UnitSealing) throws -> [SyncUnit] {
        let stamp = Stamp(time: 1_800_000_000_000 << 16, device: 0xABCD_EF01_2345_6789)
        let merges: [MergeKey] = [
            .latest(stamp), .completion(epoch: 1, isDone: true, stamp), .base(createdAt: 1_700_000_000, stamp),
            .placed(in: stamp, stamp), .purge(stamp),
        ]
        return try merges.flatMap { key in
            try [0, 1, 12, 20, 100].map { count in
                try sealing.sealed(unit(key, flags: .automatic), String(repeating: "a", count: count))
            }
        }
    }

    /// How many of the flips, spread over units and bits, are not noticed.
    private static func acceptedFlips(_ count: Int, by sealing: any UnitSealing) throws -> Int {
        let units = try units(sealing)
        var dice = Dice(3)
        return (0..<count).count { _ in
            let unit = dice.pick(units)
            return (try? sealing.open(unit.flipped(dice.below(unit.bitCount)))) != nil
        }
    }

    /// A sealer that forgets a part of the metadata.
    private struct Forgetful: UnitSealing {
        let forget: @Sendable (inout SyncUnit) -> Void

        func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID { keys.name(ofRecord: key, in: collection) }

        func seal(_ body: [UInt8], as unit: SyncUnit) throws(SealingError) -> [UInt8] {
            var unit = unit
            forget(&unit)
            return try keys.seal(body, as: unit)
        }

        func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] {
            var unit = unit
            forget(&unit)
            return try keys.open(unit)
        }
    }

    @Test("A sealed body opens to what was sealed", arguments: [0, 1, 15, 16, 31, 32, 500, 511, 512, 70_000])
    func roundTrip(count: Int) throws {
        var unit = Self.unit()
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        unit.body = try Self.keys.seal(body, as: unit)
        #expect(try Self.keys.open(unit) == body)
    }

    @Test("The largest content fits in a body of the protocol, whatever its key")
    func limit() throws {
        let body = [UInt8](repeating: 1, count: SpaceKeys.contentLimit)
        // The number of a key has at most four bytes.
        #expect(try Self.keys.seal(body, as: Self.unit()).count + 3 <= SyncProtocol.bodyLimit)
        #expect(Padding.size(of: SpaceKeys.contentLimit + 1) + Sealer.overhead + 4 > SyncProtocol.bodyLimit)
    }

    @Test("100,000 flipped bits in bodies and metadata are all noticed")
    func flips() throws {
        #expect(try Self.acceptedFlips(100_000, by: Self.keys) == 0)
        let unit = try Self.keys.sealed(Self.unit(), "every bit of one unit")
        for bit in 0..<unit.bitCount {
            #expect(throws: SealingError.self) { try Self.keys.open(unit.flipped(bit)) }
        }
    }

    @Test("Metadata that is not authenticated is found by flipped bits (negative control)")
    func control() throws {
        let controls: [Forgetful] = [
            Forgetful { $0.record = SyncUnit.commonRecord }, Forgetful { $0.unit = 0 }, Forgetful { $0.flags = [] },
            Forgetful { $0.key = [] },
        ]
        for control in controls { #expect(try Self.acceptedFlips(2_000, by: control) > 0) }
    }

    @Test("A body that was shortened, extended, or has another form of its key's number is refused")
    func forms() throws {
        let unit = try Self.keys.sealed(Self.unit(), "text")
        var bodies = (0..<unit.body.count).map { Array(unit.body.prefix($0)) }
        bodies.append(unit.body + [0])
        bodies.append([0x81, 0x00] + unit.body.dropFirst())
        for body in bodies {
            var changed = unit
            changed.body = body
            #expect(throws: SealingError.forged) { try Self.keys.open(changed) }
        }
    }

    @Test("The body of one unit does not open as that of another, nor in another space")
    func exchange() throws {
        let unit = try Self.keys.sealed(Self.unit(), "text")
        let key = SpaceKey.first(random: SeededRandomSource(seed: 1))
        let other = SpaceKeys(space: UUID(high: Self.random.next(), low: Self.random.next()), key: key)
        #expect(throws: SealingError.forged) { try other.open(unit) }
        let here = SpaceKeys(space: UUID(high: Self.random.next(), low: Self.random.next()), key: key)
        #expect(throws: SealingError.forged) { try here.open(try other.sealed(Self.unit(), "text")) }
    }

    @Test("A body under a key that the device does not have names it")
    func unknownKey() throws {
        var unit = try Self.keys.sealed(Self.unit(), "text")
        unit.body[0] = 9
        #expect(throws: SealingError.unknownKey(epoch: 9)) { try Self.keys.open(unit) }
    }

    @Test("Another body under the same merge key has another nonce; the same body is sealed to the same bytes")
    func nonces() throws {
        let unit = Self.unit()
        let one = try Self.keys.seal(Array("one text".utf8), as: unit)
        let two = try Self.keys.seal(Array("two text".utf8), as: unit)
        #expect(one == (try Self.keys.seal(Array("one text".utf8), as: unit)))
        #expect(one[1..<9] != two[1..<9])
        // With a repeated nonce, the difference of the sealed texts would be that of the texts.
        let difference = zip(one[9..<17], two[9..<17]).map { $0 ^ $1 }
        #expect(difference != zip("one text".utf8, "two text".utf8).map { $0 ^ $1 })
    }

    @Test("Names are the same for all devices, differ by collection and record, and do not show the id")
    func names() throws {
        let id = UUID(high: Self.random.next(), low: Self.random.next())
        let name = Self.keys.name(ofRecord: id.bytes, in: 1)
        #expect(name == Self.keys.name(ofRecord: id.bytes, in: 1))
        #expect(name != Self.keys.name(ofRecord: id.bytes, in: 2))
        #expect(name != id)
        let other = SpaceKeys(space: Self.space, key: .first(random: Self.random))
        #expect(name != other.name(ofRecord: id.bytes, in: 1))
    }

    @Test("A sealed edit of 20 characters takes 93 bytes on the wire, 96 after a key was replaced [L-NFR24]")
    func wire() throws {
        // A field's number, kind and length take 4 bytes at most.
        let text = String(repeating: "x", count: 24)
        func size(_ unit: SyncUnit) -> Int {
            func message(_ units: [SyncUnit]) -> Int {
                SyncRequest(epoch: nil, pushNumber: 1, after: 1, units: units).encoded.count
            }
            return message([unit]) - message([])
        }
        let edit = size(try Self.keys.sealed(Self.unit(), text))
        #expect(edit == 93)
        let stamp = Stamp(time: 1 << 60, device: 1 << 60)
        #expect(size(try Self.keys.sealed(Self.unit(.completion(epoch: 1, isDone: true, stamp)), "done")) == 82)
        #expect(size(try Self.keys.sealed(Self.unit(.placed(in: stamp, stamp)), "position")) == 93)

        var world = try SealingWorld()
        let devices = try world.three()
        let later = try devices[0].rotation(removing: [devices[2].device], stamp: stamp, random: world.random).identity
        #expect(size(try later.sealing.sealed(Self.unit(), text)) <= 96)
    }
}
