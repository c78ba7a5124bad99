import CivilTime
import FoundationEssentials
import Records
import Testing

@testable import Sync

/// What goes to the hub, searched for what must not.
@Suite struct BlindnessTests {
    /// The secrets that begin somewhere in the bytes.
    private static func found(_ secrets: [[UInt8]], in bytes: [UInt8]) -> Int {
        var byBeginning: [ArraySlice<UInt8>: [[UInt8]]] = [:]
        for secret in secrets { byBeginning[secret.prefix(8), default: []].append(secret) }
        guard bytes.count >= 8 else { return 0 }
        return (0...(bytes.count - 8)).reduce(0) { count, start in
            count + (byBeginning[bytes[start..<(start + 8)]] ?? []).count { bytes[start...].starts(with: $0) }
        }
    }

    /// As they are, in hexadecimal, and in base64 from each of three offsets.
    private static func forms(_ secret: [UInt8]) -> [[UInt8]] {
        let hexadecimal = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let base64 = (0..<3).map { Data(secret.dropFirst($0)).base64EncodedString().prefix(8) }
        return [secret, Array(hexadecimal.utf8), Array(hexadecimal.uppercased().utf8)] + base64.map { Array($0.utf8) }
    }

    @Test("Of 1,000 texts and all keys, nothing is in what goes to the hub [F-6]")
    func blind() throws {
        var world = try SealingWorld()
        let devices = try world.three()
        let texts = (0..<1_000).map { "SECRET-\($0)-of-a-person" }
        var sent: [UInt8] = []
        var units = try texts.enumerated().map { try world.unit($1, record: UInt8($0 % 200), by: devices[$0 % 3]) }
        for device in devices { units.append(try device.cardUnit(stamp: world.stamp(of: device.device))) }
        let rotation = try devices[0].rotation(
            removing: [devices[2].device], stamp: world.stamp(of: devices[0].device), random: world.random)
        units += rotation.units
        sent += SyncRequest(epoch: nil, pushNumber: 1, after: 0, units: units).encoded
        let invite = Invite(to: devices[0], random: world.random)
        sent += invite.tokenHash + (try invite.seal(rotation.identity.ring))
        let recoveryKeys = try world.recovery.keys
        for keys in devices.map(\.keys) + [recoveryKeys] {
            sent += keys.signingKey + keys.receivingKey + (try keys.sign(sent))
        }

        // A name is followed by the padding.
        var secrets = texts.map { Array($0.utf8) } + ["desktop", "laptop"].map { Array($0.utf8) + [0x80, 0] }
        for device in devices + [rotation.identity] {
            secrets.append(device.keys.signingSecret.bytes)
            secrets.append(device.keys.receivingSecret.bytes)
            secrets += device.ring.keys.map(\.secret.bytes)
        }
        secrets.append(try world.recovery.boxKey)
        let parts = try #require(invite.uri.split(separator: "secret=").last)
        secrets.append(try #require(Base64URL.decode(String(parts))))
        secrets.append(invite.tokenBytes)
        let forms = secrets.flatMap(Self.forms)
        #expect(Self.found(forms, in: sent) == 0)
        // Negative control: the search finds what is there.
        #expect(Self.found(forms, in: sent + [1, 2] + secrets[500]) == 1)
        #expect(Self.found(forms, in: sent + Array(Data(secrets[1_005]).base64EncodedString().utf8)) >= 1)
    }

    @Test("No description of an identity, an invite or a key has a secret in it [D10]")
    func descriptions() throws {
        let world = try SealingWorld()
        let invite = Invite(to: world.first, random: world.random)
        var text = "\(world.first) \(world.recovery) \(invite) \(world.first.sealing)"
        text += String(reflecting: world.first) + String(reflecting: invite) + String(reflecting: world.recovery)
        dump(world.first, to: &text)
        dump(invite, to: &text)
        dump(world.recovery, to: &text)
        let secrets =
            [
                world.first.keys.signingSecret, world.first.keys.receivingSecret, world.first.ring.first.secret,
            ].map(\.bytes) + [invite.tokenBytes]
        for secret in secrets { #expect(!text.contains(secret.map(String.init).joined(separator: ", "))) }
        #expect(text.contains("(secret)"))
        #expect(!text.contains("- \(secrets[0][0])\n"))
    }
}
