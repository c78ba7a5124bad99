import CivilTime
import Daybook
import KeyValue
import Records
import Tasks

/// A store opened by the lab. Only synchronous calls, since it is used in forked children.
final class LabStore: Sendable {
    let store: RecordStore
    let tasks: TaskList
    private let clock: SettableClock

    /// Noon of the day on which every workload begins.
    static let start = Instant(secondsSince1970: 1_773_144_000)  // 2026-03-10T12:00:00Z
    static let today = Zone.utc.day(of: start)

    /// Opens the store, or creates it if it does not exist and may be created.
    init(at path: String, options: StoreOptions = StoreOptions()) throws {
        let clock = SettableClock(Self.start)
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday)
        store = try RecordStore(at: path, schema: TaskList.schema, context: context, options: options)
        tasks = TaskList(store: store)
        self.clock = clock
    }

    /// The moment of step `index` of a workload, whatever happened before.
    static func instant(ofStep index: Int) -> Instant { start.advanced(bySeconds: Int64(index)) }

    func setStep(_ index: Int) {
        clock.setWall(Self.instant(ofStep: index))
    }

    /// Performs an action durably.
    func perform(_ action: LabAction) throws {
        guard case .together(let first, let second) = action else {
            return try store.write(Self.label(of: action)) { try action.perform(in: $0.tasks, of: $0) }
        }
        let answers = store.writeTogether(
            [first, second].map { part in
                (Self.label(of: part), { try part.perform(in: $0.tasks, of: $0) })
            })
        for answer in answers { try answer.get() }
    }

    private static func label(of action: LabAction) -> ChangeLabel { ChangeLabel(operation: action.operation.rawValue) }

    /// Returns the views and counts in the model's format.
    func lines() throws -> [String] {
        try store.read { transaction in
            let views = transaction.tasks
            let listed = try views.past() + views.today().tasks + views.upcoming().flatMap(\.tasks)
            let lines = try (views.inbox() + listed).map { task in
                // Each task is also read by id, which takes another path than the views.
                guard try views.get(task.id) == task else { throw CrashLabError.viewsDisagree }
                return LabLine.text(
                    LabAction.number(of: task.id), day: task.scheduledDate, state: task.state,
                    completedAt: task.completedAt, task.notes?.utf8.count ?? 0)
            }
            return lines + ["completions \(try views.statistics().today)"]
        }
    }

    /// Returns the findings of `verify` and the task invariants.
    func problems() throws -> [String] {
        var problems = try store.verify().problems
        try tasks.checkInvariants { problems.append($0) }
        return problems
    }

    /// Returns a digest of every key and value of every table.
    func digest() throws -> UInt64 {
        let tables = try store.environment.openTables(TaskList.schema.tableNames)
        return try store.environment.read { transaction in
            var digest = ContentDigest()
            for table in tables { try digest.take(table, in: transaction) }
            return digest.value
        }
    }

    /// Opens the same store through the public interface.
    func daybook() throws -> DaybookStore {
        // Without retries: the lab's clock does not advance.
        try DaybookStore.open(at: store.path, context: store.context, options: StoreOptions(retries: .none))
    }

    func close() {
        store.close()
    }
}

/// A digest of the entries of tables: keys, values and their order.
struct ContentDigest {
    private(set) var value: UInt64 = 0

    mutating func take(_ table: Table, in transaction: borrowing RawReadTransaction) throws {
        value = XXHash64.hash(Array(table.name.utf8).span.bytes, seed: value)
        var digest = value
        try transaction.withCursor(over: table) { cursor in
            var isOnEntry = try cursor.moveToFirst()
            while isOnEntry {
                try cursor.withEntry { key, bytes in
                    digest = XXHash64.hash(bytes, seed: XXHash64.hash(key, seed: digest))
                }
                isOnEntry = try cursor.moveToNext()
            }
        }
        value = digest
    }
}
