import Daybook

extension BudgetMeasurement {
    func measureReads(_ daybook: Daybook, into report: inout BudgetReport) throws {
        let longList = dayOfList
        let month = context.today.monthOfYear
        let reads: [(name: String, budget: Int64, read: (TaskReading) throws -> Void)] = [
            ("fetch a list of 500", .milliseconds(10), { _ = try $0.tasks(on: longList) }),
            ("Inbox", .milliseconds(200), { _ = try $0.inbox() }),
            ("Today", .milliseconds(200), { _ = try $0.today() }),
            ("Upcoming", .milliseconds(200), { _ = try $0.upcoming() }),
            ("Past, first 100", .milliseconds(200), { _ = try $0.past(limit: 100) }),
            ("statistics: today, week, month, trend", .milliseconds(100), { _ = try $0.statistics() }),
            ("statistics of a month, by day", .milliseconds(200), { _ = try $0.statistics(of: month) }),
        ]
        for (name, budget, read) in reads {
            var counters = OperationCounters()
            let timings = try timed(200) { _ in
                try daybook.read { transaction in
                    try read(transaction.taskViews)
                    counters = transaction.counters
                }
            }
            report.rows.append(
                BudgetRow(name: name, budget: budget, timings: timings, limit: .lookUp, counters: counters))
        }
        report.rows.append(try timeExport(daybook, taskCount: report.taskCount))
    }

    private func timeExport(_ daybook: Daybook, taskCount: Int) throws -> BudgetRow {
        let timings = try timed(5) { _ in try daybook.export(as: .json) { _ in } }
        return BudgetRow(
            name: "JSON export", budget: .milliseconds(2000) * Int64(max(taskCount / 1000, 1)), timings: timings,
            limit: .none, counters: OperationCounters())
    }
}
