import Daybook

/// Asks a store in one zone for the Today view and the counts on both sides of the ends of the days.
struct ZoneStoreCheck {
    let days: ZoneDays
    let selection: ZoneDaySelection
    let content: ZoneStoreContent
    /// How many completions are before each start of ``days``.
    private let ranks: [Int]

    init(of days: ZoneDays, _ selection: ZoneDaySelection, content: ZoneStoreContent) {
        self.days = days
        self.selection = selection
        self.content = content
        ranks = days.starts.map(content.rank)
    }

    /// Opens the store for itself: with a clock of its own, in the zone.
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
            // Clock and zone are looked at anew for each view; only the store stands still.
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

    /// Each day of each month that one of the days is in.
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

    /// The counts of the moment, on both sides of the ends of the odd days and of the months.
    private func checkStatistics(
        of indices: [Int], _ clock: SettableClock, _ reading: TaskReading, into report: inout ZoneReport
    ) throws {
        // Where the last day of 1969 starts is not known.
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

    /// How many completions lie in a range of days, counted without the store.
    private func completions(on range: Range<Day>) -> Int {
        completions(before: range.upperBound) - completions(before: range.lowerBound)
    }

    private func completions(before day: Day) -> Int {
        // Nothing is asked about 1969 but the month that ends it, and before that nothing was completed.
        day < days.days[0] ? 0 : ranks[days.days.partitioningIndex { $0 >= day }]
    }
}
