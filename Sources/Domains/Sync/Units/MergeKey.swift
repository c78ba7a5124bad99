import FoundationEssentials
import Records

/// The bytes that decide which of two values of a unit stays: the larger ones, on every device and at the hub alike.
///
/// | key | bytes |
/// | --- | --- |
/// | latest | stamp (16) |
/// | completion | epoch (4), done (1), time of the stamp, inverted if done (8), device (8) |
/// | base | time of creation in microseconds, sign flipped and inverted (8), stamp (16) |
/// | placed | stamp of what the place is in (16), stamp (16) |
/// | purge | 255, stamp (16) |
///
/// All integers are big-endian. The lengths differ, so that anyone can read the stamp from the bytes alone: the hub does, to
/// refuse times ahead of its clock.
public enum MergeKey: Sendable, Hashable {
    /// The latest change stays.
    case latest(Stamp)
    /// Within an epoch "done" stays, and the first completion; reopening raises the epoch.
    case completion(epoch: UInt32, isDone: Bool, Stamp)
    /// Of records that were created twice, the earlier one stays.
    case base(createdAt: Int64, Stamp)
    /// A place among others, made under a stamp of the group; it counts only while the group has that stamp.
    case placed(in: Stamp, Stamp)
    /// Above every other key: nothing follows.
    case purge(Stamp)

    /// The moment of the change.
    public var stamp: Stamp {
        switch self {
        case .latest(let stamp), .completion(_, _, let stamp), .base(_, let stamp), .placed(_, let stamp),
            .purge(let stamp):
            stamp
        }
    }

    /// The same key for a change that is stamped anew.
    ///
    /// - Parameter groups: the new stamps of others, among which may be that of the group.
    func restamped(_ stamp: Stamp, groups: [Stamp: Stamp]) -> MergeKey {
        switch self {
        case .latest: .latest(stamp)
        case .completion(let epoch, let isDone, _): .completion(epoch: epoch, isDone: isDone, stamp)
        case .base(let createdAt, _): .base(createdAt: createdAt, stamp)
        case .placed(let group, _): .placed(in: groups[group] ?? group, stamp)
        case .purge: .purge(stamp)
        }
    }

    /// A hash of the bytes, to recognize a key by: whoever replaces a text says which one, so that the device that wrote
    /// another one notices that it was not seen. Never 0.
    var mark: UInt32 {
        let hash = SyncUnit.digest(record: UUID(high: 0, low: 0), unit: 0, key: bytes)
        return max(UInt32(truncatingIfNeeded: hash), 1)
    }

    /// The bytes that are compared.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .latest(let stamp): bytes.append(stamp)
        case .completion(let epoch, let isDone, let stamp):
            bytes.append(bigEndian: epoch)
            bytes.append(isDone ? 1 : 0)
            bytes.append(bigEndian: isDone ? ~stamp.time : stamp.time)
            bytes.append(bigEndian: stamp.device)
        case .base(let createdAt, let stamp):
            bytes.append(bigEndian: ~(UInt64(bitPattern: createdAt) ^ 1 << 63))
            bytes.append(stamp)
        case .placed(let group, let stamp):
            bytes.append(group)
            bytes.append(stamp)
        case .purge(let stamp):
            bytes.append(0xFF)
            bytes.append(stamp)
        }
        return bytes
    }

    /// Reads such bytes; nil when they are none.
    public init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 16: self = .latest(bytes.stamp(at: 0))
        case 17 where bytes[0] == 0xFF: self = .purge(bytes.stamp(at: 1))
        case 21 where bytes[4] <= 1:
            let isDone = bytes[4] == 1
            let time = bytes.bigEndian(at: 5, as: UInt64.self)
            let stamp = Stamp(time: isDone ? ~time : time, device: bytes.bigEndian(at: 13))
            self = .completion(epoch: bytes.bigEndian(at: 0), isDone: isDone, stamp)
        case 24:
            let inverted: UInt64 = bytes.bigEndian(at: 0)
            self = .base(createdAt: Int64(bitPattern: ~inverted ^ 1 << 63), bytes.stamp(at: 8))
        case 32: self = .placed(in: bytes.stamp(at: 0), bytes.stamp(at: 16))
        default: return nil
        }
    }
}

extension MergeKey: Comparable {
    /// By their bytes.
    public static func < (left: MergeKey, right: MergeKey) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}

extension [UInt8] {
    mutating func append<Value: FixedWidthInteger>(bigEndian value: Value) {
        for shift in stride(from: Value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> Value(shift)))
        }
    }

    fileprivate mutating func append(_ stamp: Stamp) {
        append(bigEndian: stamp.time)
        append(bigEndian: stamp.device)
    }

    /// The integer at an offset, which must have its bytes there.
    func bigEndian<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value {
        self[offset..<(offset + Value.bitWidth / 8)].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    fileprivate func stamp(at offset: Int) -> Stamp {
        Stamp(time: bigEndian(at: offset), device: bigEndian(at: offset + 8))
    }
}
