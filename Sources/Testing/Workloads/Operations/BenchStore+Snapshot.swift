import Daybook
import FoundationEssentials

extension BenchStore {
    private var snapshotPath: String { path + SnapshotFile.suffix }
    private var restoredPath: String { path + "-restored" }

    /// Writes a snapshot beside the store's folder, in place of the last one, and tells its bytes.
    @discardableResult
    public func snapshot() throws -> Int {
        try daybook.archive.snapshot(to: snapshotPath, options: SnapshotOptions(overwrite: true)).bytes
    }

    /// Makes a store of that snapshot beside it, where none is.
    func restoreSnapshot() throws {
        try DaybookStore.restore(snapshotPath, to: restoredPath, context: Self.context(at: Self.plannedMoment))
    }

    /// Takes the last one away.
    func removeRestored() throws {
        guard FileManager.default.fileExists(atPath: restoredPath) else { return }
        try FileManager.default.removeItem(atPath: restoredPath)
    }
}
