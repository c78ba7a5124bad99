import Daybook
import FoundationEssentials
import LabSupport

/// Five years of a user's tasks: working hours, weekends, bursts, several languages, long tails.
///
/// Everything follows from the seed and the end of the history, so equal ones generate equal tasks. Tasks are in order
/// of creation.
public struct History: Sequence, Sendable {
    /// The number of tasks.
    public let taskCount: Int
    private let seed: UInt64
    private let end: Instant
    private let zone: Zone

    /// Creates a history of a user in a zone that ends at an instant.
    public init(taskCount: Int, seed: UInt64, endingAt end: Instant, in zone: Zone) {
        self.taskCount = Swift.max(taskCount, 0)
        self.seed = seed
        self.end = end
        self.zone = zone
    }

    /// Returns an iterator over the tasks.
    public func makeIterator() -> Iterator {
        Iterator(taskCount: taskCount, generator: SeededGenerator(seed: seed), end: end, zone: zone)
    }

    /// Generates the tasks of one day at a time.
    public struct Iterator: IteratorProtocol {
        private let taskCount: Int
        private var generator: SeededGenerator
        private let end: Instant
        private let zone: Zone
        private let weights: DayWeights
        private var offset = 0
        /// The creation times of one day's tasks, the latest first.
        private var moments: [Instant] = []

        init(taskCount: Int, generator: SeededGenerator, end: Instant, zone: Zone) {
            var generator = generator
            self.taskCount = taskCount
            self.end = end
            self.zone = zone
            weights = DayWeights(endingOn: zone.day(of: end), using: &generator)
            self.generator = generator
        }

        /// The next task, nil after the last.
        public mutating func next() -> ImportedTask? {
            while moments.isEmpty {
                guard offset < weights.dayCount else { return nil }
                let count = weights.tasks(of: offset, total: taskCount).count
                let day = weights.first.advanced(by: offset)
                moments = (0..<count).map { _ in moment(of: day) }.sorted(by: >)
                offset += 1
            }
            guard let moment = moments.popLast() else { return nil }
            return task(writtenAt: moment)
        }

        /// Returns a time of the day, not after the end of the history.
        private mutating func moment(of day: Day) -> Instant {
            let isWeekend = day.weekday == .saturday || day.weekday == .sunday
            let hour = generator.index(weights: isWeekend ? Self.weekendHours : Self.workingHours)
            let second = hour * 3600 + generator.number(below: 3600)
            let moment = zone.instant(day: day, secondsIntoDay: second)
                .advanced(byMicroseconds: Int64(generator.number(below: 1_000_000)))
            guard moment > end else { return moment }
            let elapsed = Int(zone.start(of: day).microseconds(until: end))
            return end.advanced(byMicroseconds: -Int64(generator.number(below: Swift.max(elapsed, 1))))
        }

        private mutating func task(writtenAt createdAt: Instant) -> ImportedTask {
            let day = zone.day(of: createdAt)
            let scheduled = plannedDay(from: day)
            let completedAt = completion(from: createdAt, planned: scheduled)
            var task = ImportedTask(
                id: identifier(at: createdAt), text: HistoryTexts.text(using: &generator), createdAt: createdAt,
                updatedAt: completedAt ?? createdAt, scheduledDate: scheduled)
            if let completedAt {
                task.state = .completed
                task.completedAt = completedAt
                task.completedZone = zone.identifier
                task.completedOffsetSeconds = Int32(clamping: zone.offsetSeconds(at: completedAt))
            } else if generator.chance(perMille: 60) {
                task.state = .active
            }
            if generator.chance(perMille: 50) { task.notes = HistoryTexts.notes(using: &generator) }
            return task
        }

        /// Most tasks are for the same day or the next ones, some for months ahead, some for no day.
        private mutating func plannedDay(from day: Day) -> Day? {
            if generator.chance(perMille: 120) { return nil }
            if generator.chance(perMille: 450) { return day }
            return day.advanced(by: 1 + generator.longTail(scale: 3, doublings: 6))
        }

        /// Most tasks are completed on their day, some days or months later, some never.
        private mutating func completion(from createdAt: Instant, planned: Day?) -> Instant? {
            if generator.chance(perMille: planned == nil ? 450 : 90) { return nil }
            if generator.chance(perMille: 200) { return soon(after: createdAt) }
            let start = planned ?? zone.day(of: createdAt)
            let late = generator.chance(perMille: 700) ? 0 : generator.longTail(scale: 2, doublings: 7)
            let day = start.advanced(by: late)
            guard day <= zone.day(of: end) else { return nil }
            let done = zone.instant(day: day, secondsIntoDay: (9 * 60 + generator.number(below: 10 * 60)) * 60)
                .advanced(byMicroseconds: Int64(generator.number(below: 60_000_000)))
            return done <= createdAt ? soon(after: createdAt) : done <= end ? done : nil
        }

        private mutating func soon(after moment: Instant) -> Instant? {
            let done = moment.advanced(bySeconds: Int64(60 + generator.longTail(scale: 1200, doublings: 4)))
            return done <= end ? done : nil
        }

        /// Returns a version 7 UUID with the time of creation.
        private mutating func identifier(at moment: Instant) -> UUID {
            let milliseconds = UInt64(Swift.max(0, moment.microsecondsSince1970 / 1000))
            let high = milliseconds << 16 | 0x7000 | generator.next() & 0xFFF
            let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            return UUID(high: high, low: low)
        }

        private static let workingHours = [
            2, 1, 1, 0, 0, 1, 4, 15, 45, 100, 110, 95, 45, 70, 100, 90, 75, 50, 25, 18, 20, 18, 10, 5,
        ]
        private static let weekendHours = [
            4, 2, 1, 1, 0, 1, 2, 5, 12, 25, 40, 45, 40, 30, 30, 30, 30, 28, 25, 25, 30, 28, 18, 9,
        ]
    }
}

extension Instant {
    fileprivate func microseconds(until later: Instant) -> Int64 {
        later.microsecondsSince1970 - microsecondsSince1970
    }
}

/// The distribution of tasks over the days of a history: few on weekends and holidays, occasional bursts, and slow
/// growth over the years.
struct DayWeights {
    /// The number of years before the last day.
    static let years = 5

    let first: Day
    /// Cumulative weights of the days.
    private let sums: [Int]

    init(endingOn last: Day, using generator: inout SeededGenerator) {
        first = last.adding(months: -12 * Self.years).advanced(by: 1)
        var sums: [Int] = []
        var sum = 0
        for offset in 0...max(first.distance(to: last), 0) {
            let day = first.advanced(by: offset)
            // Activity doubles in about five years.
            var weight = Self.weight(of: day) * (2000 + offset) / 2000
            if generator.chance(perMille: 35) { weight *= 3 + generator.longTail(scale: 2, doublings: 3) }
            if generator.chance(perMille: 40) { weight /= 8 }
            sum += max(weight, 1)
            sums.append(sum)
        }
        self.sums = sums
    }

    var dayCount: Int { sums.count }

    /// Returns the range of a day's tasks; the ranges of all days cover exactly the total.
    func tasks(of offset: Int, total: Int) -> Range<Int> {
        let share = { (sum: Int) in total * sum / max(sums.last ?? 1, 1) }
        return share(offset == 0 ? 0 : sums[offset - 1])..<share(sums[offset])
    }

    private static func weight(of day: Day) -> Int {
        let weekly =
            switch day.weekday {
            case .monday: 1300
            case .tuesday, .wednesday: 1100
            case .thursday: 1000
            case .friday: 800
            case .saturday: 300
            case .sunday: 200
            }
        let month = day.month
        if month == 12, day.day >= 23 { return weekly / 4 }
        if month == 1, day.day <= 2 { return weekly / 4 }
        return month == 8 ? weekly * 2 / 3 : weekly
    }
}
