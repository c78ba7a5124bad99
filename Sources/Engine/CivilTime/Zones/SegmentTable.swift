import Synchronization

/// A zone's segments in the order of time, and the searches in them.
///
/// Both searches are the same: the last segment whose key (`start`, or `reached`) is not past what is sought. The one
/// found last is tried first, since questions come in clusters. Failing that, a row of stepping stones, one a year or
/// so, narrows the answer down to a few segments, and a binary search finds it there.
final class SegmentTable: Sendable {
    /// The segments, with one more at the end that nothing reaches, so that a segment always has a next one.
    private let segments: [Segment]
    private let lastFound = Atomic<Int>(0)
    /// For every 2^25 seconds (388 days) from `stonesStart` on: the segment that holds that second.
    private let stones: [Int32]
    private let stonesStart: Int

    private static let stoneShift = 25
    private static let stonesMax = 1_000

    /// The earliest start: before every instant, and far enough from the end of `Int` for sums with offsets.
    static let beginning = -(1 << 60)
    private static let end = 1 << 60

    init(_ segments: [Segment]) {
        self.segments = segments + [Segment(start: SegmentTable.end, offset: 0, reached: Int32.max)]
        // From 1900 on, or from the first change after it; earlier times take a longer search.
        let changes = segments.dropFirst().map(\.start)
        let year1900 = -2_208_988_800
        stonesStart = changes.first { $0 >= year1900 } ?? year1900
        let span = max(0, (changes.last ?? stonesStart) - stonesStart)
        let count = min(span >> SegmentTable.stoneShift, SegmentTable.stonesMax) + 1
        var stones: [Int32] = []
        var index = 0
        for stone in 0..<count {
            let second = stonesStart + stone << SegmentTable.stoneShift
            while index + 1 < segments.count, segments[index + 1].start <= second { index += 1 }
            stones.append(Int32(clamping: index))
        }
        self.stones = stones
    }

    /// The segments without the last, which nothing reaches.
    var elements: ArraySlice<Segment> { segments.dropLast() }

    func offset(at second: Int) -> Int {
        Int(segments[index(at: second)].offset)
    }

    func day(at second: Int) -> Int {
        segments[index(at: second)].day(at: second)
    }

    /// The first second of the day, or of the next day that exists.
    func start(ofDay day: Int) -> Int {
        let segment = segments[index(reaching: day)]
        return max(segment.start, day * CalendarMath.secondsPerDay - Int(segment.offset))
    }

    /// The first second at which local time is, or has passed, `local` (seconds since 1970-01-01T00:00 local).
    func firstSecond(local: Int) -> Int {
        // No zone is as far from UTC as this, so local time is still before `local` there.
        var index = index(at: local - ZoneFile.offsetMax)
        while segments[index + 1].start + Int(segments[index].offset) <= local { index += 1 }
        return max(segments[index].start, local - Int(segments[index].offset))
    }

    private func index(at second: Int) -> Int {
        let hint = lastFound.load(ordering: .relaxed)
        if segments[hint].start <= second, second < segments[hint + 1].start { return hint }
        let stone = stone(before: second)
        return search(from: first(stone), through: first(stone + 1)) { $0.start <= second }
    }

    /// The segment in which the day begins: the last one before which it had not begun.
    private func index(reaching day: Int) -> Int {
        let hint = lastFound.load(ordering: .relaxed)
        if segments[hint].reached < day, day <= segments[hint + 1].reached { return hint }
        // The zone is within these hours of UTC, so the day has not begun at the first and has at the second.
        let midnight = day * CalendarMath.secondsPerDay
        let low = first(stone(before: midnight - ZoneFile.offsetMax))
        let high = first(stone(before: midnight + ZoneFile.offsetMax) + 1)
        return search(from: low, through: high) { $0.reached < day }
    }

    /// The number of the stone at or before the second: -1 before the first one.
    @inline(__always)
    private func stone(before second: Int) -> Int {
        min(max((second - stonesStart) >> SegmentTable.stoneShift, -1), stones.count - 1)
    }

    /// The segment at the stone; the first or last of all where there is no such stone.
    @inline(__always)
    private func first(_ stone: Int) -> Int {
        if stone < 0 { return 0 }
        return stone < stones.count ? Int(stones[stone]) : segments.count - 2
    }

    /// The last segment, of those from `low` to `high`, for which the condition holds; it holds for the first of them
    /// and up to some segment, and not after it.
    @inline(__always)
    private func search(from low: Int, through high: Int, _ holds: (Segment) -> Bool) -> Int {
        var low = low
        var count = high - low + 1
        while count > 1 {
            let half = count / 2
            // A conditional move rather than a branch: half of the branches would be guessed wrong.
            low = holds(segments[low + half]) ? low + half : low
            count -= half
        }
        lastFound.store(low, ordering: .relaxed)
        return low
    }
}

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

/// Puts segments together from transitions in ascending order, merging those that do not change the offset.
struct SegmentTableBuilder {
    private(set) var segments: [Segment]

    init(firstOffset: Int) {
        segments = [
            Segment(start: SegmentTable.beginning, offset: Int32(clamping: firstOffset), reached: Int32.min)
        ]
    }

    init(continuing segments: some Sequence<Segment>) {
        self.segments = Array(segments)
    }

    mutating func append(start: Int, offset: Int) {
        guard let last = segments.last, Int(last.offset) != offset else { return }
        if last.start == start {
            // Two transitions at once: only the later one lasts.
            segments[segments.count - 1].offset = Int32(clamping: offset)
        } else {
            segments.append(
                Segment(start: start, offset: Int32(clamping: offset), reached: last.reached(by: start)))
        }
    }
}

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
        // One year for the transition from the last known offset, then the cycle, then a year beyond its end.
        let years = (year - 1)...(year + CalendarMath.yearsPerCycle + 4)
        for transition in rule?.transitions(years: years) ?? [] where transition.second > nearEnd {
            builder.append(start: transition.second, offset: transition.offset)
        }
        segments = SegmentTable(builder.segments)
        cycleStartDay = CalendarMath.days(year: year + 2, month: 1, day: 1)
    }

    /// How many full cycles to subtract from the second, to be within the table.
    @inline(__always)
    func cycles(toSecond second: Int) -> Int {
        let start = cycleStartDay * CalendarMath.secondsPerDay
        return second < start ? 0 : (second - start) / CalendarMath.secondsPerCycle
    }

    /// How many full cycles to subtract from the day, to be within the table.
    @inline(__always)
    func cycles(toDay day: Int) -> Int {
        // Three days later than for seconds: by then the first cycle has begun in every zone.
        let start = cycleStartDay + 3
        return day < start ? 0 : (day - start) / CalendarMath.daysPerCycle
    }
}
