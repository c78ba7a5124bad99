import Daybook

/// What the store of the check holds: a task on each day that is asked for, and completions on both sides of the ends
/// of the days.
struct ZoneStoreContent {
    /// The days with a task, in order.
    let days: [Day]
    /// When something was completed, in order. All of it lies within two days of the days from 1970 to 2037.
    let completions: [Instant]

    init(for zones: [ZoneDays], _ selection: ZoneDaySelection) {
        var days: Set<Day> = []
        var boundaries: Set<Instant> = []
        for zone in zones {
            for index in selection.indices(in: zone) {
                days.insert(zone.days[index])
                days.insert(zone.day(before: index))
                boundaries.insert(zone.starts[index])
                boundaries.insert(zone.starts[index + 1])
            }
        }
        self.days = days.sorted()
        completions = boundaries.sorted().flatMap { [$0.advanced(byMicroseconds: -1), $0] }
    }

    /// How many completions are before an instant.
    func rank(of instant: Instant) -> Int {
        completions.partitioningIndex { $0 >= instant }
    }

    /// The id of the task of a day.
    static func id(of day: Day) -> UUID { id(kind: 1, number: UInt32(bitPattern: day.daysSince1970)) }

    /// Writes all of it, ten thousand completions a transaction. The completions are those of deleted tasks, which are counted
    /// as any others and are the cheapest to write.
    func write(to daybook: DaybookStore, progress: (Int) -> Void) throws {
        try daybook.write { transaction in
            for day in days {
                // Brought in, not created: nobody may plan for the past.
                let instant = Instant(secondsSince1970: 0)
                try transaction.tasks.merge(
                    ImportedTask(
                        id: Self.id(of: day), text: day.description, createdAt: instant, updatedAt: instant,
                        scheduledDate: day))
            }
        }
        for start in stride(from: 0, to: completions.count, by: Self.batch) {
            let end = min(start + Self.batch, completions.count)
            try daybook.write { transaction in
                for number in start..<end {
                    try transaction.tasks.merge(
                        Tombstone(
                            id: Self.id(kind: 2, number: UInt32(number)), deletedAt: completions[number],
                            completedAt: completions[number], completedZone: nil, completedOffsetSeconds: nil))
                }
            }
            progress(end)
        }
    }

    private static let batch = 10_000

    /// An id of version 7 that tells nothing but its kind and number.
    private static func id(kind: UInt8, number: UInt32) -> UUID {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return UUID(uuid: (0, kind, bytes[0], bytes[1], bytes[2], bytes[3], 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
    }
}
