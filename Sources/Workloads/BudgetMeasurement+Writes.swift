import Daybook
import FoundationEssentials

extension BudgetMeasurement {
    func measureWrites(
        _ daybook: Daybook, _ today: [UUID], _ list: [UUID], into report: inout BudgetReport
    ) async throws {
        let tasks = daybook.tasks
        let day = context.today
        report.rows.append(
            try await timeWrites(daybook, "create a task", budget: .milliseconds(50)) { round in
                try await tasks.create("Task \(round), written down in a hurry", on: day)
            })
        report.rows.append(
            try await timeWrites(daybook, "change a task's state", budget: .milliseconds(50)) { round in
                try await tasks.cycle(today[round % today.count])
            })
        report.rows.append(
            try await timeWrites(daybook, "move a task in a list of 500", budget: .milliseconds(50)) { round in
                try await tasks.reorder(list[round % list.count], to: .before(list[(round * 7 + 250) % list.count]))
            })
        report.rows.append(
            try await timeWrites(daybook, "schedule a task", budget: .milliseconds(100)) { round in
                try await tasks.schedule(
                    today[round % today.count], on: round / today.count % 2 == 0 ? .tomorrow : .today)
            })
    }

    private func timeWrites(
        _ daybook: Daybook, _ name: String, budget: Int64, _ operation: (Int) async throws -> Void
    ) async throws -> BudgetRow {
        let clock = ContinuousClock()
        var nanoseconds: [Int64] = []
        var counters: [OperationCounters] = []
        for round in 0..<(200 + Self.warmUp) {
            let elapsed = try await clock.measure { try await operation(round) }
            guard round >= Self.warmUp else { continue }
            nanoseconds.append(elapsed.nanoseconds)
            counters.append(daybook.lastWriteCounters)
        }
        let sorted = counters.sorted { ($0.puts, $0.gets) < ($1.puts, $1.gets) }
        return BudgetRow(
            name: name, budget: budget, timings: Timings(nanoseconds), limit: .flush,
            counters: sorted[sorted.count / 2])
    }
}
