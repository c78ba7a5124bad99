import CivilTime
import FoundationEssentials
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct RotationTests {
    @Test("After a device was revoked, the others get the new key by pulling, and it does not")
    func revocation() throws {
        var world = try SealingWorld()
        var devices = try world.three()
        let old = try world.unit("before", by: devices[2])
        let (units, next) = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        devices[0] = next
        for index in 1...2 {
            let changed = devices[index].receive(units)
            #expect(changed)
        }

        let new = try world.unit("after", by: devices[0])
        #expect(try devices[1].sealing.text(new) == "after")
        #expect(try devices[1].sealing.text(old) == "before")
        #expect(throws: SealingError.unknownKey(epoch: next.ring.current.epoch)) { try devices[2].sealing.open(new) }
        #expect(devices.map(\.isRemoved) == [false, false, true])
        #expect(devices[1].ring.members.map(\.name).sorted() == ["desktop", "laptop"])
        // A record keeps its name, or it would become another one.
        #expect(Set(devices.map { $0.sealing.name(ofRecord: [1], in: 1) }).count == 1)
        // Whoever receives it again learns nothing new.
        let again = devices[1].receive(units)
        #expect(!again)
    }

    @Test("A device that joins after a key was replaced opens what is older and newer")
    func joinLater() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let old = try world.unit("old", by: devices[1])
        let (_, next) = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        let new = try world.unit("new", by: next)
        let (late, card) = try world.join("tablet", invitedBy: next)
        #expect(try late.sealing.text(old) == "old")
        #expect(try late.sealing.text(new) == "new")
        var first = next
        let changed = first.receive([card])
        #expect(changed)
        #expect(first.ring.members.count == 3)
    }

    @Test("Two devices that replace the key at once agree, and replace it again when a revoked device has it")
    func concurrent() throws {
        var world = try SealingWorld()
        var devices = try world.three()
        let (fourth, card) = try world.join("tablet", invitedBy: devices[0])
        devices.append(fourth)
        // The newcomer pulls what is there: it has the cards from its invite.
        for index in 0..<3 { _ = devices[index].receive([card]) }

        let one = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        let two = try devices[1].rotation(
            removing: [devices[3].device], stamp: world.stamp(of: devices[1].device), random: world.random)
        devices[0] = one.identity
        devices[1] = two.identity
        let all = one.units + two.units
        for index in 0..<4 { _ = devices[index].receive(all) }
        #expect(devices[0].ring == devices[1].ring)
        #expect(devices[0].ring.members.count == 2)
        #expect(devices[0].ring.needsRotation)

        let three = try devices[0].rotation(
            removing: [], stamp: world.stamp(of: devices[0].device), random: world.random)
        devices[0] = three.identity
        for index in 1..<4 { _ = devices[index].receive(three.units) }
        #expect(devices[0].ring == devices[1].ring)
        #expect(!devices[0].ring.needsRotation)
        let unit = try world.unit("after", by: devices[1])
        #expect(try devices[0].sealing.text(unit) == "after")
        for revoked in devices[2...3] { #expect(throws: SealingError.self) { try revoked.sealing.open(unit) } }
    }

    @Test("Units of a page have the same effect in any order, and twice")
    func order() throws {
        var world = try SealingWorld()
        var devices = try world.three()
        let newcomer = devices[1]
        var units: [SyncUnit] = []
        var author = devices[0]
        for _ in 0..<3 {
            let (next, card) = try world.join("short-lived", invitedBy: author)
            units.append(card)
            _ = author.receive([card])
            let rotation = try author.rotation(
                removing: [next.device], stamp: world.stamp(of: author.device), random: world.random)
            units += rotation.units
            author = rotation.identity
        }
        var dice = Dice(5)
        for _ in 0..<20 {
            devices[1] = newcomer
            units.shuffle(using: &dice)
            let changed = devices[1].receive(units + units)
            #expect(changed)
            #expect(devices[1].ring.keys == author.ring.keys)
            #expect(devices[1].ring.members == author.ring.members)
        }
    }

    @Test("A card that comes after the key that its device has already got still counts")
    func lateCard() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let (fourth, card) = try world.join("tablet", invitedBy: devices[0])
        var author = devices[0]
        _ = author.receive([card])
        let rotation = try author.rotation(
            removing: [devices[2].device], stamp: world.stamp(of: author.device), random: world.random)
        var device = devices[1]
        _ = device.receive(rotation.units)
        _ = device.receive([card])
        #expect(device.ring.member(fourth.device)?.name == "tablet")
        #expect(device.ring.members == rotation.identity.ring.members)
    }

    @Test("What the hub lacks is sent again: cards, the recovery box, a key that a removed device has")
    func missing() throws {
        var world = try SealingWorld()
        var devices = try world.three()
        var hub: [SyncUnit] = []
        func lack(_ device: SpaceIdentity) throws -> [SyncUnit] {
            try device.missing(from: hub, stamp: world.stamp(of: device.device), random: world.random)
        }
        #expect(try lack(devices[0]).map(\.unit) == [SyncUnit.card, SyncUnit.recovery])
        hub = try lack(devices[0])
        #expect(try lack(devices[0]) == [])
        #expect(try lack(devices[1]).map(\.unit) == [SyncUnit.card])
        hub.append(try devices[1].cardUnit(stamp: world.stamp(of: 1)))

        // Two devices revoke the same one at once: the later recovery box has one of the two keys.
        let one = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        let two = try devices[1].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[1].device), random: world.random)
        hub.removeAll { $0.unit == SyncUnit.recovery }
        hub += [one.units[0]] + two.units
        for index in 0..<3 { _ = devices[index].receive(hub) }
        #expect(devices[0].ring == devices[1].ring)
        #expect(!devices[0].ring.needsRotation)
        let new = try NewDevice(name: "new", random: world.random)
        #expect(try world.recovery.recover(new, from: hub, hub: "", pin: nil).ring.keys.count == 2)
        let sent = try lack(devices[0])
        #expect(sent.map(\.unit) == [SyncUnit.recovery])
        hub.removeAll { $0.unit == SyncUnit.recovery }
        hub += sent
        #expect(try world.recovery.recover(new, from: hub, hub: "", pin: nil).ring.keys == devices[0].ring.keys)
        #expect(try lack(devices[1]) == [])
        #expect(try lack(devices[2]) == [])
    }

    @Test("A device gets its own key from the announcement that it has sent")
    func ownAnnouncement() throws {
        var world = try SealingWorld()
        var devices = try world.three()
        let rotation = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        _ = devices[0].receive(rotation.units)
        #expect(devices[0] == rotation.identity)
    }

    @Test("A changed announcement has no effect")
    func forged() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let unit = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random
        ).units[0]
        var dice = Dice(6)
        for _ in 0..<500 {
            var device = devices[1]
            let changed = device.receive([unit.flipped(dice.below(unit.bitCount))])
            #expect(!changed)
        }
        // In another place, the hub would replay it against a later one.
        var moved = unit
        moved.unit += 1
        var device = devices[1]
        let changed = device.receive([moved])
        #expect(!changed)
    }

    @Test("The hub cannot announce a key or add a device, although it has all public keys")
    func hubForges() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let stranger = SpaceIdentity(
            space: devices[0].space, hub: "", pin: nil,
            ring: KeyRing(first: .first(random: world.random), recoveryKey: devices[0].ring.recoveryKey),
            device: try NewDevice(name: "stranger", random: world.random))
        var forger = stranger
        for card in devices[0].ring.members { _ = forger.ring.admit(card) }
        let stamp = world.stamp(of: stranger.device)
        var units = try forger.rotation(removing: [], stamp: stamp, random: world.random).units
        units.append(try forger.cardUnit(stamp: stamp))
        // In the name of a member, without its signing key.
        units.append(units[0])
        units[units.count - 1].record = SyncUnit.reservedRecord(of: devices[0].device)
        var victim = devices[1]
        let changed = victim.receive(units)
        #expect(!changed)
    }

    @Test("A revoked device cannot add a device or announce a key, although it has the former keys")
    func revokedForges() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let revoked = devices[2]
        let rotation = try devices[0].rotation(
            removing: [revoked.device], stamp: world.stamp(of: devices[0].device), random: world.random)
        var victim = devices[1]
        _ = victim.receive(rotation.units)

        let (_, card) = try world.join("accomplice", invitedBy: revoked)
        let announcement = try revoked.rotation(
            removing: [], stamp: world.stamp(of: revoked.device), random: world.random
        ).units
        let changed = victim.receive([card, try revoked.cardUnit(stamp: world.stamp(of: 1))] + announcement)
        #expect(!changed)
    }

    @Test("A card with other keys does not replace that of a known device; a new name does")
    func cards() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        var impostor = try SpaceIdentity(
            space: devices[0].space, device: devices[1].device, hub: "", pin: nil,
            keys: DeviceKeys(random: world.random), ring: KeyRing(first: devices[0].ring.first, recoveryKey: []))
        _ = impostor.ring.admit(DeviceCard(device: impostor.device, name: "laptop", keys: impostor.keys))
        var device = devices[0]
        let changed = device.receive([try impostor.cardUnit(stamp: world.stamp(of: impostor.device))])
        #expect(!changed)

        var renamed = devices[1]
        _ = renamed.ring.admit(DeviceCard(device: renamed.device, name: "work", keys: renamed.keys))
        _ = device.receive([try renamed.cardUnit(stamp: world.stamp(of: renamed.device))])
        #expect(device.ring.member(renamed.device)?.name == "work")
    }

    @Test("A copy of a device gets its own number and keys, and the same keys of the space")
    func copy() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let copy = try devices[1].copied(as: NewDevice(name: "copy", random: world.random))
        #expect(copy.device != devices[1].device)
        #expect(copy.keys != devices[1].keys)
        let unit = try world.unit("text", by: devices[1])
        #expect(try copy.sealing.text(unit) == "text")
    }

    @Test("Units about the space are told from units of records")
    func reserved() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        #expect(try devices[0].cardUnit(stamp: world.stamp(of: 1)).isReserved)
        #expect(try devices[0].recoveryUnit(stamp: world.stamp(of: 1), random: world.random).isReserved)
        #expect(try !world.unit("text", by: devices[0]).isReserved)
    }

    @Test("A damaged key ring is refused, or read as another one; a shortened one is refused")
    func damagedRing() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let ring = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random
        ).identity.ring
        #expect(try KeyRing(decoding: ring.encoded) == ring)
        for end in 0..<ring.encoded.count {
            #expect(throws: MalformedMessage.self) { try KeyRing(decoding: Array(ring.encoded.prefix(end))) }
        }
        var dice = Dice(8)
        for _ in 0..<5_000 {
            var bytes = ring.encoded
            for _ in 0...dice.below(3) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
            _ = try? KeyRing(decoding: bytes)
        }
    }
}
