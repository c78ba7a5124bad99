import CLMDB
import Threading

/// A store that is being filled and is not in use yet: nothing is flushed before `finish`, and a crash leaves an
/// unusable folder. It is much faster than a store. Until it is finished, its folder must not be opened.
///
/// Used from one thread at a time, the page check excepted. It is not registered as an open environment and has no lock file.
package final class DraftEnvironment {
    /// The folder.
    package let path: String
    private let folder: StoreFolder
    private let handle: EnvironmentHandle
    private var isClosed = false

    /// Creates the folder, with files beside LMDB's own.
    ///
    /// - Throws: `notAStore` when there is something at the path already.
    package init(
        at path: String, files: [String: [UInt8]],
        configuration: EnvironmentConfiguration = EnvironmentConfiguration()
    ) throws(KeyValueError) {
        self.path = path
        folder = StoreFolder(path: path)
        handle = try folder.createDraft(files: files, configuration: configuration)
    }

    deinit {
        if !isClosed { abandon() }
    }

    /// Opens tables by name, creating those that are missing.
    package func openTables(_ names: [String]) throws(KeyValueError) -> [Table] {
        try handle.openTables(names)
    }

    /// Changes the draft in one transaction, which is not flushed. The closure runs again when the map had to grow.
    package func write<Result>(_ body: (borrowing RawWriteTransaction) throws -> Result) throws -> Result {
        while true {
            handle.growAheadOfNeed()
            let state = try handle.beginWrite()
            do {
                let result = try body(RawWriteTransaction(state))
                if let failure = state.failure { throw failure }
                try handle.check(handle.commit(state), "write")
                return result
            } catch let error as KeyValueError where error == .mapFull {
                handle.abort(state)
                guard handle.makeRoomAfterOverflow() else { throw error }
            } catch {
                handle.abort(state)
                throw error
            }
        }
    }

    /// The number of the last transaction.
    var lastTransaction: UInt64 { handle.statistics.lastTransaction }

    /// Flushes what was written so far, so that little is left to flush at the end.
    func flush() throws(KeyValueError) {
        try handle.flush()
    }

    /// Returns the pages of the file that this process has looked at to the system. Between transactions only.
    package func releasePages() {
        handle.releasePages()
    }

    /// Reads what was written so far. Do not write at the same time.
    package func read<Result>(_ body: (borrowing RawReadTransaction) throws -> Result) throws -> Result {
        try body(RawReadTransaction(owning: try handle.beginRead()))
    }

    /// Begins a read transaction that ends when the value goes. Do not write at the same time.
    package func beginRead() throws(KeyValueError) -> RawReadTransaction {
        RawReadTransaction(owning: try handle.beginRead())
    }

    /// The problems of LMDB's own pages. Cost: reads every page.
    ///
    /// - Parameter pause: called at each page.
    package func pageProblems(
        pausing pause: @escaping () -> Void = {}
    ) throws(KeyValueError) -> PageProblems {
        try Self.pageProblems(in: "\(path)/\(StoreFolder.dataFile)", pausing: pause)
    }

    /// Looks for the problems of LMDB's own pages on another thread. Do not write at the same time.
    package func startPageCheck() -> BackgroundResult<Result<PageProblems, KeyValueError>> {
        let file = "\(path)/\(StoreFolder.dataFile)"
        return BackgroundResult { Result { () throws(KeyValueError) in try Self.pageProblems(in: file) } }
    }

    private static func pageProblems(
        in file: String, pausing pause: @escaping () -> Void = {}
    ) throws(KeyValueError) -> PageProblems {
        try PageCensus(of: file, at: MetaPage.newest(in: file), pausing: pause).problems
    }

    /// Flushes everything and closes. From now on the folder is a store, but its entry in the parent folder is not
    /// flushed; the caller that moves it into place does that.
    package func finish() throws(KeyValueError) {
        handle.close()
        try folder.flush(StoreFolder.dataFile)
        try folder.flush()
        isClosed = true
    }

    /// Closes. Nothing is flushed, so the caller has to flush the data file.
    func finishUnflushed() {
        handle.close()
        isClosed = true
    }

    /// Closes the draft and removes its folder; not where another folder may have taken its place.
    package func abandon(removesFolder: Bool = true) {
        guard !isClosed else { return }
        isClosed = true
        handle.close()
        if removesFolder { folder.remove() }
    }
}
