/// Counts what operations do to the disk and how much of the store they look at, by looking at every call and every page.
///
/// It records this process's calls for as long as it lives, so there is one at a time, and a store has to be opened after
/// it was made. Between two looks nothing else may use the store.
///
///     let counter = try DiskCounter(in: folder)
///     let daybook = try DaybookStore.open(at: folder + "/store", context: context)
///     let (task, counts) = try await counter.count { try await daybook.tasks.create("Review chapter 3") }
///     let (view, pages) = try await counter.countPagesRead(of: folder + "/store") { try daybook.tasks.today() }
package final class DiskCounter {
    private static let metaPageCount = 2

    private var reader = DiskCountsReader()

    /// Begins to record the calls on files at or below a folder that exists.
    package init(in folder: String) throws {
        try DiskLog.begin(folder: folder)
    }

    deinit {
        DiskLog.end()
    }

    /// What was done since the last time that it was asked, or since the beginning.
    package func countsSinceLast() throws -> DiskCounts {
        try reader.next()
    }

    /// What an operation does.
    package func count<Result>(_ operation: () async throws -> Result) async throws -> (Result, DiskCounts) {
        _ = try reader.next()
        let result = try await operation()
        return (result, try reader.next())
    }

    /// What an operation does that opens its stores itself.
    package static func count<Result>(
        in folder: String, _ operation: () async throws -> Result
    ) async throws -> (Result, DiskCounts) {
        let counter = try DiskCounter(in: folder)
        return try await counter.count(operation)
    }

    /// How many different pages of an open store's map an operation looks at, in LMDB's pages. Nil on systems where they
    /// cannot be told apart, since the system's own are larger.
    ///
    /// The two meta pages are not counted: every transaction looks at them, and the writer's thread does so once more at
    /// some time after it has acknowledged a write.
    package func countPagesRead<Result>(
        of store: String, _ operation: () async throws -> Result
    ) async throws -> (Result, Int?) {
        let file = "\(store)/\(DiskCountsReader.dataFileName)"
        let pageSize = try DataFileHead(of: file).pageSize
        guard try DiskLog.watchPages(of: file, pageSize: pageSize, from: Self.metaPageCount) else {
            return (try await operation(), nil)
        }
        let result: Result
        do {
            result = try await operation()
        } catch {
            _ = try? DiskLog.endWatchingPages()
            throw error
        }
        return (result, try DiskLog.endWatchingPages())
    }
}
