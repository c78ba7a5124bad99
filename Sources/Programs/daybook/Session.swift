import Daybook

/// The store that a command works on, opened only as far as the command needs, and closed before anything is printed:
/// a reader that lingers would keep old pages in the file.
struct Session {
    let path: String
    let context: Context

    /// Today, by the command's clock and zone.
    var today: Day { context.today }

    /// Reads from one consistent moment, without writing anything; nil when there is no store yet.
    func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result? {
        try withReader { try $0.read(body) }
    }

    /// The same for a command that makes no sense without a store.
    func readExisting<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        guard let result = try read(body) else { throw CommandError.noTaskWithoutStore(path: path) }
        return result
    }

    /// Opens the store for reading only, so that it may be on read-only media; nil when there is none yet.
    ///
    /// - Parameter changesNothing: whether a store that has to be opened for writing once is refused.
    func withReader<Result>(changesNothing: Bool = false, _ body: (DaybookStore) throws -> Result) throws -> Result? {
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
            // A store of an older version gets the new tables, and the slots of dead readers are freed.
            return try openForWriting(StoreOptions(createIfMissing: false))
        } catch .engine(.needsRepair) where !changesNothing {
            return try openForWriting(StoreOptions(createIfMissing: false))
        }
    }

    private func openForWriting(_ options: StoreOptions) throws(RecordsError) -> DaybookStore {
        let daybook = try DaybookStore.open(at: path, context: context, options: options)
        if let repair = daybook.repairedAtOpening { Output.tell(repair) }
        return daybook
    }

    /// Opens the store for writing, and creates it when asked to. A failure is told at once, not after seconds of new
    /// tries: a script, or a person at a terminal, can run the command again.
    ///
    /// - Throws: `storeNotFound` as it is when there is none; the caller knows what that means for its command.
    func write<Result>(creating: Bool = false, _ body: (DaybookStore) async throws -> Result) async throws -> Result {
        let daybook = try openForWriting(StoreOptions(createIfMissing: creating, retries: .none))
        defer { daybook.close() }
        return try await body(daybook)
    }

    /// The same without `await`.
    func write<Result>(creating: Bool = false, _ body: (DaybookStore) throws -> Result) throws -> Result {
        let daybook = try openForWriting(StoreOptions(createIfMissing: creating, retries: .none))
        defer { daybook.close() }
        return try body(daybook)
    }

    /// Opens the store to change a task that must be there.
    func change<Result>(_ body: (DaybookStore) async throws -> Result) async throws -> Result {
        do {
            return try await write(body)
        } catch RecordsError.engine(.storeNotFound) {
            throw CommandError.noTaskWithoutStore(path: path)
        }
    }
}
