import Benchmark
import Daybook

/// A range of an index of 500 entries: its keys alone, and with the records.
func measureRanges() {
    let lower = Measurement.time(daysAgo: 1000)
    let upper = lower.advanced(bySeconds: 500 * 75 * 60)
    Benchmark(
        "Index_500_keys",
        closure: { benchmark, daybook throws in
            try daybook.read { transaction in
                blackHole(try transaction[Measurement.byTime].count(from: lower, to: upper))
            }
        }, setup: Measurement.store)
    Benchmark(
        "Index_500_records",
        closure: { benchmark, daybook throws in
            try daybook.read { transaction in
                blackHole(try transaction[Measurement.byTime].range(from: lower, to: upper))
            }
        }, setup: Measurement.store)
}
