import CivilTime
import Crypto
import FoundationEssentials
import QRCodes

/// The key that is printed when a space is made. With it and the hub's address, a person who has lost all devices gets
/// everything back.
///
/// It is 128 random bits, from which all follows that recovery needs: the id of the space, a device number and signing
/// key that the hub has registered as a device that only registers others, and the X25519 key that the key ring is kept for. Its
/// public half is in the key ring and not at the hub, so that the hub cannot make up a ring.
public struct RecoveryKey: Sendable, Hashable {
    private let seed: Secret
    private static let seedSize = 16

    /// Draws a new key.
    public init(random: any RandomSource) {
        seed = Secret(count: Self.seedSize, random: random)
    }

    /// The space that the key was made for.
    public var space: UUID {
        let bytes = derived("space")
        return UUID(high: bytes.bigEndian(at: 0) & ~0xF000 | 0x4000, low: bytes.bigEndian(at: 8) & ~(3 << 62) | 1 << 63)
    }

    /// The number that it is registered under.
    public var device: UInt64 { max(derived("device").bigEndian(at: 0), 1) }

    /// What it is registered with. Nothing is sealed for the receiving key: the hub has it.
    public var keys: DeviceKeys {
        get throws(IdentityError) {
            try DeviceKeys(signing: Secret(derived("signing")), receiving: Secret(derived("registration")))
        }
    }

    /// The public key that the ring is sealed for.
    var boxKey: [UInt8] {
        get throws(IdentityError) {
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: derived("box")) else {
                throw .invalidKey
            }
            return Array(key.publicKey.rawRepresentation)
        }
    }

    static func context(_ space: UUID) -> [UInt8] { Array("daybook recovery 1\n".utf8) + space.bytes }

    /// The record whose unit has the key ring, to be asked of the hub.
    public static var record: UUID { SyncUnit.commonRecord }

    /// Makes a new device of the units that the hub has of `record`.
    ///
    /// - Throws: `wrongSecret` when none of them was sealed for this key.
    public func recover(
        _ device: NewDevice, from units: [SyncUnit], hub: String, pin: CertificatePin?
    ) throws(IdentityError) -> SpaceIdentity {
        for unit in units where unit.record == Self.record && unit.unit == SyncUnit.recovery {
            guard let (count, box) = Self.parts(of: unit),
                let padded = try? KeyBox.open(box, with: derived("box"), context: Self.context(space) + count),
                let content = Padding.unpad(padded), let ring = try? KeyRing(decoding: content)
            else { continue }
            return SpaceIdentity(space: space, hub: hub, pin: pin, ring: ring, device: device)
        }
        throw .wrongSecret
    }

    /// How many keys the ring has that a unit holds.
    static func keyCount(_ unit: SyncUnit) -> Int? {
        var reader = WireReader(unit.body)
        return try? reader.small(as: Int.self)
    }

    private static func parts(of unit: SyncUnit) -> (count: [UInt8], box: [UInt8])? {
        var reader = WireReader(unit.body)
        guard (try? reader.unsigned()) != nil else { return nil }
        return (Array(unit.body.prefix(reader.offset)), Array(unit.body.dropFirst(reader.offset)))
    }

    private func derived(_ use: String) -> [UInt8] { Sealer(seed, purpose: "recovery").hash(Array(use.utf8)) }

    // MARK: Text

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let groupSize = 5
    private static let dataCount = 26
    private static let checkCount = 4
    private static let code = ReedSolomon(bits: 5, polynomial: 0x25)

    /// Six groups of five letters and digits (Crockford's base 32): 26 for the key and 4 that find typos.
    public var text: String {
        // 26 symbols have 130 bits: the first two are zero.
        var symbols: [UInt8] = []
        var bits = 0
        var count = 2
        for byte in seed.bytes {
            bits = bits << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                symbols.append(UInt8(bits >> count & 31))
            }
            bits &= 1 << count - 1
        }
        symbols += Self.code.checkSymbols(of: symbols, count: Self.checkCount)
        let letters = symbols.map { String(Self.alphabet[Int($0)]) }
        return stride(from: 0, to: letters.count, by: Self.groupSize)
            .map { letters[$0..<($0 + Self.groupSize)].joined() }.joined(separator: "-")
    }

    /// Reads a text. Case, hyphens and white space do not matter; O is read as 0, I and L as 1.
    ///
    /// Any four wrong characters, and two that were swapped, are found; so is any other text, but for one in a million.
    ///
    /// - Throws: `invalidRecoveryKey`.
    public init(text: String) throws(IdentityError) {
        var symbols: [UInt8] = []
        for character in text.uppercased() where character != "-" && !character.isWhitespace {
            let letter: Character =
                switch character {
                case "O": "0"
                case "I", "L": "1"
                default: character
                }
            guard let symbol = Self.alphabet.firstIndex(of: letter) else { throw .invalidRecoveryKey }
            symbols.append(UInt8(symbol))
        }
        let data = Array(symbols.prefix(Self.dataCount))
        guard symbols.count == Self.dataCount + Self.checkCount, data[0] < 8,
            Self.code.checkSymbols(of: data, count: Self.checkCount) == Array(symbols.suffix(Self.checkCount))
        else { throw .invalidRecoveryKey }
        var bytes: [UInt8] = []
        var bits = Int(data[0])
        var count = 3
        for symbol in data.dropFirst() {
            bits = bits << 5 | Int(symbol)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(bits >> count & 0xFF))
                bits &= 1 << count - 1
            }
        }
        seed = Secret(bytes)
    }
}
