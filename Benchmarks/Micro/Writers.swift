import Benchmark
import Daybook

/// Durable creates: one writer, and 64 at once, which share flushes.
func measureWriters() {
    Benchmark(
        "Create_by_one_writer",
        closure: { benchmark, daybook async throws in
            blackHole(try await daybook.tasks.create("Review chapter 3 of the thesis before the meeting"))
        }, setup: { try BenchmarkFolder.open() })
    Benchmark(
        "Create_by_64_writers_together",
        closure: { benchmark, daybook async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<64 {
                    group.addTask { try await daybook.tasks.create("Review chapter \(writer) of the thesis") }
                }
                try await group.waitForAll()
            }
        }, setup: { try BenchmarkFolder.open() })
}
