import Daybook

/// The store that a command works on. It is opened no further than the command needs, and closed before anything is
/// printed: a read transaction that stays open would keep old pages in the file.
package struct Session {
    package let path: String
    package let context: Context
    /// When what failed for a passing reason is tried again: within three seconds, not by the clock of `--now`.
    private let retries: RetryPolicy
    /// How long to wait for other processes.
    private let lockWait: LockWait

    package init(
        path: String, context: Context, retries: RetryPolicy = .blocking(by: SystemClock()),
        lockWait: LockWait = .unlimited
    ) {
        self.path = path
        self.context = context
        self.retries = retries
        self.lockWait = lockWait
    }

    /// Today, by the command's time source and zone.
    package var today: Day { context.today }

    /// Reads one consistent state of the store without writing; returns nil when there is no store yet.
    package func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result? {
        try withReader { daybook in try retries.runBlocking { try daybook.read(body) } }
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
        do {
            defer { daybook.close() }
            return try body(daybook)
        } catch  where Self.isMissingTable(error) && !changesNothing {
            let daybook = try openForWriting(creating: false)
            defer { daybook.close() }
            return try body(daybook)
        }
    }

    /// Whether what was read needs a table that only a store of this version has; opening it for writing creates it.
    private static func isMissingTable(_ error: any Error) -> Bool {
        switch error {
        case RecordsError.engine(.tableMissing), TaskError.store(.engine(.tableMissing)),
            JournalError.store(.engine(.tableMissing)):
            true
        default: false
        }
    }

    private func openForReading(changesNothing: Bool) throws -> DaybookStore? {
        do {
            return try open(StoreOptions(isReadOnly: true, lockWait: lockWait))
        } catch RecordsError.engine(.storeNotFound) {
            return nil
        } catch RecordsError.engine(.tableMissing) {
            // Creates the tables that an older version lacks.
            return try openForWriting(creating: false)
        } catch RecordsError.engine(.needsRepair) where !changesNothing {
            return try openForWriting(creating: false)
        }
    }

    private func openForWriting(creating: Bool) throws -> DaybookStore {
        try open(StoreOptions(createIfMissing: creating, retries: retries, lockWait: lockWait))
    }

    private func open(_ options: StoreOptions) throws -> DaybookStore {
        let daybook = try retries.runBlocking {
            do throws(RecordsError) {
                return try DaybookStore.open(at: path, context: context, options: options)
            } catch .engine(.tooManyReaders) where options.isReadOnly {
                // Waiting does not free the slots of dead readers; opening for writing does.
                return try DaybookStore.open(
                    at: path, context: context,
                    options: StoreOptions(createIfMissing: false, retries: retries, lockWait: lockWait))
            }
        }
        if let repair = daybook.repairedAtOpening { Output.report(repair) }
        return daybook
    }

    /// Opens the store for writing, and creates it if asked to.
    ///
    /// - Throws: `storeNotFound` when there is none, which the caller translates for its command.
    package func write<Result>(creating: Bool = false, _ body: (DaybookStore) async throws -> Result) async throws
        -> Result
    {
        let daybook = try openForWriting(creating: creating)
        defer { daybook.close() }
        return try await body(daybook)
    }

    /// Opens the store for writing like the asynchronous version.
    package func write<Result>(creating: Bool = false, _ body: (DaybookStore) throws -> Result) throws -> Result {
        let daybook = try openForWriting(creating: creating)
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
