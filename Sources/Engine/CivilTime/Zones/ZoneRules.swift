import Synchronization

/// A parsed zone with all of its offsets. Immutable, shared by all copies of a ``Zone``.
///
/// There are two tables. The first holds what the zone's file lists and, by the rule in the file's footer, the years up
/// to 2100: "fat" files list the years to 2037, "slim" ones stop where the rule begins, and both shall be equally fast.
/// The second holds that and 400 years more; it is built at the first question that needs it. The Gregorian calendar
/// repeats itself every 400 years, weekdays too, so later times are looked up full cycles earlier.
final class ZoneRules: Sendable {
    let identifier: String
    private let near: SegmentTable
    /// Present only where the offset keeps changing after the first table's last transition.
    private let rule: PosixRule?
    /// The second before which the first table is complete; `Int.max` when it always is.
    private let nearEnd: Int
    /// The last day whose start is in the first table.
    private let nearLastDay: Int
    private let extended = AtomicLazyReference<ExtendedTable>()

    init(identifier: String, file: ZoneFile) {
        self.identifier = identifier
        let transitions = file.transitions + ZoneRules.transitionsToCome(after: file)
        var firstOffset = file.firstOffset
        if transitions.isEmpty, let rule = file.rule { firstOffset = rule.offset }
        var builder = SegmentTableBuilder(firstOffset: firstOffset)
        for transition in transitions { builder.append(start: transition.second, offset: transition.offset) }
        near = SegmentTable(builder.segments)

        if let rule = file.rule, rule.daylightSaving != nil {
            self.rule = rule
            nearEnd = transitions.last?.second ?? Int.min
            nearLastDay = transitions.isEmpty ? Int.min : near.day(at: nearEnd - 1)
        } else {
            rule = nil
            nearEnd = Int.max
            nearLastDay = Int.max
        }
    }

    /// What the rule adds to the file's list up to 2100. Nothing where the list ends before 1900: then it would be long.
    private static func transitionsToCome(after file: ZoneFile) -> [(second: Int, offset: Int)] {
        guard let rule = file.rule, let last = file.transitions.last?.second else { return [] }
        let year = CalendarMath.components(days: CalendarMath.floorDivide(last, by: CalendarMath.secondsPerDay)).year
        guard (1900...2100).contains(year) else { return [] }
        return rule.transitions(years: year...2100).filter { $0.second > last }
    }

    /// A zone that has the same offset at all times.
    init(identifier: String, fixedOffset: Int) {
        self.identifier = identifier
        near = SegmentTable(SegmentTableBuilder(firstOffset: fixedOffset).segments)
        rule = nil
        nearEnd = Int.max
        nearLastDay = Int.max
    }

    @inline(__always)
    func offset(at second: Int) -> Int {
        if second < nearEnd { return near.offset(at: second) }
        let table = extendedTable()
        return table.segments.offset(at: second - table.cycles(toSecond: second) * CalendarMath.secondsPerCycle)
    }

    /// The day (since 1970) of the second.
    @inline(__always)
    func day(at second: Int) -> Int {
        if second < nearEnd { return near.day(at: second) }
        let table = extendedTable()
        let cycles = table.cycles(toSecond: second)
        return table.segments.day(at: second - cycles * CalendarMath.secondsPerCycle)
            + cycles * CalendarMath.daysPerCycle
    }

    /// The first second of the day, or of the next day that exists.
    @inline(__always)
    func start(ofDay day: Int) -> Int {
        if day <= nearLastDay { return near.start(ofDay: day) }
        let table = extendedTable()
        let cycles = table.cycles(toDay: day)
        return table.segments.start(ofDay: day - cycles * CalendarMath.daysPerCycle)
            + cycles * CalendarMath.secondsPerCycle
    }

    /// The first second at which local time is, or has passed, the given local second.
    func firstSecond(local: Int) -> Int {
        if local < nearEnd.saturatingSubtract(ZoneFile.offsetMax) { return near.firstSecond(local: local) }
        let table = extendedTable()
        let cycles = table.cycles(toDay: CalendarMath.floorDivide(local, by: CalendarMath.secondsPerDay))
        let shift = cycles * CalendarMath.secondsPerCycle
        return table.segments.firstSecond(local: local - shift) + shift
    }

    private func extendedTable() -> ExtendedTable {
        if let table = extended.load() { return table }
        // Two tasks may both build it; one of the two equal tables stays.
        return extended.storeIfNil(ExtendedTable(near: near, nearEnd: nearEnd, rule: rule))
    }
}

extension Int {
    fileprivate func saturatingSubtract(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? Int.min : Int.max) : difference
    }
}
