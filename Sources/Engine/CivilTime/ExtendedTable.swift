/// A zone's first table, followed by 400 years (and a little) of the rule in its file's footer.
final class ExtendedTable: Sendable {
    let segments: SegmentTable
    /// Where the first cycle begins, in days: from here on only the rule decides, so all repeats from here on.
    private let cycleStartDay: Int

    init(near: SegmentTable, nearEnd: Int, rule: PosixRule?) {
        // The years are bounded so that a hostile file cannot make the sums below overflow.
        let bounded = min(max(nearEnd, -100_000_000_000), 300_000_000_000)
        let day = CalendarMath.floorDivide(bounded, by: CalendarMath.secondsPerDay)
        let year = max(0, CalendarMath.components(days: day).year)

        var builder = SegmentTableBuilder(continuing: near.elements)
        // A whole year for the last known offset to give way, then the cycle, then a year beyond its end.
        let years = (year - 1)...(year + CalendarMath.yearsPerCycle + 4)
        for transition in rule?.transitions(years: years) ?? [] where transition.second > nearEnd {
            builder.append(start: transition.second, offset: transition.offset)
        }
        segments = SegmentTable(builder.segments)
        cycleStartDay = CalendarMath.days(year: year + 2, month: 1, day: 1)
    }

    /// How many whole cycles to go back from the second, to be within the table.
    @inline(__always)
    func cycles(toSecond second: Int) -> Int {
        let start = cycleStartDay * CalendarMath.secondsPerDay
        return second < start ? 0 : (second - start) / CalendarMath.secondsPerCycle
    }

    /// How many whole cycles to go back from the day, to be within the table.
    @inline(__always)
    func cycles(toDay day: Int) -> Int {
        // Three days later than for seconds: by then the first cycle has begun in every zone.
        let start = cycleStartDay + 3
        return day < start ? 0 : (day - start) / CalendarMath.daysPerCycle
    }
}
