import Daybook

/// The store that a command works on. It is opened no further than the command needs, and closed before anything is
/// printed: a read transaction that stays open would keep old pages in the file.
package struct Session {
    package let path: String
    package let context: Context

    package init(path: String, context: Context) {
        self.path = path
        self.context = context
    }

    /// Today, by the command's time source and zone.
    package var today: Day { context.today }

    /// Reads one consistent state of the store without writing; returns nil when there is no store yet.
    package func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result? {
        try withReader { try $0.read(body) }
    }

    /// Reads like `read`, and throws when there is no store.
    package func readExisting<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        guard let result = try read(body) else { throw CommandError.noTaskWithoutStore(path: path) }
        return result
    }

    /// Opens the store read-only, so that it may be on read-only media; returns nil when there is none yet.
    ///
    /// - Parameter changesNothing: whether to refuse a store that must be opened for writing once to be repaired.
    package func withReader<Result>(changesNothing: Bool = false, _ body: (DaybookStore) throws -> Result) throws
        -> Result?
    {
        guard let daybook = try openForReading(changesNothing: changesNothing) else { return nil }
        defer { daybook.close() }
        return try body(daybook)
    }

    private func openForReading(changesNothing: Bool) throws(RecordsError) -> DaybookStore? {
        do {
            return try DaybookStore.open(at: path, context: context, options: StoreOptions(isReadOnly: true))
        } catch .engine(.storeNotFound) {
            return nil
        } catch .engine(.tableMissing), .engine(.tooManyReaders) {
            // Creates the tables that an older version lacks, and frees the slots of dead readers.
            return try openForWriting(StoreOptions(createIfMissing: false))
        } catch .engine(.needsRepair) where !changesNothing {
            return try openForWriting(StoreOptions(createIfMissing: false))
        }
    }

    private func openForWriting(_ options: StoreOptions) throws(RecordsError) -> DaybookStore {
        let daybook = try DaybookStore.open(at: path, context: context, options: options)
        if let repair = daybook.repairedAtOpening { Output.report(repair) }
        return daybook
    }

    /// Opens the store for writing, and creates it if asked to. A failure is reported at once instead of after seconds of
    /// retries: a script or a person can run the command again.
    ///
    /// - Throws: `storeNotFound` when there is none, which the caller translates for its command.
    package func write<Result>(creating: Bool = false, _ body: (DaybookStore) async throws -> Result) async throws
        -> Result
    {
        let daybook = try openForWriting(StoreOptions(createIfMissing: creating, retries: .none))
        defer { daybook.close() }
        return try await body(daybook)
    }

    /// Opens the store for writing like the asynchronous version.
    package func write<Result>(creating: Bool = false, _ body: (DaybookStore) throws -> Result) throws -> Result {
        let daybook = try openForWriting(StoreOptions(createIfMissing: creating, retries: .none))
        defer { daybook.close() }
        return try body(daybook)
    }

    /// Opens the store to change a task that must exist.
    package func change<Result>(_ body: (DaybookStore) async throws -> Result) async throws -> Result {
        do {
            return try await write(body)
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noTaskWithoutStore(path: path)
        }
    }
}
