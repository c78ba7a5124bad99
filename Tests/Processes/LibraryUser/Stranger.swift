import Daybook

// A user's file: the library must not take names of the standard library, nor names that an application is likely to
// have. It would not compile otherwise.

/// Uses the standard library's `Collection`.
func total<C: Collection>(_ collection: C) -> Int { collection.count }

/// Uses the standard library's `Clock` and `Duration`.
func measured<C: Clock>(_ clock: C, _ work: () -> Void) -> C.Duration where C.Duration == Duration {
    clock.measure(work)
}

/// Types of the application.
enum Own {
    struct Clock { var hour = 0 }
    struct Store { var name = "" }
    struct Index { var row = 0 }
}

/// The application's own index, and the library's.
struct Index { var row = 0 }
let ownIndex = Index(row: 1)
typealias LibraryIndex = Daybook.DaybookStore

/// Every error that the library throws, by name.
func describe(_ error: any Error) -> String {
    switch error {
    case TaskError.pastDay(let day): "past \(day)"
    case TaskError.store(.engine(.storageFull)): "full"
    case let error as TaskError: error.code
    case RecordsError.engine(let error): "\(error.kind)"
    case let error as RecordsError: error.code
    case let error as KeyValueError: error.code
    case let error as FileError: "\(error)"
    case let error as CivilTimeError: "\(error)"
    default: "unknown"
    }
}

/// Every class of errors.
func canRetry(_ kind: ErrorKind) -> Bool {
    switch kind {
    case .transient: true
    case .recoverable, .permanent: false
    }
}

/// Texts of the application.
struct OwnTexts: TaskTexts {
    func emptyView(_ view: TaskView) -> String { "Keine Aufgaben." }
}

/// The files of a store, by URL.
func backUp(_ store: DaybookStore, in folder: URL) async throws -> Int {
    let file = folder.appending(path: "full.snapshot")
    try await store.files.snapshot(to: file)
    try store.files.export(to: folder.appending(path: "tasks.ndjson"), as: .ndjson)
    let report = try await store.files.import(folder.appending(path: "tasks.ndjson"))
    _ = try StoreFiles.verify(file)
    try await StoreFiles.restore(file, to: folder.appending(path: "copy"))
    try StoreFiles.prune(folder, keeping: SnapshotRetention(days: 7, weeks: 4))
    return try StoreFiles.list(folder).count + report.unchanged
}

/// Tasks in reads and in writes.
func firstTask(of store: DaybookStore) async throws -> String {
    let task = try await store.write { transaction in try transaction.tasks.create("Water the plants") }
    return try store.read { transaction in try transaction.tasks.get(task.id)?.text ?? "" }
}
