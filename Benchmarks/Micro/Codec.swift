import Benchmark
import Daybook
import Workloads

/// Encodes and decodes the fields of a task, as every write and every view does.
func measureCodec() {
    Benchmark(
        "Task_encode", configuration: .init(scalingFactor: .kilo),
        closure: { benchmark, task in
            for _ in benchmark.scaledIterations { blackHole(RecordCodec.encode(task)) }
        }, setup: SampleTask.make)
    Benchmark(
        "Task_decode", configuration: .init(scalingFactor: .kilo),
        closure: { benchmark, stored throws in blackHole(try stored.decoded(benchmark.scaledIterations.count)) },
        setup: { StoredRecord(try SampleTask.make()) })
}
