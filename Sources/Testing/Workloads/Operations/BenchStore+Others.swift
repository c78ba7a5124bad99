import Daybook
import FoundationEssentials
import KeyValue

/// The stores beside a measured one. Each is made when an operation first needs it.
extension BenchStore {
    // MARK: A store after a kill

    /// The path of a store that a kill has left.
    var killedPath: String { path + "-killed" }

    /// Replaces the store at `killedPath` by one with the tasks of this store and the longest commit log, as the kill
    /// of a process leaves it just before a checkpoint. Opening it removes the log, so it is copied for each opening.
    func leaveKilledStore() throws {
        let template = path + "-killed-template"
        if !FileManager.default.fileExists(atPath: template) { try makeKilledStore(at: template) }
        try? FileManager.default.removeItem(atPath: killedPath)
        try FileManager.default.copyItem(atPath: template, toPath: killedPath)
    }

    private func makeKilledStore(at template: String) throws {
        let running = path + "-running"
        try whileClosed { try FileManager.default.copyItem(atPath: path, toPath: running) }
        defer { try? FileManager.default.removeItem(atPath: running) }
        // With the seed of an earlier opening it would make the same ids.
        let context = Self.context(at: Self.plannedMoment, seed: .max)
        try LongLog.leave(at: template, from: running, context: context, day: Self.plannedDay)
    }

    // MARK: Small stores

    /// The path of a store with so many tasks and no others.
    func smallPath(taskCount: Int) -> String { "\(path)-of-\(taskCount)" }

    /// Makes that store.
    func makeSmallStoreIfMissing(taskCount: Int) async throws {
        let small = smallPath(taskCount: taskCount)
        guard !FileManager.default.fileExists(atPath: small) else { return }
        let daybook = try DaybookStore.open(at: small, context: Self.context(at: Self.historyEnd))
        defer { daybook.close() }
        try await daybook.generate(taskCount: taskCount, seed: 1)
    }

    // MARK: A journal

    /// How much a journal holds.
    public struct JournalSize: Sendable {
        /// The number of threads.
        public var threads = 100
        /// The number of entries of each.
        public var entries = 1000

        /// The size that the requirements name (J-PF1).
        public init() {}
    }

    /// The path of a store with a journal.
    var journalPath: String { path + "-journal" }

    /// Makes that store.
    func makeJournalIfMissing() throws {
        guard !FileManager.default.fileExists(atPath: journalPath) else { return }
        let daybook = try DaybookStore.open(at: journalPath, context: Self.context(at: Self.historyEnd))
        defer { daybook.close() }
        for number in 0..<journalSize.threads {
            try daybook.write { transaction in
                let thread = try transaction.journals.createThread("Thread \(number)").id
                for entry in 0..<journalSize.entries {
                    try transaction.journals.addEntry(NewEntry(RequirementRun.text(entry, words: 40)), to: thread)
                }
            }
        }
    }
}
