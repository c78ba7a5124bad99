import Daybook
import FoundationEssentials
import KeyValue

/// A store that was to have a long log has none.
struct CommitLogMissing: Error, CustomStringConvertible {
    var description: String { "The store has no commit log yet. Open it with this version twice, and measure again." }
}

/// Stores as the kill of a process leaves them just before a checkpoint: with the longest commit log.
enum LongLog {
    /// Grows the log of a store and copies the store while it is open.
    ///
    /// - Returns: how many records the log has.
    /// - Throws: what opening and writing throw; `CommitLogMissing` for a store of an earlier version, which commits directly.
    @discardableResult
    static func leave(
        at killed: String, from path: String, context: Context, day: Day? = nil
    ) throws -> Int {
        var use = CommitLogUse(entering: .always)
        let pages = use.checkpointPages.upperBound
        (use.checkpointPages, use.growthLimit) = (pages...pages, 1 << 30)
        var options = StoreOptions()
        options.commitLog = use
        let store = try DaybookStore.open(at: path, context: context, options: options)
        defer { store.close() }
        var records = 0
        while true {
            try store.write { _ = try $0.tasks.create("Task \(records) of a long log", on: day) }
            guard let state = try CommitLogState(ofStore: path) else { throw CommitLogMissing() }
            records = state.recordCount
            // The next commit that merges the pending list of words into its index could begin the log anew.
            if records >= pages - 1 || state.logBytes > use.logLength - (1 << 17) { break }
        }
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        return records
    }
}
