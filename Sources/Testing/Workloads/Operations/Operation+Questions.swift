import Daybook

extension Operation {
    /// The views and counts, as the library gives them: decoded and checked.
    static let questions: [Operation] = [
        question(
            "list-500", "fetch a list of 500", budget: .milliseconds(10),
            reads: .days(from: BenchStore.dayOfList, to: BenchStore.dayOfList.advanced(by: 1))
        ) { try $0.tasks.tasks(on: BenchStore.dayOfList).count },
        question("inbox-100", "Inbox, first 100", budget: .milliseconds(16), reads: .inbox(limit: 100)) {
            try $0.tasks.inbox(limit: 100).count
        },
        question(
            "today", "Today, 50 tasks", budget: .milliseconds(200),
            reads: .days(from: BenchStore.plannedDay, to: BenchStore.plannedDay.advanced(by: 1))
        ) { try $0.tasks.today().tasks.count },
        question(
            "upcoming", "Upcoming, 500 tasks", budget: .milliseconds(200),
            reads: .days(from: BenchStore.plannedDay.advanced(by: 1), to: .last)
        ) { try $0.tasks.upcoming().reduce(0) { $0 + $1.tasks.count } },
        question(
            "past-100", "Past, first 100", budget: .milliseconds(50),
            reads: .days(from: .first, to: BenchStore.plannedDay, limit: 100)
        ) { try $0.tasks.past(limit: 100).count },
        question("views", "switch between Today, Upcoming and Inbox", budget: .milliseconds(200), reads: nil) {
            let views = $0.tasks
            return try views.today().tasks.count + views.upcoming().count + views.inbox(limit: 100).count
        },
        question(
            "statistics", "statistics: today, week, month, trend", budget: .milliseconds(100), at: .historyEnd,
            reads: .oneCount
        ) {
            _ = try $0.tasks.statistics()
            return 1
        },
        question(
            "month-statistics", "statistics of a month, by day", budget: .milliseconds(300), at: .historyEnd,
            reads: .oneCount
        ) { try $0.tasks.statistics(of: BenchStore.lastMonth).days.count },
    ]

    private static func question(
        _ name: String, _ title: String, budget: Int64, at moment: Moment = .plannedDay, reads scan: RawScan?,
        _ question: @escaping @Sendable (ReadTransaction) throws -> Int
    ) -> Operation {
        Operation(
            name: name, title: title, budget: budget, floor: scan.map { .scan($0) } ?? .none, rounds: 400,
            isSteady: true, body: .question(at: moment, question))
    }
}

extension RawScan {
    /// The tasks of days, in the order of the views.
    fileprivate static func days(from first: Day, to end: Day, limit: Int = .max) -> RawScan {
        RawScan(index: "tasks.byDay", records: "tasks", start: key(of: first), end: key(of: end), limit: limit)
    }

    /// The Inbox, which comes before every day.
    fileprivate static func inbox(limit: Int) -> RawScan {
        RawScan(index: "tasks.byDay", records: "tasks", start: [0, 0, 0, 0], end: [0, 0, 0, 1], limit: limit)
    }

    /// One row of the roll-up of completions.
    fileprivate static let oneCount = RawScan(
        index: "completions.counts", records: nil, start: [0], end: [0xFF], limit: 1)

    /// A day as the keys of the views have it: 32 bits, big-endian, the sign turned (Documentation/Format.md).
    private static func key(of day: Day) -> [UInt8] {
        let bits = UInt32(bitPattern: day.daysSince1970) ^ (1 << 31)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}
