import Daybook

/// A month as a range of moments and the offset of its days from UTC.
struct MonthRange {
    let range: Range<Instant>
    let previous: Range<Instant>
    let offset: Int64
    let dayCount: Int

    /// - Throws: a failure if the offset changes within the month: the peers' single query takes one offset.
    init(_ month: Month, zone: Zone) throws {
        guard let before = month.previous else { throw PeerFailure("there is no month before \(month)") }
        range = zone.range(of: month.days)
        previous = zone.range(of: before.days)
        offset = Int64(zone.offsetSeconds(at: range.lowerBound)) * 1_000_000
        dayCount = month.days.lowerBound.distance(to: month.days.upperBound)
        guard Int64(zone.offsetSeconds(at: range.upperBound)) * 1_000_000 == offset else {
            throw PeerFailure("the clock changes in \(month)")
        }
    }
}
