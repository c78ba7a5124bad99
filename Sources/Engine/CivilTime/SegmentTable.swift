import Synchronization

/// A zone's segments in the order of time, and the searches in them.
///
/// Both searches are the same: the last segment whose key (`start`, or `reached`) is not past what is sought. The one
/// found last is tried first, since questions come in clusters. Failing that, a row of stepping stones, one a year or so,
/// says between which few segments the answer lies, and a binary search finds it there.
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
        // From 1900 on, or from the first change after it: who asks about earlier times can wait for a longer search.
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
