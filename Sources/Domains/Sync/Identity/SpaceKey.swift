import CivilTime

/// One of the keys of a space. There is one, until a device is revoked.
public struct SpaceKey: Sendable, Hashable {
    /// The number of the key, before each body that it seals. The first is 1; the others are random, since devices that
    /// do not know of each other may start one at the same time.
    public let epoch: UInt32
    let secret: Secret
    /// When it was announced: bodies are sealed with the latest key.
    public let stamp: Stamp
    /// The devices that it was announced to. Empty for the first key, which every invited device has.
    public let readers: [UInt64]

    /// The number of a space's first key.
    static let firstEpoch: UInt32 = 1
    static let secretSize = 32

    init(epoch: UInt32, secret: Secret, stamp: Stamp, readers: [UInt64]) {
        self.epoch = epoch
        self.secret = secret
        self.stamp = stamp
        self.readers = readers
    }

    /// The first key of a new space.
    public static func first(random: any RandomSource) -> SpaceKey {
        SpaceKey(
            epoch: firstEpoch, secret: Secret(count: secretSize, random: random), stamp: .zero, readers: [])
    }

    /// A key that follows others: four bytes at most before a body.
    static func following(
        _ others: [SpaceKey], stamp: Stamp, readers: [UInt64], random: any RandomSource
    ) -> SpaceKey {
        while true {
            let epoch = UInt32(truncatingIfNeeded: random.next() >> 36)
            guard epoch > firstEpoch, !others.contains(where: { $0.epoch == epoch }) else { continue }
            return SpaceKey(
                epoch: epoch, secret: Secret(count: secretSize, random: random), stamp: stamp, readers: readers)
        }
    }

    func write(to writer: inout WireWriter) {
        writer.put(UInt64(epoch))
        writer.put(secret.bytes)
        writer.putFixed(stamp.time)
        writer.putFixed(stamp.device)
        writer.put(readers) { $1.putFixed($0) }
    }

    init(from reader: inout WireReader) throws(MalformedMessage) {
        epoch = try reader.small()
        secret = Secret(try reader.data())
        stamp = Stamp(time: try reader.fixed(), device: try reader.fixed())
        readers = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try reader.fixed() }
        guard epoch >= Self.firstEpoch, secret.bytes.count == Self.secretSize else { throw MalformedMessage() }
    }
}
