import CommandSupport
import Daybook
import FoundationEssentials

/// Where a gate's operations run: how its subject is opened in a folder, and which counts it has.
struct GatePlace<Subject: Sendable>: Sendable {
    /// Returns the path of the store in a folder; nil for a subject that is no store.
    let storePath: (@Sendable (_ folder: String) -> String)?
    /// Opens the subject. The options are for a store.
    let open: @Sendable (_ folder: String, StoreOptions) async throws -> Subject
    let close: @Sendable (Subject) async throws -> Void
    let fill: @Sendable (Subject, _ size: Int) async throws -> Void
    /// Returns what the last write transaction wrote and looked up; nil if the subject has no such count.
    let counters: @Sendable (Subject) -> OperationCounters?
    /// Returns the facts on which counts depend; nil if the subject is no store.
    let facts: @Sendable (Subject, _ folder: String) throws -> StoreFacts?

    /// Creates and fills the subject in a folder that does not exist.
    func make(in folder: String, size: Int) async throws {
        try ScratchFolder.create(folder)
        try await withSubject(in: folder) { try await fill($0, size) }
    }

    /// Runs a closure while the subject is open in a folder.
    func withSubject<Result>(
        in folder: String, _ options: StoreOptions = StoreOptions(), _ body: (Subject) async throws -> Result
    ) async throws -> Result {
        let subject = try await open(folder, options)
        do {
            let result = try await body(subject)
            try await close(subject)
            return result
        } catch {
            try? await close(subject)
            throw error
        }
    }
}

/// A store before any operation, and the libraries on which its bytes depend.
struct StoreFacts {
    let pageSize: Int
    let lmdb: String
    let storeBytes: Int
    let snapshotBytes: Int
    let zstd: String

    init(of store: DaybookStore, in folder: String) throws {
        let information = try store.information()
        pageSize = information.environment.pageSize
        lmdb = information.engineVersion
        storeBytes = information.tables.reduce(0) { $0 + $1.bytes }
        let path = folder + "/store" + SnapshotFile.suffix
        snapshotBytes = try store.files.snapshot(to: path, options: SnapshotOptions(overwrite: true)).bytes
        try FileManager.default.removeItem(atPath: path)
        zstd = ZstdLibrary.version
    }
}
