import Daybook
import Synchronization

/// Ids like Daybook's own, which ascend with time, so that the peers' keys are adjacent as well.
final class Identifiers: Sendable {
    private let next: Mutex<UInt64>

    init(from moment: Instant) {
        next = Mutex(UInt64(max(0, moment.microsecondsSince1970 / 1000)) << 16 | 0x7000)
    }

    func make() -> UUID {
        let high = next.withLock { next in
            next += 1 << 16
            return next
        }
        var random = SystemRandomNumberGenerator()
        let low = random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let byte = { (word: UInt64, at: Int) in UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * at)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
                byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
                byte(low, 6), byte(low, 7)
            ))
    }
}

extension UUID {
    /// The 16 bytes.
    var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }

    /// Creates an id from the first 16 of the remaining bytes.
    init(bytes b: ArraySlice<UInt8>) {
        let i = b.startIndex
        self.init(
            uuid: (
                b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7], b[i + 8], b[i + 9],
                b[i + 10], b[i + 11], b[i + 12], b[i + 13], b[i + 14], b[i + 15]
            ))
    }
}
