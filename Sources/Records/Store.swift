import CivilTime
import KeyValue
import Logging

/// An open store: typed collections in one folder, with transactions over all of them.
///
/// Reading never waits. Writing returns when it is durable. It closes when the last reference goes.
public final class Store: Sendable {
    /// The folder.
    public let path: String
    /// Clock, zone and random source that everything in this store uses.
    public let context: Context
    /// New ids, ascending in the order in which they were made.
    public let identifiers: IdentifierGenerator
    let schema: BoundSchema
    let environment: Environment
    let retention: ChangeLogRetention
    let consumers = ChangeConsumers()
    private let signal: CommitSignal
    private let observation: ObservationHolder
    private let log = Logger(label: "daybook.engine")

    /// Opens the store in a folder; creates it when the folder is missing or empty.
    ///
    /// Indexes and roll-ups that were declared since the store was last open are built now, in one transaction.
    ///
    /// - Throws: `notAStore` for a folder of other files and `newerFormat` for a newer store, both left untouched.
    public init(
        at path: String, schema: Schema, context: Context = .system, options: StoreOptions = StoreOptions()
    ) throws(RecordsError) {
        _ = try StoreManifest.check(at: path)
        let content = NewStoreContent(
            tables: schema.tableNames,
            files: [StoreManifest.fileName: StoreManifest(createdAt: context.clock.wall).encoded])
        do {
            environment = try Environment.open(
                at: path, configuration: options.configuration,
                creatingWith: options.createIfMissing && !options.isReadOnly ? content : nil)
        } catch {
            throw .engine(error)
        }
        self.path = path
        self.context = context
        retention = options.retention
        self.schema = try BoundSchema(schema, environment: environment)
        identifiers = IdentifierGenerator(context: context)
        signal = CommitSignal()
        observation = ObservationHolder()
        try SchemaMigration(store: self).run()
    }

    /// Reads from one consistent moment.
    public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let transaction = ReadTransaction(schema: schema, context: context, engine: try beginRead())
        defer { transaction.end() }
        return try body(transaction)
    }

    private func beginRead() throws(RecordsError) -> KeyValue.ReadTransaction {
        do {
            return try environment.beginRead()
        } catch {
            throw .engine(error)
        }
    }

    /// Changes records in one transaction and returns when it is durable. A throw leaves nothing behind.
    ///
    /// The closure runs on the writer's thread and may share its commit with others that wait at the same time.
    ///
    /// - Parameters:
    ///   - label: what the change log says of it.
    ///   - continuing: the sequence number of the transaction that began this operation; undo takes both back as one,
    ///     if no other change came between.
    ///   - reclaims: whether it makes room; it may then use a reserve when the store is full.
    @discardableResult
    public func write<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), continuing operation: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await writeNumbered(label, continuing: operation, reclaims: reclaims, body).result
    }

    /// The same, and the change's sequence number: 0 when nothing was changed.
    public func writeNumbered<Result: Sendable>(
        _ label: ChangeLabel = ChangeLabel(), continuing operation: UInt64? = nil, reclaims: Bool = false,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> (result: Result, sequence: UInt64) {
        let schema = schema
        let context = context
        let retention = retention
        let consumers = consumers
        let identifiers = identifiers
        do {
            return try await environment.write(reclaims: reclaims) { engine in
                let transaction = WriteTransaction(
                    schema: schema, context: context, identifiers: identifiers, label: label, retention: retention,
                    oldestNeeded: consumers.oldestNeeded, continuing: operation, engine: engine)
                defer { transaction.end() }
                let result = try body(transaction)
                return (result, try transaction.finish())
            }
        } catch let error as KeyValueError {
            log.error("write failed", metadata: ["error": "\(error.kind)"])
            throw RecordsError.engine(error)
        }
    }

    /// Changes after a sequence number, in order, each once, as they are committed by this process or another. It never
    /// ends by itself; it throws `changesTrimmed` when the log no longer reaches back so far.
    public func changes(after sequence: UInt64) -> ChangeFeed {
        ChangeFeed(store: self, after: sequence)
    }

    /// Tells of commits, of this process and of others. Watching begins with the first call.
    public func commitSignal() throws(RecordsError) -> CommitSignal {
        let signal = signal
        let environment = environment
        try rethrowing {
            try observation.begin { try environment.observeCommits { signal.raise() } }
        }
        return signal
    }

    /// Closes the store. Later use throws. Not needed: the last reference that goes does the same.
    public func close() {
        environment.close()
    }
}

extension KeyValueError {
    /// The case's name: what a log may say of an error.
    var kind: String {
        String(describing: Mirror(reflecting: self).children.first?.label ?? "\(self)")
    }
}
