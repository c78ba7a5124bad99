import Daybook

/// The bounds of the statistics' periods, computed once.
struct Periods {
    /// Today, this week, this month, last month.
    let ranges: [Range<Instant>]

    init(now: Instant, zone: Zone) throws {
        let day = zone.day(of: now)
        let month = day.monthOfYear
        guard let previous = month.previous else { throw PeerFailure("there is no month before \(month)") }
        ranges = [day..<day.advanced(by: 1), day.week(startingOn: .monday), month.days, previous.days].map {
            zone.range(of: $0)
        }
    }
}
