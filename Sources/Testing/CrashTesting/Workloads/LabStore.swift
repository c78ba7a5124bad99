import CivilTime
import Daybook
import DomainPacks
import KeyValue
import Records
import Tasks

/// A store opened by the lab. Only synchronous calls, since it is used in forked children.
final class LabStore: Sendable {
    let store: RecordStore
    let tasks: TaskList
    private let pack: LabPack
    private let clock: SettableClock

    /// Noon of the day on which every workload begins.
    static let start = Instant(secondsSince1970: 1_773_144_000)  // 2026-03-10T12:00:00Z
    static let today = Zone.utc.day(of: start)
    static let moment = DomainMoment(start, in: .utc)

    /// Opens the store, or creates it if it does not exist and may be created.
    init(at path: String, of pack: LabPack = .tasks, options: StoreOptions = .direct) throws {
        let clock = SettableClock(Self.start)
        let context = Self.context(at: clock)
        store = try RecordStore(at: path, schema: pack.schema, context: context, options: options)
        self.pack = pack
        tasks = TaskList(store: store)
        self.clock = clock
    }

    /// The clock, zone and random source of the lab's stores.
    static func context(at clock: SettableClock = SettableClock(start)) -> Context {
        Context(clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday)
    }

    /// The moment of step `index` of a workload, whatever happened before.
    static func instant(ofStep index: Int) -> Instant { start.advanced(bySeconds: Int64(index)) }

    func setStep(_ index: Int) {
        clock.setWall(Self.instant(ofStep: index))
    }

    /// Performs an action durably.
    func perform(_ action: PackAction) throws {
        switch action {
        case .undo: try store.write { try $0.undo() }
        case .redo: try store.write { try $0.redo() }
        case .compact: _ = try store.compact()
        case .changes(let changes):
            guard changes.count == 1, case .program(let body) = changes[0].work else {
                return try store.perform(changes)
            }
            let daybook = try daybook()
            try CallingThread.run { try await body(daybook) }
        }
    }

    /// Performs an operation on tasks durably.
    func perform(_ action: TaskAction) throws {
        try store.write { try action.perform($0) }
    }

    /// Returns what the store shows, in the model's format.
    func lines() throws -> [String] {
        try store.read { try pack.type.lines(in: $0) }
    }

    /// Returns the findings of `verify`, the broken invariants of tasks and of the domain, and the registered consumers that
    /// have missed changes.
    func problems() throws -> [String] {
        var problems = try store.verify().problems
        try tasks.checkInvariants { problems.append($0) }
        for consumer in try store.consumers where consumer.hasMissedChanges {
            problems.append("the consumer \(consumer.name) has missed changes")
        }
        return try problems + store.read { try pack.type.problems(in: $0) }
    }

    /// Returns a digest of every key and value of every table.
    func digest() throws -> UInt64 {
        let tables = try store.environment.openTables(pack.schema.tableNames)
        return try store.environment.read { transaction in
            var digest = ContentDigest()
            for table in tables { try digest.take(table, in: transaction) }
            return digest.value
        }
    }

    /// Opens the same store through the public interface.
    func daybook() throws -> DaybookStore {
        // Without retries: the lab's clock does not advance.
        try DaybookStore.open(
            at: store.path, context: store.context, records: pack.type.records, options: StoreOptions(retries: .none))
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
