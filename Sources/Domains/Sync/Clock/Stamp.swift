import CivilTime
import Records

/// The moment of a change and the device that made it: 16 bytes whose order is the same on every device.
///
/// A hybrid logical clock (Kulkarni and others, 2014): 48 bits of milliseconds since 1970, 16 bits that count within one, and
/// the device as the tie-breaker. Later causes always have later stamps, however wrong a device's wall clock is.
public struct Stamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970 in the upper 48 bits, the counter in the lower 16.
    public let time: UInt64
    /// The device that made the change.
    public let device: UInt64

    /// A stamp of its two parts.
    public init(time: UInt64, device: UInt64) {
        self.time = time
        self.device = device
    }

    /// The smallest stamp.
    static let zero = Stamp(time: 0, device: 0)

    /// The milliseconds since 1970.
    public var milliseconds: Int64 { Int64(time >> 16) }

    /// By time, then by device.
    public static func < (left: Stamp, right: Stamp) -> Bool { (left.time, left.device) < (right.time, right.device) }
}

/// A device's clock for stamps. It only advances, by its own ticks and by the stamps of others that it has seen.
struct HybridClock: Sendable, Hashable {
    /// The highest time that was given or seen.
    private(set) var last: UInt64

    init(last: UInt64 = 0) {
        self.last = last
    }

    /// The time for a change that is made now. Never fails: a counter that is full carries into the milliseconds, and a wall
    /// clock outside of 48 bits is ignored.
    mutating func tick(now: Instant) -> UInt64 {
        let wall = Self.time(of: now)
        // The largest time has no successor: only a clock beyond the year 10889 leads there, and a tie is then broken by device.
        guard wall > last else { return next() }
        last = wall
        return last
    }

    /// The time after the last one, whatever the wall clock shows.
    mutating func next() -> UInt64 {
        last = last == .max ? last : last + 1
        return last
    }

    /// Takes the highest time of others into account, so that what is changed here afterwards counts as later.
    mutating func receive(_ time: UInt64) {
        last = max(last, time)
    }

    /// The first time within a millisecond of the wall clock.
    static func time(of instant: Instant) -> UInt64 {
        let milliseconds = instant.microsecondsSince1970 / 1000
        return UInt64(min(max(milliseconds, 0), 1 << 48 - 1)) << 16
    }
}
