import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Sync

@Suite struct InviteTests {
    private static let random = SeededRandomSource(seed: 11)

    private static func identity(hub: String = "https://sync.example.org:8620", pin: Bool = true) throws
        -> SpaceIdentity
    {
        try SpaceIdentity.create(
            hub: hub, pin: pin ? CertificatePin(ofPublicKey: [1]) : nil, name: "desktop", random: random
        ).identity
    }

    @Test(
        "A URI is read as it was printed",
        arguments: ["https://sync.example.org:8620", "http://[::1]:8620/a?b=c&d#e%", "https://bücher.example/ö ü+"])
    func roundTrip(hub: String) throws {
        for pin in [true, false] {
            let invite = Invite(to: try Self.identity(hub: hub, pin: pin), random: Self.random)
            #expect(try Invite(uri: invite.uri) == invite)
            #expect(try Invite(uri: " \n\(invite.uri)&later=1\n") == invite)
            #expect(invite.uri.utf8.allSatisfy { (33..<127).contains($0) })
            #expect(invite.uri.hasPrefix("daybook://join?hub="))
        }
    }

    @Test("A URI with a missing, repeated or shortened part is refused, at any place")
    func refused() throws {
        let uri = Invite(to: try Self.identity(), random: Self.random).uri
        for end in 0..<uri.count {
            #expect(throws: IdentityError.invalidInvite) { try Invite(uri: String(uri.prefix(end))) }
        }
        for text in ["", "daybook://join", "https://join?hub=x", uri + "&hub=x", uri + "&x", uri + "AA"] {
            #expect(throws: IdentityError.invalidInvite) { try Invite(uri: text) }
        }
    }

    @Test("The sealed keys open with the invite's secret only, and only as they were sealed")
    func secret() throws {
        let identity = try Self.identity()
        let invite = Invite(to: identity, random: Self.random)
        let other = Invite(to: identity, random: Self.random)
        let sealed = try invite.seal(identity.ring)
        let new = try NewDevice(name: "phone", random: Self.random)
        let device = try invite.join(new, sealedKeys: sealed)
        #expect(device.space == identity.space)
        #expect(device.hub == identity.hub)
        #expect(device.pin == identity.pin)
        #expect(device.ring.members.count == 2)
        #expect(throws: IdentityError.wrongSecret) { try other.join(new, sealedKeys: sealed) }
        var dice = Dice(1)
        for _ in 0..<300 {
            var bad = sealed
            bad[dice.below(bad.count)] ^= 1 << UInt8(dice.below(8))
            #expect(throws: IdentityError.wrongSecret) { try invite.join(new, sealedKeys: bad) }
        }
    }

    @Test("Base64 for URIs and percent coding read only what they write")
    func coding() {
        for count in 0..<40 {
            let bytes = Self.random.bytes(count)
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            #expect(!text.contains { "+/=".contains($0) })
        }
        for text in ["A", "AB=", "A+==", "AAAB\n", "AB", "ä"] { #expect(Base64URL.decode(text) == nil, "\(text)") }
        #expect(PercentCoding.decode("a%20b%C3%A4") == "a bä")
        for text in ["%", "%2", "%zz", "%+1", "%FF"] { #expect(PercentCoding.decode(text) == nil, "\(text)") }
    }
}
