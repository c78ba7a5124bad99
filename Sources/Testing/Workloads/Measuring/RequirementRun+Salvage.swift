import Daybook
import FoundationEssentials
import Glibc
import Measuring

extension RequirementRun {
    /// How long a salvage takes for each 100 MB of a store without its first pages.
    func salvage() async throws -> [MeasuredRow] {
        let (damaged, target) = ("\(folder)/requirements-damaged", "\(folder)/requirements-salvaged")
        try await BenchStore.make(at: damaged, .history(taskCount: taskCount, seed: 1))
        let file = "\(damaged)/data.mdb"
        let size = try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped).count
        let descriptor = open(file, O_WRONLY | O_CLOEXEC)
        let zeros = [UInt8](repeating: 0, count: 8192)
        guard pwrite(descriptor, zeros, zeros.count, 0) == zeros.count, close(descriptor) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
        defer {
            for path in [damaged, target] { try? FileManager.default.removeItem(atPath: path) }
        }
        var report: SalvageReport?
        let time = try Stopwatch.nanoseconds {
            report = try StoreFiles.salvage(URL(fileURLWithPath: damaged), to: URL(fileURLWithPath: target))
        }
        let missing = report?.missing ?? 0
        return [
            MeasuredRow(
                "salvage",
                "time of a salvage of \(report?.records ?? 0) records for each 100 MB of \(size / 1_000_000) MB",
                .time(Int64(Double(time) * 1e8 / Double(size))), limit: .time(1_000_000_000)),
            MeasuredRow(
                "salvage", "records that a salvage without the first two pages misses", .ratio(Double(missing)),
                limit: .ratio(0)),
        ]
    }
}
