import Crypto
import FoundationEssentials

/// Seals and opens with the keys of a space.
///
/// A sealed body is the number of its key (LEB128), 8 bytes of nonce, the encrypted padded content, and 16 bytes of
/// tag; see `Sealer` and `Padding`. Space, key number, record, unit, flags and merge key are authenticated, and each
/// combination has its own subkey. An empty content, such as that of a purge, is sealed as well: the hub cannot make
/// one up.
public struct SpaceKeys: UnitSealing {
    /// How many bytes a content has at most, so that its sealed form is within `SyncProtocol.bodyLimit`.
    public static let contentLimit = 516_095

    private let space: UUID
    private let names: Sealer
    private let sealers: [UInt32: Sealer]
    private let current: UInt32

    /// The keys of a space with a single one.
    public init(space: UUID, key: SpaceKey) {
        self.init(space: space, first: key, last: key, all: [key])
    }

    /// The first key names the records, which a new key must not change; the current one seals.
    init(_ space: UUID, _ ring: KeyRing) {
        self.init(space: space, first: ring.first, last: ring.current, all: ring.keys)
    }

    private init(space: UUID, first: SpaceKey, last: SpaceKey, all: [SpaceKey]) {
        self.space = space
        names = Sealer(first.secret, purpose: "names")
        sealers = Dictionary(
            all.map { ($0.epoch, Sealer($0.secret, purpose: "bodies")) }, uniquingKeysWith: { first, _ in first })
        current = last.epoch
    }

    /// The name of a record: 16 bytes of HMAC-SHA256.
    public func name(ofRecord key: [UInt8], in collection: UInt32) -> UUID {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: collection)
        let hash = names.hash(bytes + key)
        return UUID(high: hash.bigEndian(at: 0), low: hash.bigEndian(at: 8))
    }

    /// Seals with the latest key. Complexity: O(bytes); a few microseconds for a field.
    public func seal(_ body: [UInt8], as unit: SyncUnit) throws(SealingError) -> [UInt8] {
        guard let sealer = sealers[current] else { throw .unknownKey(epoch: current) }
        var writer = WireWriter()
        writer.put(UInt64(current))
        return writer.bytes + (try sealer.seal(Padding.pad(body), metadata: metadata(of: unit, current)))
    }

    /// Opens with the key that the body names. Complexity: O(bytes).
    public func open(_ unit: SyncUnit) throws(SealingError) -> [UInt8] {
        guard let (epoch, sealed) = Self.parts(of: unit.body) else { throw .forged }
        guard let sealer = sealers[epoch] else { throw .unknownKey(epoch: epoch) }
        let padded = try sealer.open(sealed, metadata: metadata(of: unit, epoch))
        guard let content = Padding.unpad(padded) else { throw .forged }
        return content
    }

    /// The number of the key that a body was sealed with; nil for a body that no device has sealed.
    static func epoch(ofSealed body: [UInt8]) -> UInt32? { parts(of: body)?.epoch }

    private static func parts(of body: [UInt8]) -> (epoch: UInt32, sealed: [UInt8])? {
        var reader = WireReader(Array(body.prefix(5)))
        guard let epoch = try? reader.small(as: UInt32.self), epoch >= SpaceKey.firstEpoch else { return nil }
        return (epoch, Array(body.dropFirst(reader.offset)))
    }

    /// Of fixed width but for the last part, so that no two units have the same.
    private func metadata(of unit: SyncUnit, _ epoch: UInt32) -> [UInt8] {
        var bytes = space.bytes
        bytes.append(bigEndian: epoch)
        bytes += unit.record.bytes
        bytes.append(bigEndian: unit.unit)
        bytes.append(bigEndian: unit.flags.rawValue)
        return bytes + unit.key
    }
}
