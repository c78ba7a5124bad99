/// A stretch of time during which a zone keeps one offset from UTC.
struct Segment: Equatable, Sendable {
    /// The second (since 1970, UTC) at which it begins; it ends where the next one begins.
    var start: Int
    /// Seconds that local time is ahead of UTC.
    var offset: Int32
    /// The latest local date (days since 1970) that had begun before `start`. The clock may go back over midnight, but a
    /// day that has begun stays begun.
    var reached: Int32

    /// The day of a second within this segment.
    @inline(__always)
    func day(at second: Int) -> Int {
        max(CalendarMath.floorDivide(second + Int(offset), by: CalendarMath.secondsPerDay), Int(reached))
    }

    /// The latest date that has begun by the segment's end. A date that is too far away for `Int32` is further than any
    /// instant, so cutting it off changes no answer.
    func reached(by end: Int) -> Int32 {
        Int32(clamping: day(at: end - 1))
    }
}
