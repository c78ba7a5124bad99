import Benchmark
import Daybook

/// The sum of a roll-up over a month and over five years, with ends within a quarter of an hour.
func measureRollUps() {
    for (name, days) in [("month", 30), ("five_years", 5 * 365 - 1)] {
        let range = Measurement.time(daysAgo: days).advanced(bySeconds: 100)..<BenchmarkFolder.now
        Benchmark(
            "Roll_up_sum_\(name)",
            closure: { benchmark, daybook throws in
                try daybook.read { transaction in
                    blackHole(try transaction[Measurement.counts].count(in: range))
                }
            }, setup: Measurement.store)
    }
}
