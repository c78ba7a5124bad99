import Daybook
import FoundationEssentials

/// Five years of somebody's tasks: working hours, weekends, bursts, several languages, long tails.
///
/// Everything comes from the seed and the moment at which the history ends, so the same two give the same tasks to the
/// byte. The tasks come in the order in which they were written down.
public struct History: Sequence, Sendable {
    /// How many tasks there are.
    public let taskCount: Int
    private let seed: UInt64
    private let end: Instant
    private let zone: Zone

    /// A history of so many tasks, that somebody in a zone kept until a moment.
    public init(taskCount: Int, seed: UInt64, endingAt end: Instant, in zone: Zone) {
        self.taskCount = Swift.max(taskCount, 0)
        self.seed = seed
        self.end = end
        self.zone = zone
    }

    /// The tasks, from the first.
    public func makeIterator() -> Iterator {
        Iterator(taskCount: taskCount, draws: SeededDraws(seed: seed), end: end, zone: zone)
    }

    /// Makes the tasks of one day at a time.
    public struct Iterator: IteratorProtocol {
        private let taskCount: Int
        private let draws: SeededDraws
        private let texts: HistoryTexts
        private let end: Instant
        private let zone: Zone
        private let weights: DayWeights
        private var offset = 0
        /// The moments of the tasks of one day, the latest first.
        private var moments: [Instant] = []

        init(taskCount: Int, draws: SeededDraws, end: Instant, zone: Zone) {
            self.taskCount = taskCount
            self.draws = draws
            self.texts = HistoryTexts(draws: draws)
            self.end = end
            self.zone = zone
            weights = DayWeights(endingOn: zone.day(of: end), draws: draws)
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
            return moments.popLast().map(task)
        }

        /// A moment of the day, not after the end of the history.
        private func moment(of day: Day) -> Instant {
            let isWeekend = day.weekday == .saturday || day.weekday == .sunday
            let hour = draws.index(weights: isWeekend ? Self.weekendHours : Self.workingHours)
            let second = hour * 3600 + draws.number(below: 3600)
            let moment = zone.instant(day: day, secondsIntoDay: second)
                .advanced(byMicroseconds: Int64(draws.number(below: 1_000_000)))
            guard moment > end else { return moment }
            let elapsed = Int(zone.start(of: day).microseconds(until: end))
            return end.advanced(byMicroseconds: -Int64(draws.number(below: Swift.max(elapsed, 1))))
        }

        private func task(writtenAt createdAt: Instant) -> ImportedTask {
            let day = zone.day(of: createdAt)
            let scheduled = plannedDay(from: day)
            let completedAt = completion(from: createdAt, planned: scheduled)
            var task = ImportedTask(
                id: identifier(at: createdAt), text: texts.text(), createdAt: createdAt,
                updatedAt: completedAt ?? createdAt, scheduledDate: scheduled)
            if let completedAt {
                task.set(
                    .completed, completedAt: completedAt, zone: zone.identifier,
                    offsetSeconds: Int32(clamping: zone.offsetSeconds(at: completedAt)))
            } else if draws.happens(60) {
                task.set(.active, completedAt: nil, zone: nil, offsetSeconds: nil)
            }
            if draws.happens(50) {
                let notes = texts.notes()
                task.edit { $0.notes = notes }
            }
            return task
        }

        /// Most tasks are for the same day or the next ones, a few for months ahead, some for no day.
        private func plannedDay(from day: Day) -> Day? {
            if draws.happens(120) { return nil }
            if draws.happens(450) { return day }
            return day.advanced(by: 1 + draws.longTail(scale: 3, doublings: 6))
        }

        /// Most tasks are done on the day they are planned for, some days or months later, some never.
        private func completion(from createdAt: Instant, planned: Day?) -> Instant? {
            if draws.happens(planned == nil ? 450 : 90) { return nil }
            if draws.happens(200) { return soon(after: createdAt) }
            let start = planned ?? zone.day(of: createdAt)
            let late = draws.happens(700) ? 0 : draws.longTail(scale: 2, doublings: 7)
            let day = start.advanced(by: late)
            guard day <= zone.day(of: end) else { return nil }
            let done = zone.instant(day: day, secondsIntoDay: (9 * 60 + draws.number(below: 10 * 60)) * 60)
                .advanced(byMicroseconds: Int64(draws.number(below: 60_000_000)))
            return done <= createdAt ? soon(after: createdAt) : done <= end ? done : nil
        }

        private func soon(after moment: Instant) -> Instant? {
            let done = moment.advanced(bySeconds: Int64(60 + draws.longTail(scale: 1200, doublings: 4)))
            return done <= end ? done : nil
        }

        /// A UUID of version 7 with the time of writing.
        private func identifier(at moment: Instant) -> UUID {
            let milliseconds = UInt64(Swift.max(0, moment.microsecondsSince1970 / 1000))
            let high = milliseconds << 16 | 0x7000 | draws.bits() & 0xFFF
            let low = draws.bits() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
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
