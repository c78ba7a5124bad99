import CivilTime

/// The keys of a space and the devices that are trusted with them. Each device has one; a new device gets it from an
/// invite or with the recovery key.
public struct KeyRing: Sendable, Hashable {
    /// The first key, which names the records.
    let first: SpaceKey
    /// The keys that followed, in the order of their stamps.
    private(set) var following: [SpaceKey] = []
    /// The devices of the space, by their numbers.
    public private(set) var members: [DeviceCard] = []
    /// The devices that were revoked. They never return: a device that joins again has a new number.
    public private(set) var removed: [UInt64] = []
    /// The X25519 public key that the ring is kept for. Only members know it.
    let recoveryKey: [UInt8]

    /// The ring of a new space.
    init(first: SpaceKey, recoveryKey: [UInt8]) {
        self.first = first
        self.recoveryKey = recoveryKey
    }

    /// All keys, in the order of their stamps.
    public var keys: [SpaceKey] { [first] + following }

    /// The key that bodies are sealed with.
    public var current: SpaceKey { following.last ?? first }

    /// Whether a device that was removed has the current key. So it is when two devices are revoked at the same time by
    /// devices that do not know of each other's change; any device then announces one more key.
    public var needsRotation: Bool { current.readers.contains { removed.contains($0) } }

    /// The card of a member.
    func member(_ device: UInt64) -> DeviceCard? { members.first { $0.device == device } }

    /// Adds a device, or gives a known one its new name.
    ///
    /// - Returns: false for a device that was removed, and for one that has another key than before.
    mutating func admit(_ card: DeviceCard) -> Bool {
        guard card.device != 0, !removed.contains(card.device) else { return false }
        guard let index = members.firstIndex(where: { $0.device >= card.device }) else {
            members.append(card)
            return true
        }
        guard members[index].device == card.device else {
            members.insert(card, at: index)
            return true
        }
        let known = members[index]
        guard known != card, known.signingKey == card.signingKey, known.receivingKey == card.receivingKey else {
            return false
        }
        members[index] = card
        return true
    }

    /// Accepts a key that a member has announced, and removes the members that are not among its readers.
    ///
    /// - Parameter key: nil when this device is among those that do not get it.
    mutating func accept(_ key: SpaceKey?, readers: [UInt64]) {
        if let key {
            let later = following.firstIndex { ($0.stamp, $0.epoch) > (key.stamp, key.epoch) }
            following.insert(key, at: later ?? following.endIndex)
        }
        let gone = members.map(\.device).filter { !readers.contains($0) && !removed.contains($0) }
        removed = (removed + gone).sorted()
        members.removeAll { removed.contains($0.device) }
    }

    /// The bytes that an invite, the recovery key's box and `sync.json` hold.
    var encoded: [UInt8] {
        var writer = WireWriter()
        writer.put(Self.version)
        writer.put(keys) { $0.write(to: &$1) }
        writer.put(members) { $0.write(to: &$1) }
        writer.put(removed) { $1.putFixed($0) }
        writer.put(recoveryKey)
        return writer.bytes
    }

    private static let version: UInt64 = 1

    init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        guard try reader.unsigned() == Self.version else { throw MalformedMessage() }
        let keys = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try SpaceKey(from: &reader)
        }
        guard let first = keys.first else { throw MalformedMessage() }
        self.first = first
        following = Array(keys.dropFirst())
        members = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in
            try DeviceCard(from: &reader)
        }
        removed = try reader.list { (reader: inout WireReader) throws(MalformedMessage) in try reader.fixed() }
        recoveryKey = try reader.data()
        try reader.end()
    }
}
