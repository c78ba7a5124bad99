import Exchange
import Tasks

/// Brings records into a store: a batch a transaction, undone as one if nobody else wrote in between.
struct Importer {
    private let tasks: TaskList
    private var batch: ImportBatch
    private var places = ImportPlaces()
    private var first: UInt64?
    /// What the batches so far did.
    private(set) var report = ImportReport()
    /// Told of each batch that is durable.
    private let acknowledged: @Sendable () throws -> Void

    init(_ tasks: TaskList, _ batch: ImportBatch, acknowledged: @escaping @Sendable () throws -> Void = {}) {
        self.tasks = tasks
        self.batch = batch
        self.acknowledged = acknowledged
    }

    /// Takes one record, and writes the batch that it makes full.
    mutating func append(_ record: TaskRecord) async throws {
        batch.append(record)
        if batch.isFull { try await writeBatch() }
    }

    /// Writes the last batch.
    mutating func finish() async throws -> ImportReport {
        if batch.count > 0 { try await writeBatch() }
        return report
    }

    private mutating func writeBatch() async throws {
        let (batch, places) = (batch, places)
        let ((written, nextPlaces), sequence) = try await tasks.import(continuing: first) { transaction in
            var places = places
            return (try batch.merge(into: transaction, at: &places), places)
        }
        if first == nil, sequence != 0 { first = sequence }
        self.places = nextPlaces
        report.imported += written
        report.unchanged += batch.count - written
        self.batch.removeAll()
        try acknowledged()
    }
}
