import Benchmark
import Daybook

/// The day of an instant in a zone: by the zone's table, and by its rule beyond the table's ends.
func measureDays() {
    let moments: [(name: String, start: Int64)] = [
        ("winter", 1_770_739_200),  // 2026-02-10
        ("summer", 1_784_116_800),  // 2026-07-15
        ("after_2100", 4_118_040_000),  // 2100-06-30
        ("before_1970", -1_000_000_000),  // 1938-04-24
    ]
    for (name, start) in moments {
        Benchmark(
            "Day_of_instant_\(name)", configuration: .init(scalingFactor: .kilo),
            closure: { benchmark, zone in
                var instant = Instant(secondsSince1970: start)
                for _ in benchmark.scaledIterations {
                    blackHole(zone.day(of: instant))
                    instant = instant.advanced(bySeconds: 1009)
                }
            }, setup: { try Zone("Europe/Berlin") })
    }
}
