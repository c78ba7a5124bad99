import Benchmark

/// The small parts of Daybook by themselves, each in a process of its own. `Scripts/micro` builds and runs them.
///
/// They measure and decide nothing: on a machine with other work, unchanged code differs by more than any threshold.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration.metrics = [.wallClock, .instructions, .throughput]
    Benchmark.defaultConfiguration.maxDuration = .seconds(3)
    Benchmark.defaultConfiguration.maxIterations = 100_000
    Benchmark.teardown = { try BenchmarkFolder.remove() }
    measureCodec()
    measureKeys()
    measureDays()
    measureRanges()
    measureRollUps()
    measureStatistics()
    measureWriters()
    measureFiles()
}
