import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct RecoveryKeyTests {
    @Test("A recovery key is printed in six groups of five, and read back in any case and spacing")
    func roundTrip() throws {
        for seed in 0..<200 {
            let key = RecoveryKey(random: SeededRandomSource(seed: UInt64(seed)))
            let text = key.text
            #expect(text.split(separator: "-").map(\.count) == [5, 5, 5, 5, 5, 5])
            #expect(try RecoveryKey(text: text) == key)
            #expect(try RecoveryKey(text: text.lowercased().replacing("-", with: " ") + "\n") == key)
            #expect(try RecoveryKey(text: text.replacing("0", with: "o").replacing("1", with: "l")) == key)
        }
    }

    @Test("Every typo of up to four characters, and every two that were swapped, are found")
    func typos() throws {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let text = Array(RecoveryKey(random: SeededRandomSource(seed: 1)).text)
        let places = text.indices.filter { text[$0] != "-" }
        func isFound(_ characters: [Character]) -> Bool { (try? RecoveryKey(text: String(characters))) == nil }
        for place in places {
            for letter in alphabet where letter != text[place] {
                var typo = text
                typo[place] = letter
                #expect(isFound(typo))
            }
            for other in places where text[other] != text[place] {
                var typo = text
                typo.swapAt(place, other)
                #expect(isFound(typo))
            }
            var shorter = text
            shorter.remove(at: place)
            #expect(isFound(shorter))
            #expect(isFound(text + [text[place]]))
        }
        var dice = Dice(9)
        for _ in 0..<10_000 {
            var typo = text
            for _ in 0...dice.below(4) { typo[dice.pick(places)] = dice.pick(alphabet) }
            if typo != text { #expect(isFound(typo)) }
        }
        #expect(throws: IdentityError.invalidRecoveryKey) { try RecoveryKey(text: "") }
        #expect(throws: IdentityError.invalidRecoveryKey) { try RecoveryKey(text: "ä" + String(text.dropFirst())) }
    }

    @Test("With the recovery key a new device gets all keys, also those that came later")
    func recovery() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let before = try devices[0].recoveryUnit(stamp: world.stamp(of: devices[0].device), random: world.random)
        let rotation = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        let unit = try world.unit("after", by: rotation.identity)
        let key = try RecoveryKey(text: world.recovery.text)
        #expect(key.space == devices[0].space)
        let new = try NewDevice(name: "new", random: world.random)
        let device = try key.recover(new, from: rotation.units, hub: devices[0].hub, pin: nil)
        #expect(try device.sealing.text(unit) == "after")
        #expect(device.space == devices[0].space)
        // The box was made anew with the new key.
        let late = try key.recover(new, from: [before], hub: "", pin: nil)
        #expect(throws: SealingError.self) { try late.sealing.open(unit) }
    }

    @Test("Another recovery key, or a box that was changed, gives nothing")
    func refused() throws {
        var world = try SealingWorld()
        let unit = try world.first.recoveryUnit(stamp: world.stamp(of: 1), random: world.random)
        let other = RecoveryKey(random: world.random)
        let new = try NewDevice(name: "new", random: world.random)
        #expect(throws: IdentityError.wrongSecret) { try other.recover(new, from: [unit], hub: "", pin: nil) }
        #expect(throws: IdentityError.wrongSecret) { try world.recovery.recover(new, from: [], hub: "", pin: nil) }
        for bit in stride(from: 0, to: unit.body.count * 8, by: 37) {
            var changed = unit
            changed.body[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: IdentityError.wrongSecret) {
                try world.recovery.recover(new, from: [changed], hub: "", pin: nil)
            }
        }
    }

    @Test("What the hub gets of the recovery key is not the key that the ring is sealed for")
    func registration() throws {
        let key = RecoveryKey(random: SeededRandomSource(seed: 4))
        let keys = try key.keys
        #expect(try keys.receivingKey != key.boxKey)
        #expect(try keys.signingKey != key.boxKey)
        #expect(key.device != 0)
    }
}
