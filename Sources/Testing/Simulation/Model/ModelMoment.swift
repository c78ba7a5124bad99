import Daybook

/// When and where something happens to the model.
struct ModelMoment: Sendable {
    var wall: Instant
    var monotonic: MonotonicTime
    var zone: Zone

    var today: Day { zone.day(of: wall) }

    /// The first instant at which the clock here shows a time of a day or a later one, found by trying: a minute at a
    /// time, then a second.
    func instant(on day: Day, secondsIntoDay time: Int) -> Instant {
        let local = Int64(day.daysSince1970) * 86_400 + Int64(time)
        func isReached(_ second: Int64) -> Bool {
            second + Int64(zone.offsetSeconds(at: Instant(secondsSince1970: second))) >= local
        }
        // No place is as far from UTC as 26 hours.
        var minute = local - 26 * 3_600
        while !isReached(minute + 60) { minute += 60 }
        var second = minute
        while !isReached(second) { second += 1 }
        return Instant(secondsSince1970: second)
    }
}
