import Daybook
import FoundationEssentials

/// The folder of the measured stores, in `$TMPDIR` or `/tmp`, separate for each process.
enum BenchmarkFolder {
    /// The moment at which every history ends and every store is read.
    static let now = Instant(secondsSince1970: 1_770_739_200)  // 2026-02-10T16:00:00Z

    private static var path: String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        return "\(parent)/daybook-micro-\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Opens a new store, after removing an earlier one.
    static func open(records: Schema = Schema()) throws -> DaybookStore {
        try remove()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let zone = try Zone("Europe/Berlin")
        let context = Context(
            clock: SettableClock(now), random: SeededRandomSource(seed: 1), currentZone: { zone }, weekStart: .monday)
        return try DaybookStore.open(at: path + "/store", context: context, records: records)
    }

    /// Removes the store if it exists.
    static func remove() throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}
