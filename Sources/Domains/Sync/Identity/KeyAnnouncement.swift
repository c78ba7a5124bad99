import CivilTime
import FoundationEssentials

/// A new key of a space, in a box for each device that gets it, signed by the member that announces it.
///
/// The body is not sealed with a key of the space, since a revoked device has those: 0 (no key), the number of the new
/// key, the devices with their boxes, and the signature over all of it and the unit's metadata. The hub could make a
/// box for each device, but not the signature of a member.
struct KeyAnnouncement {
    private static let signatureSize = 64

    /// Makes the unit that announces a key.
    static func unit(
        _ key: SpaceKey, to cards: [DeviceCard], number: Int, by author: SpaceIdentity, random: any RandomSource
    ) throws(SealingError) -> SyncUnit {
        guard let number = UInt16(exactly: Int(SyncUnit.firstAnnouncement) + number) else { throw .forged }
        var unit = SyncUnit(
            record: SyncUnit.reservedRecord(of: author.device), unit: number, key: MergeKey.latest(key.stamp).bytes,
            body: [])
        var boxes: [(device: UInt64, box: [UInt8])] = []
        for card in cards {
            let context = boxContext(author.space, key.epoch, card.device)
            boxes.append(
                (
                    card.device,
                    try KeyBox.seal(key.secret.bytes, for: card.receivingKey, context: context, random: random)
                ))
        }
        var writer = WireWriter()
        writer.put(UInt64(0))
        writer.put(UInt64(key.epoch))
        writer.put(boxes) {
            $1.putFixed($0.device)
            $1.put($0.box)
        }
        unit.body = writer.bytes
        guard let signature = try? author.keys.sign(signedMessage(author.space, unit, unit.body)) else { throw .forged }
        unit.body += signature
        return unit
    }

    /// The number of the key.
    let epoch: UInt32
    let stamp: Stamp
    /// The devices that it is for.
    let readers: [UInt64]
    private let boxes: [(device: UInt64, box: [UInt8])]

    /// Reads an announcement that a member has signed; nil for any other.
    init?(_ unit: SyncUnit, in ring: KeyRing, of space: UUID) {
        guard unit.unit >= SyncUnit.firstAnnouncement, let author = ring.member(unit.reservedDevice),
            case .latest(let stamp) = MergeKey(unit.key), unit.body.count > Self.signatureSize
        else { return nil }
        let content = Array(unit.body.dropLast(Self.signatureSize))
        let signature = Array(unit.body.suffix(Self.signatureSize))
        guard DeviceKeys.isValid(signature, of: Self.signedMessage(space, unit, content), by: author.signingKey),
            let (epoch, boxes) = try? Self.read(content)
        else { return nil }
        self.epoch = epoch
        self.stamp = stamp
        self.boxes = boxes
        readers = boxes.map(\.device).sorted()
    }

    /// The key, for one of its readers.
    func key(for device: UInt64, keys: DeviceKeys, of space: UUID) -> SpaceKey? {
        let context = Self.boxContext(space, epoch, device)
        guard let box = boxes.first(where: { $0.device == device })?.box,
            let secret = try? KeyBox.open(box, with: keys.receivingSecret.bytes, context: context),
            secret.count == SpaceKey.secretSize
        else { return nil }
        return SpaceKey(epoch: epoch, secret: Secret(secret), stamp: stamp, readers: readers)
    }

    private static func read(_ content: [UInt8]) throws(MalformedMessage) -> (UInt32, [(device: UInt64, box: [UInt8])])
    {
        var reader = WireReader(content)
        let none = try reader.unsigned()
        let epoch = try reader.small(as: UInt32.self)
        let boxes = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in
            (device: try reader.fixed(), box: try reader.data())
        }
        try reader.end()
        guard none == 0, epoch > SpaceKey.firstEpoch else { throw MalformedMessage() }
        return (epoch, boxes)
    }

    private static func boxContext(_ space: UUID, _ epoch: UInt32, _ device: UInt64) -> [UInt8] {
        var bytes = Array("daybook key 1\n".utf8) + space.bytes
        bytes.append(bigEndian: epoch)
        bytes.append(bigEndian: device)
        return bytes
    }

    private static func signedMessage(_ space: UUID, _ unit: SyncUnit, _ content: [UInt8]) -> [UInt8] {
        var bytes = Array("daybook announcement 1\n".utf8) + space.bytes + unit.record.bytes
        bytes.append(bigEndian: unit.unit)
        bytes.append(bigEndian: unit.flags.rawValue)
        // A merge key of `latest` has 16 bytes.
        return bytes + unit.key + content
    }
}
