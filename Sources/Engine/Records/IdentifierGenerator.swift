import CivilTime
import FoundationEssentials
import Synchronization

/// Makes UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of the wall clock in milliseconds, then random bits.
///
/// Within one process ids ascend in the order in which they are made, also within a millisecond and when the clock goes
/// back: the 12 bits after the version count up then, and the time runs ahead when they overflow. Records that are made
/// one after another so lie side by side in the store.
public final class IdentifierGenerator: Sendable {
    private let context: Context
    /// Of the last id: the milliseconds, then 12 bits that count within one. Without a lock, which the child of a fork
    /// could find taken by a thread that it does not have.
    private let last = Atomic<UInt64>(0)

    /// A generator with the clock and the random source of a context.
    public init(context: Context) {
        self.context = context
    }

    /// A new id.
    public func next() -> UUID {
        let random = context.random.next()
        let wall = UInt64(max(0, context.clock.wall.microsecondsSince1970 / 1000))
        var before = last.load(ordering: .relaxed)
        var stamp: UInt64
        var isTaken = false
        repeat {
            // Starting in the lower half leaves room to count; starting at random keeps two processes apart. A count
            // that overflows carries into the milliseconds.
            stamp = wall > before >> 12 ? wall << 12 | context.random.next() & 0x7FF : before + 1
            (isTaken, before) = last.compareExchange(expected: before, desired: stamp, ordering: .relaxed)
        } while !isTaken
        let high = (stamp >> 12) << 16 | 0x7000 | stamp & 0xFFF
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(high: high, low: low)
    }
}
