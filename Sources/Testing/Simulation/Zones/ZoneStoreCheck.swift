import Daybook

/// Compares the Today view and the counts of a store in one zone on both sides of the ends of days.
struct ZoneStoreCheck {
    let days: ZoneDays
    let selection: ZoneDaySelection
    let content: ZoneStoreContent
    /// The number of completions before each start of ``days``.
    private let ranks: [Int]

    init(of days: ZoneDays, _ selection: ZoneDaySelection, content: ZoneStoreContent) {
        self.days = days
        self.selection = selection
        self.content = content
        ranks = days.starts.map(content.rank)
    }

    /// Opens the store with a separate clock in the zone, and compares.
    func run(in folder: String) -> ZoneReport {
        var report = ZoneReport()
        report.distinctZones = 1
        let zone = days.zone
        let clock = SettableClock(days.starts[0])
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 0), currentZone: { zone }, weekStart: .monday)
        do {
            let daybook = try DaybookStore.open(
                at: folder, context: context, options: StoreOptions(createIfMissing: false))
            let indices = selection.indices(in: days)
            // Clock and zone are read anew for each view, within one read transaction.
            try daybook.tasks.read { reading in
                for index in indices {
                    clock.setWall(days.starts[index].advanced(byMicroseconds: -1))
                    try checkToday(days.day(before: index), until: days.starts[index], reading, into: &report)
                    clock.setWall(days.starts[index])
                    try checkToday(days.days[index], until: days.starts[index + 1], reading, into: &report)
                }
                try checkMonths(of: indices, reading, into: &report)
                try checkStatistics(of: indices, clock, reading, into: &report)
            }
        } catch {
            report.add(ZoneFinding(zone: zone.identifier, day: nil, what: .store, "no error", "\(error)"))
        }
        return report
    }

    private func checkToday(_ day: Day, until end: Instant, _ reading: TaskReading, into report: inout ZoneReport)
        throws
    {
        let view = try reading.today()
        report.views += 1
        report.expect(.today, day, view.day, zone: days.zone, day: day)
        report.expect(.todayEnd, end, view.validUntil, zone: days.zone, day: day)
        if view.tasks.count == 1, view.tasks[0].id == ZoneStoreContent.id(of: day) { return }
        report.expect(.todayTasks, day.description, view.map(\.text).joined(separator: " "), zone: days.zone, day: day)
    }

    /// Compares each day of each month that contains a selected day.
    private func checkMonths(of indices: [Int], _ reading: TaskReading, into report: inout ZoneReport) throws {
        var last: Month?
        for index in indices {
            let month = days.days[index].monthOfYear
            guard month != last else { continue }
            last = month
            let statistics = try reading.statistics(of: month)
            report.counts += statistics.days.count + 1
            for count in statistics.days {
                let expected = completions(on: count.day..<count.day.advanced(by: 1))
                report.expect(.dayTotal, expected, count.completed, zone: days.zone, day: count.day)
            }
            guard let previous = month.previous else { continue }
            report.expect(
                .previousMonthTotal, completions(on: previous.days), statistics.previousMonth, zone: days.zone,
                day: month.days.lowerBound)
        }
    }

    /// Compares the current counts on both sides of the ends of irregular days and of months.
    private func checkStatistics(
        of indices: [Int], _ clock: SettableClock, _ reading: TaskReading, into report: inout ZoneReport
    ) throws {
        // The start of the last day of 1969 is unknown.
        for index in indices where index > 0 {
            guard days.isOdd(index) || days.isOdd(index - 1) || days.days[index].day == 1 else { continue }
            for (instant, day) in [
                (days.starts[index].advanced(byMicroseconds: -1), days.day(before: index)),
                (days.starts[index], days.days[index]),
            ] {
                clock.setWall(instant)
                let statistics = try reading.statistics()
                let found = [statistics.today, statistics.week, statistics.month, statistics.lastMonth]
                let month = day.monthOfYear
                let expected = [
                    completions(on: day..<day.advanced(by: 1)), completions(on: day.week(startingOn: .monday)),
                    completions(on: month.days), completions(on: month.previous?.days ?? day..<day),
                ]
                report.counts += found.count
                report.expect(.statistics, expected, found, zone: days.zone, day: day)
            }
        }
    }

    /// Counts the completions in a range of days without the store.
    private func completions(on range: Range<Day>) -> Int {
        completions(before: range.upperBound) - completions(before: range.lowerBound)
    }

    private func completions(before day: Day) -> Int {
        // Nothing was completed before December 1969.
        day < days.days[0] ? 0 : ranks[days.days.partitioningIndex { $0 >= day }]
    }
}

/// The content of the store: a task on each selected day, and completions on both sides of the ends of days.
struct ZoneStoreContent {
    /// The days with a task, in order.
    let days: [Day]
    /// The times of completions, sorted; all within two days of the range from 1970 to 2037.
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

    /// Returns the number of completions before an instant.
    func rank(of instant: Instant) -> Int {
        completions.partitioningIndex { $0 >= instant }
    }

    /// Returns the id of a day's task.
    static func id(of day: Day) -> UUID { id(kind: 1, number: UInt32(bitPattern: day.daysSince1970)) }

    /// Writes the content, ten thousand completions a transaction. The completions belong to deleted tasks, which count
    /// like any other and are the cheapest to write.
    func write(to daybook: DaybookStore, progress: (Int) -> Void) throws {
        try daybook.write { transaction in
            for day in days {
                // Imported, since creating tasks in the past is refused.
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

    /// Returns a version 7 id that only encodes a kind and a number.
    private static func id(kind: UInt8, number: UInt32) -> UUID {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return UUID(uuid: (0, kind, bytes[0], bytes[1], bytes[2], bytes[3], 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
    }
}
