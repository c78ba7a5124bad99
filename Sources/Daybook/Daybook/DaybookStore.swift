import ByteStreams
import CivilTime
import FoundationEssentials
import Records
import Tasks

/// A store of tasks, and of whatever records of your own you open it with.
///
///     let daybook = try DaybookStore.open(at: folder)
///     let task = try await daybook.tasks.create("Review chapter 3")
///     for task in try daybook.tasks.today() { print(task.state, task.text) }
///
/// Nothing has to be closed: the store closes when the last reference goes. Opening the same folder twice in a process
/// shares one engine.
public final class DaybookStore: Sendable {
    /// The task list.
    public let tasks: TaskList
    let store: RecordStore

    private init(store: RecordStore) {
        self.store = store
        tasks = TaskList(store: store)
    }

    /// Opens the store in a folder, and creates it safely when the folder is missing or empty.
    ///
    /// - Parameters:
    ///   - context: clock, zone and random source; the system's unless a test or a simulator says otherwise.
    ///   - records: the collections of record types of your own: `Schema().adding(Reading.collection)`.
    ///   - options: reading only, whether to create, sizes.
    /// - Throws: `RecordsError`: a folder of other files, a damaged or a newer store; the folder is left as it was.
    public static func open(
        at folder: String, context: Context = .system, records: Schema = Schema(),
        options: StoreOptions = StoreOptions()
    ) throws(RecordsError) -> DaybookStore {
        DaybookStore(
            store: try RecordStore(
                at: folder, schema: TaskList.schema.adding(records), context: context,
                options: options))
    }

    /// The same, by URL.
    public static func open(
        at folder: URL, context: Context = .system, records: Schema = Schema(), options: StoreOptions = StoreOptions()
    ) throws(RecordsError) -> DaybookStore {
        try open(at: folder.path, context: context, records: records, options: options)
    }

    /// The store's folder.
    public var path: String { store.path }

    /// What opening had to repair in the store's file, in one line for a person; nil in nearly all cases.
    public var repairedAtOpening: String? { store.repairedAtOpening }

    /// The clock, zone and random source it was opened with.
    public var context: Context { store.context }

    /// Reads tasks and records from one consistent moment. Never waits.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try store.read(body)
    }

    /// Changes tasks and records in one transaction; durable when it returns. A throw leaves nothing behind.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await store.write(ChangeLabel(), body)
    }

    /// The same for programs that do not use concurrency: on the calling thread, and without `await`.
    @discardableResult
    public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try store.write(ChangeLabel(), body)
    }

    /// What the last write did, counted exactly: its own look-ups and puts, and those for roll-ups, counts and the change
    /// log. Of several writers at once it is any one's.
    public var lastWriteCounters: OperationCounters { store.lastWriteCounters }

    /// Changes after a sequence number, in order, each once, as this process or another commits them.
    public func changes(after sequence: UInt64) -> ChangeFeed { store.changes(after: sequence) }

    /// Checks everything against everything and changes nothing. Cost: reads the whole store.
    public func verify() throws(RecordsError) -> VerificationReport {
        var report = try store.verify()
        do {
            try tasks.checkInvariants { report.add($0) }
        } catch TaskError.store(let error) {
            // Damage that ends this look was found above already, if it is not in the branches of LMDB's tree.
            guard error.isDamage else { throw error }
            if report.isClean { report.add(error.description) }
        } catch {
            report.add("tasks: \(error.code)")
        }
        return report
    }

    /// Derives every index, roll-up and count again from the records, sets damaged records aside and takes the damaged
    /// part of the change log out. What the records lost is named; a backup can bring it back by `import`.
    public func rebuild() async throws -> RebuildReport {
        try await store.rebuild()
    }

    /// Sizes, counts and versions. Cost: constant, but for the counts by state.
    public func information() throws(RecordsError) -> StoreInformation {
        try store.information()
    }

    /// Closes the store now. Later use throws.
    public func close() {
        store.close()
    }
}
