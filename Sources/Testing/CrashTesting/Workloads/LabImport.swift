import ByteStreams
import CivilTime
import Daybook
import Exchange
import KeyValue
import Tasks

/// The import of a file at the end of a workload, in several transactions: a task of the base that is newer in the file, one
/// that was deleted elsewhere, and new ones, of which one needs overflow pages.
enum LabImport {
    /// Small, so that few records make several transactions.
    static let batch = 3

    /// The moment of the import, whatever happened before.
    private static let step = 20_000

    static var file: TaskImport {
        var file = TaskImport()
        let now = LabStore.instant(ofStep: 5000)
        for (order, number) in ([1] + Array(300...305)).enumerated() {
            var task = TaskDocument(
                id: LabAction.id(number), text: LabAction.text(number), createdAt: LabStore.start, updatedAt: now,
                sortOrder: order)
            if number % 3 != 0 { task.scheduledDate = LabStore.today.advanced(by: number % 3) }
            if number == 303 { task.notes = String(repeating: "n", count: 6000) }
            file.tasks.append(task)
        }
        file.tombstones = [TombstoneDocument(id: LabAction.id(2), deletedAt: now)]
        return file
    }

    /// Imports it into a store, as a program would.
    ///
    /// - Parameter acknowledged: called behind each transaction.
    static func perform(in store: LabStore, acknowledged: @escaping @Sendable () throws -> Void = {}) throws {
        store.setStep(step)
        let daybook = try store.daybook()
        _ = try CallingThread.run {
            try await daybook.import(Self.file, batch: Self.batch, acknowledged: acknowledged)
        }
    }

    /// A digest of everything that an export holds, which is what an import is to complete.
    static func content(of store: LabStore) throws -> UInt64 {
        store.setStep(step)
        return try content(of: store.daybook())
    }

    static func content(of daybook: DaybookStore) throws -> UInt64 {
        let content = ContentOfExport()
        try daybook.export(as: .ndjson) { (bytes) throws(FileError) in content.bytes += bytes }
        return XXHash64.hash(content.bytes.span.bytes, seed: 0)
    }

    private final class ContentOfExport {
        var bytes: [UInt8] = []
    }
}
