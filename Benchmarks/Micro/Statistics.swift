import Benchmark
import Daybook
import Workloads

/// The completions of 10,000 tasks: all statistics, and a month by day.
func measureStatistics() {
    Benchmark(
        "Statistics_all",
        closure: { benchmark, daybook throws in blackHole(try daybook.tasks.statistics()) }, setup: historyStore)
    Benchmark(
        "Statistics_month_by_day",
        closure: { benchmark, daybook throws in
            blackHole(try daybook.tasks.statistics(of: BenchmarkFolder.now.utcDay.monthOfYear))
        }, setup: historyStore)
}

private func historyStore() async throws -> DaybookStore {
    let daybook = try BenchmarkFolder.open()
    try await daybook.generate(taskCount: 10_000, seed: 1)
    return daybook
}
