import CivilTime
import FoundationEssentials
import Synchronization

/// Makes UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of the wall clock in milliseconds, then random bits.
///
/// Within one process ids ascend in the order in which they are made, also within a millisecond and when the clock goes
/// back: the 12 bits after the version count up then, and the time runs ahead when they overflow. Records that are made
/// one after another so lie side by side in the store.
public final class IdentifierGenerator: Sendable {
    private struct State {
        var milliseconds: UInt64 = 0
        var counter: UInt64 = 0
    }

    private let context: Context
    private let state = Mutex(State())

    /// A generator with the clock and the random source of a context.
    public init(context: Context) {
        self.context = context
    }

    /// A new id.
    public func next() -> UUID {
        let random = context.random.next()
        let wall = UInt64(max(0, context.clock.wall.microsecondsSince1970 / 1000))
        let (milliseconds, counter) = state.withLock { state in
            if wall > state.milliseconds {
                state.milliseconds = wall
                // Starting in the lower half leaves room to count; starting at random keeps two processes apart.
                state.counter = context.random.next() & 0x7FF
            } else {
                state.counter += 1
                if state.counter > 0xFFF {
                    state.milliseconds += 1
                    state.counter = 0
                }
            }
            return (state.milliseconds, state.counter)
        }
        let high = milliseconds << 16 | 0x7000 | counter
        let low = random & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(high: high, low: low)
    }
}
