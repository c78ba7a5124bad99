import Daybook
import FoundationEssentials
import Measuring

/// What the planner does once a day, with many tasks at once.
extension RequirementRun {
    private static let rounds = 5
    private static let rolloverLimit = MeasuredRow.Value.time(.milliseconds(200))

    /// Times rollovers of the same tasks on successive days, and their expiry: each is one transaction.
    func planner(at path: String) async throws -> [MeasuredRow] {
        // An hour earlier, when no other handle gives ids.
        let earlier = BenchStore.context(at: BenchStore.plannedMoment.advanced(bySeconds: -3600), seed: 7)
        let first = try DaybookStore.open(at: path, context: earlier)
        let expiry = BenchStore.plannedMoment.advanced(bySeconds: Int64(Self.rounds) * 86_400 + 3600)
        try await first.tasks.create(
            (0..<scale.carried).map { number in
                var task = NewTask("Task \(number) that comes along", on: first.context.today)
                // Half of them have places, of which some are capped.
                if number % 2 == 0 { task.region = TaskRegion.ordered[number / 2 % 4] }
                if number % 2 == 0, number < 40 { task.bucket = .misc }
                (task.autoCarry, task.expiresAt) = (true, expiry)
                return task
            })
        var slowest: Int64 = 0
        for round in 1...Self.rounds {
            let moment = BenchStore.plannedMoment.advanced(bySeconds: Int64(round) * 86_400)
            let daybook = try DaybookStore.open(at: path, context: BenchStore.context(at: moment))
            let elapsed = try await Stopwatch.nanosecondsAwaiting {
                guard try await daybook.tasks.rollOver().carried.count == scale.carried else {
                    throw TaskError.unexpected(type: "Rollover")
                }
            }
            slowest = max(slowest, elapsed)
        }
        let end = try DaybookStore.open(
            at: path, context: BenchStore.context(at: expiry.advanced(bySeconds: 1)))
        let archiving = try await Stopwatch.nanosecondsAwaiting { _ = try await end.tasks.archiveExpired() }
        return [
            MeasuredRow(
                "P-OP8", "slowest of \(Self.rounds) rollovers of \(scale.carried) tasks in one transaction",
                .time(slowest), limit: Self.rolloverLimit),
            MeasuredRow("P-OP9", "expiry of \(scale.carried) tasks in one transaction", .time(archiving)),
        ]
    }
}
