import CivilTime
import FoundationEssentials
import Journals
import Records
import Sync
import Tasks

/// A store of tasks and journals, and of whatever records of your own you open it with.
///
///     let store = try DaybookStore.open(at: folder)
///     let task = try await store.tasks.create("Review chapter 3")
///     for task in try store.tasks.today() { print(task.state, task.text) }
///
/// The store closes when the last reference to it is released. Opening a folder twice in a process shares one engine.
public final class DaybookStore: Sendable {
    /// The task list.
    public let tasks: TaskList
    /// The journals: threads with their entries.
    public let journals: Journal
    package let store: RecordStore

    private init(store: RecordStore) {
        self.store = store
        tasks = TaskList(store: store)
        journals = Journal(store: store)
    }

    /// The collections of every store.
    package static let schema = TaskList.schema.adding(Journal.schema)

    /// Opens the store in a folder, and creates it if the folder does not exist or is empty.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - context: Clock, zone and random source; by default those of the system.
    ///   - records: The collections of your own record types: `Schema().adding(Reading.collection)`.
    ///   - options: Whether to open read-only, whether to create, sizes.
    /// - Throws: `RecordsError` for a folder of other files, a damaged or a newer store. The folder is unchanged then.
    public static func open(
        at folder: some FileLocation, context: Context = .system, records: Schema = Schema(),
        options: StoreOptions = StoreOptions()
    ) throws(RecordsError) -> DaybookStore {
        let path = folder.filePath
        return DaybookStore(
            store: try RecordStore(
                at: path, schema: schema(ofStoreAt: path).adding(records), context: context, options: options))
    }

    /// Opens a store that is removed with its last reference.
    static func open(
        at folder: TemporaryStoreFolder, context: Context, records: Schema
    ) throws(RecordsError) -> DaybookStore {
        DaybookStore(
            store: try RecordStore(
                at: folder.path, schema: schema.adding(records), context: context, companion: folder))
    }

    /// The schema of a store in a folder. One that belongs to no space has none of the tables of sync, and pays nothing for it.
    static func schema(ofStoreAt folder: String) -> Schema {
        SpaceIdentity.isThere(inStore: folder) ? schema.adding(syncSchema.schema) : schema
    }

    /// What a store of tasks needs to be synced.
    private static let syncSchema = SyncSchema()

    /// The store as a replica of the space that its folder's `sync.json` names: open the store after the file was written. Not
    /// exported by `import Daybook`: programs that sync import `Sync` as well.
    ///
    /// - Parameters:
    ///   - keys: is given the units of the space, by which devices pass on keys.
    ///   - yielding: whether the writes of others go first, in this process or another (``BackgroundTurns``). It waits by the
    ///     store's clock, so not with one that stands still.
    public func replica(
        as identity: SpaceIdentity, keys: (any KeyKeeping)? = nil, yielding: Bool = false
    ) -> SyncReplica {
        SyncReplica(
            of: store, Self.syncSchema, sealing: identity.sealing, keys: keys,
            turns: yielding ? BackgroundTurns(in: store) : nil)
    }

    /// The store's folder.
    public var path: String { store.path }

    /// What had to be repaired when the store was opened, in one line; nil in nearly all cases.
    public var repairedAtOpening: String? { store.repairedAtOpening }

    /// The clock, zone and random source that the store was opened with.
    public var context: Context { store.context }

    /// Reads tasks and records from one consistent snapshot. Never waits.
    ///
    /// - Throws: `RecordsError` if the store fails, also in functions of `transaction.tasks`; what the closure throws.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        try store.read(body)
    }

    /// Changes tasks and records in one transaction, which is durable when the call returns. An error undoes all of it.
    ///
    /// - Throws: `RecordsError` if the store fails, also in functions of `transaction.tasks`; `TaskError` if an operation on
    ///   tasks is not allowed; `CancellationError` when the task is cancelled; what the closure throws.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await store.write(ChangeLabel(), body)
    }

    /// Changes tasks and records on the calling thread, for programs without concurrency.
    @discardableResult
    public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try store.write(ChangeLabel(), body)
    }

    /// Inserts many records of your own into a store that has none, and returns when they are durable: far faster than a
    /// transaction, with bounded memory for any number of them. `RecordStore.bulkLoad` describes it.
    ///
    ///     try store.bulkLoad { loader in
    ///         for reading in readings { try loader.insert(reading) }
    ///     }
    ///
    /// - Parameters:
    ///   - label: The label in the change log.
    ///   - body: Inserts the records.
    /// - Returns: The number of the last change; 0 when there is none.
    /// - Throws: `RecordsError.notEmpty` when the store has records or anything was written in the meantime: then use
    ///   `write`. What the closure throws; nothing is changed then.
    @discardableResult
    public func bulkLoad(
        _ label: ChangeLabel = ChangeLabel(), _ body: (BulkLoader) throws -> Void
    ) throws -> UInt64 {
        try store.bulkLoad(label, body)
    }

    /// The exact number of look-ups and puts of the last write, including those for roll-ups, counts and the change log. With
    /// several concurrent writers it is that of any of them.
    public var lastWriteCounters: OperationCounters { store.lastWriteCounters }

    /// Follows the records of an index range, whichever process changes them.
    ///
    /// - Parameters:
    ///   - backwards: whether the greatest key comes first.
    ///   - limit: how many records are shown; nil for all.
    ///   - shown: the update that the application has shown last, to continue from it; nil to begin with all records.
    public func observe<R: Record, Key: OrderedKey>(
        _ index: Index<R, Key>, in range: IndexRange<R, Key> = .all, backwards: Bool = false, limit: Int? = nil,
        after shown: RangeUpdate<R>? = nil
    ) -> LiveRange<R, Key> {
        store.observe(index, in: range, backwards: backwards, limit: limit, after: shown)
    }

    /// Follows the result of a read, such as a count of a tally, or of today.
    ///
    /// - Parameter sequence: the number of the last change that the application has shown already; nil to begin with the
    ///   present result.
    public func observe<Value: Sendable & Equatable>(
        after sequence: UInt64? = nil, _ query: @escaping @Sendable (ReadTransaction) throws -> Value
    ) -> LiveQuery<Value> {
        store.observe(after: sequence, query)
    }

    /// Returns the changes after a sequence number, in order, as any process commits them.
    public func changes(after sequence: UInt64) -> ChangeFeed { store.changes(after: sequence) }

    /// Returns the consumer of changes of a name, and registers it if the store has none of that name.
    ///
    /// - Parameters:
    ///   - name: 1 to 48 bytes of UTF-8.
    ///   - sequence: Where a new consumer begins: after this change; by default with the first one.
    /// - Throws: `RecordsError`.
    public func consumer(_ name: String, after sequence: UInt64 = 0) async throws -> ChangeConsumer {
        try await store.consumer(name, after: sequence)
    }

    /// Returns the consumer of changes of a name, for programs without concurrency.
    public func consumer(_ name: String, after sequence: UInt64 = 0) throws -> ChangeConsumer {
        try store.consumer(name, after: sequence)
    }

    /// The registered consumers of changes, by name.
    public var consumers: [ChangeConsumer.Status] {
        get throws(RecordsError) { try store.consumers }
    }

    /// Checks the whole store without changing it.
    public func verify() throws(RecordsError) -> VerificationReport {
        var report = try store.verify()
        try checkInvariants(into: &report)
        return report
    }

    /// Adds what is wrong between tasks, and between journals.
    func checkInvariants(into report: inout VerificationReport) throws(RecordsError) {
        do {
            try tasks.checkInvariants { report.add($0) }
            try journals.checkInvariants { report.add($0) }
        } catch TaskError.store(let error), JournalError.store(let error) {
            // The damage that ends this check was found above already, unless it is in the branches of LMDB's tree.
            guard error.isDamage else { throw error }
            if report.isClean { report.add(error.description) }
        } catch {
            report.add("invariants: \(error)")
        }
    }

    /// Checks the store in the background, from where the last scrub stopped to the end, a little at a time.
    ///
    /// It checks each entry's checksum and place, each record's entries in the indexes, and that each such entry names a record; at the
    /// end of a pass the pages. What only a count shows is left to ``verify()``. It notes how far it came once a minute, when it finds
    /// something, when it is cancelled, and at the end. When something is wrong, the change feed has a change of origin `scrub`
    /// without any record.
    ///
    ///     while true {
    ///         let report = try await store.scrub()
    ///         if !report.problems.isEmpty { warn(report.problems) }
    ///         try await Task.sleep(for: .seconds(86_400))
    ///     }
    ///
    /// - Parameter rate: How many bytes of entries are read in a second, on average.
    /// - Throws: `CancellationError` when the task is cancelled; `RecordsError`.
    @discardableResult
    public func scrub(rate: Int = RecordStore.scrubRate) async throws -> ScrubReport {
        try await store.scrub(rate: rate)
    }

    /// Checks the next portion of the store, and notes how far it came.
    ///
    /// - Parameter bytes: About how many bytes of entries are read.
    /// - Complexity: reads of the records and indexes of what is checked; one commit.
    @discardableResult
    public func scrub(bytes: Int) throws(RecordsError) -> ScrubReport { try store.scrub(bytes: bytes) }

    /// How far the scrub of the store has come.
    public var scrubProgress: ScrubProgress {
        get throws(RecordsError) { try store.scrubProgress() }
    }

    /// Rebuilds every index, roll-up and count from the records, quarantines damaged records and removes the damaged part of
    /// the change log. The report names the lost records; importing a backup restores them.
    ///
    /// - Throws: `RecordsError`.
    @discardableResult
    public func rebuild() async throws -> RebuildReport {
        try await store.rebuild()
    }

    /// Rewrites the store's file, so that no bytes of what was purged, deleted or overwritten are left in it. Undo, sequence
    /// numbers and the store's identity are not affected.
    ///
    /// Others continue to read meanwhile, in this process and in others; writers wait. A crash leaves the old file or the
    /// new one, both complete. While a read transaction is open, its process keeps the old file, and the process's next
    /// write waits for it.
    ///
    /// - Complexity: reads the store twice and writes it once; needs as much free space as the new file.
    /// - Throws: `RecordsError`: `damagedEntry` or `engine(.damaged)` if anything in the store is damaged, which is
    ///   unchanged then.
    @discardableResult
    public func compact() throws(RecordsError) -> CompactionReport {
        try store.compact()
    }

    /// Rewrites the store's file without blocking the calling task.
    @discardableResult
    public func compact() async throws(RecordsError) -> CompactionReport {
        try await store.compact()
    }

    /// Returns sizes, counts and versions.
    public func information() throws(RecordsError) -> StoreInformation {
        try store.information()
    }

    /// Closes the store now. Later calls throw an error.
    public func close() {
        store.close()
    }
}
