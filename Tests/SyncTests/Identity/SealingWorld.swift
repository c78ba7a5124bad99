import CivilTime
import FoundationEssentials
import Records

@testable import Sync

/// Devices of one space, and the units between them.
struct SealingWorld {
    let random: SeededRandomSource
    let recovery: RecoveryKey
    var first: SpaceIdentity
    private var time: UInt64 = 1

    init(seed: UInt64 = 1) throws {
        random = SeededRandomSource(seed: seed)
        (first, recovery) = try SpaceIdentity.create(
            hub: "https://hub.example:8620", pin: nil, name: "desktop", random: random)
    }

    /// A stamp after all others.
    mutating func stamp(of device: UInt64) -> Stamp {
        time += 1
        return Stamp(time: time << 16, device: device)
    }

    /// Makes a device with an invite of another one, and its card.
    mutating func join(_ name: String, invitedBy inviter: SpaceIdentity) throws -> (SpaceIdentity, card: SyncUnit) {
        let invite = Invite(to: inviter, random: random)
        let device = try Invite(uri: invite.uri).join(
            NewDevice(name: name, random: random), sealedKeys: invite.seal(inviter.ring))
        return (device, try device.cardUnit(stamp: stamp(of: device.device)))
    }

    /// Three devices that know each other.
    mutating func three() throws -> [SpaceIdentity] {
        let firstCard = try first.cardUnit(stamp: stamp(of: first.device))
        var (second, secondCard) = try join("laptop", invitedBy: first)
        var (third, thirdCard) = try join("phone", invitedBy: second)
        let cards = [firstCard, secondCard, thirdCard]
        _ = first.receive(cards)
        _ = second.receive(cards)
        _ = third.receive(cards)
        return [first, second, third]
    }

    /// A sealed unit of a record.
    mutating func unit(_ text: String, record: UInt8 = 1, by device: SpaceIdentity) throws -> SyncUnit {
        let keys = device.sealing
        return try keys.sealed(
            SyncUnit(
                record: keys.name(ofRecord: [record], in: 1), unit: 3,
                key: MergeKey.latest(stamp(of: device.device)).bytes, body: []), text)
    }
}

extension UnitSealing {
    func sealed(_ unit: SyncUnit, _ text: String) throws -> SyncUnit {
        var unit = unit
        unit.body = try seal(Array(text.utf8), as: unit)
        return unit
    }

    func text(_ unit: SyncUnit) throws -> String { String(decoding: try open(unit), as: UTF8.self) }
}

extension SyncUnit {
    /// How many bits an attacker can flip.
    var bitCount: Int { 128 + 16 + 16 + key.count * 8 + body.count * 8 }

    /// The same unit with one bit changed: record, unit, flags, key, body.
    func flipped(_ bit: Int) -> SyncUnit {
        var unit = self
        var bit = bit
        if bit < 128 {
            var bytes = record.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            unit.record = UUID(bytes: bytes) ?? record
            return unit
        }
        bit -= 128
        if bit < 16 {
            unit.unit ^= 1 << UInt16(bit)
            return unit
        }
        bit -= 16
        if bit < 16 {
            unit.flags = Flags(rawValue: flags.rawValue ^ 1 << UInt16(bit))
            return unit
        }
        bit -= 16
        if bit < key.count * 8 {
            unit.key[bit / 8] ^= 1 << UInt8(bit % 8)
        } else {
            bit -= key.count * 8
            unit.body[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        return unit
    }
}
