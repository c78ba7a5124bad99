import Benchmark
import Daybook

/// Encodes and decodes the 29-byte key of an index entry.
func measureKeys() {
    Benchmark(
        "Key_encode", configuration: .init(scalingFactor: .kilo),
        closure: { benchmark, key in
            for _ in benchmark.scaledIterations {
                var bytes = KeyBytes()
                key.encode(into: &bytes)
                blackHole(bytes)
            }
        }, setup: sampleKey)
    Benchmark(
        "Key_decode", configuration: .init(scalingFactor: .kilo),
        closure: { benchmark, stored throws in blackHole(try stored.decoded(benchmark.scaledIterations.count)) },
        setup: { StoredRecord(KeyOnly(id: try sampleKey())) })
}

private func sampleKey() throws -> ViewKey {
    let task = try SampleTask.make()
    return ViewKey(day: task.scheduledDate ?? .first, rank: 2, position: task.position, id: task.id)
}
