import Benchmark
import Daybook
import Workloads

/// Reads and writes the JSON of 1,000 tasks in memory.
func measureFiles() {
    Benchmark(
        "JSON_read_1000_tasks",
        closure: { benchmark, bytes throws in
            blackHole(try TaskReader.read(bytes, format: .json, zone: .utc))
        }, setup: exportedHistory)
    Benchmark(
        "JSON_write_1000_tasks",
        closure: { benchmark, tasks throws in blackHole(try json(of: tasks)) },
        setup: { try TaskReader.read(await exportedHistory(), format: .json, zone: .utc).tasks })
}

private func exportedHistory() async throws -> [UInt8] {
    let daybook = try BenchmarkFolder.open()
    try await daybook.generate(taskCount: 1000, seed: 1)
    let output = Output()
    try daybook.files.export(as: .json) { output.bytes += $0 }
    return output.bytes
}

private func json(of tasks: [ImportedTask]) throws -> [UInt8] {
    let output = Output()
    var writer = TaskWriter(format: .json, exportDate: BenchmarkFolder.now) { output.bytes += $0 }
    for task in tasks { try writer.append(task) }
    try writer.finish()
    return output.bytes
}

/// Collects the chunks of a writer.
private final class Output {
    var bytes: [UInt8] = []
}
