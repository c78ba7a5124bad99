import Benchmark

/// Measures small parts of Daybook, each in a separate process. `Scripts/micro` builds and runs it.
///
/// The results are not judged: on a busy machine, unchanged code differs by more than any threshold.
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
