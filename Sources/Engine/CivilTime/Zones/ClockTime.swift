/// A day and a time of the clock: what stays the same from one occurrence to the next, whatever the clocks do between.
package struct ClockTime: Sendable, Equatable {
    package private(set) var day: Day
    /// The time of day in seconds from midnight.
    package let secondsIntoDay: Int
    private var microseconds: Int64 = 0

    /// A time of day, in seconds from midnight.
    package init(day: Day, secondsIntoDay: Int) {
        (self.day, self.secondsIntoDay) = (day, secondsIntoDay)
    }

    /// The time that an instant has in a zone.
    ///
    /// - Parameter meant: the time of day that was meant, if the clock skipped it: the instant is the first one after the gap. It
    ///   is ignored if it does not lead to the instant, which another program or zone may have set since.
    package init(of instant: Instant, meant: Int32? = nil, in zone: Zone) {
        let day = zone.day(of: instant)
        if let seconds = meant.map(Int.init) {
            // A gap that ends at midnight has moved the instant to the next day.
            for day in [day, day.advanced(by: -1)] where zone.instant(day: day, secondsIntoDay: seconds) == instant {
                self.init(day: day, secondsIntoDay: seconds)
                return
            }
        }
        // Where a day begins after a gap, its first instant is what midnight means there.
        if instant == zone.start(of: day) {
            self.init(day: day, secondsIntoDay: 0)
            return
        }
        let perDay: Int64 = 86_400_000_000
        let local = instant.microsecondsSince1970.advanced(by: zone.offsetSeconds(at: instant) * 1_000_000)
        let time = (local % perDay + perDay) % perDay
        self.init(day: day, secondsIntoDay: Int(time / 1_000_000))
        microseconds = time % 1_000_000
    }

    /// The same time some days later.
    package func advanced(by days: Int) -> ClockTime {
        var time = self
        time.day = day.advanced(by: days)
        return time
    }

    /// The instant in a zone: in a gap the first one after it, in an overlap the first of the two.
    package func instant(in zone: Zone) -> Instant {
        zone.instant(day: day, secondsIntoDay: secondsIntoDay).advanced(byMicroseconds: microseconds)
    }

    /// The time of day if the day does not have it in a zone; nil if it does, and the instant says all.
    package func meantSeconds(in zone: Zone) -> Int32? {
        ClockTime(of: instant(in: zone), in: zone).secondsIntoDay == secondsIntoDay
            ? nil : Int32(clamping: secondsIntoDay)
    }
}
