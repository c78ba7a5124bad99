import CivilTime
import DeviceSimulation
import Foundation
import Injection
import Records
import Synchronization
import TestSupport

@testable import Journals
@testable import Sync
@testable import Tasks

/// A store with its replica.
final class TestDevice {
    static let schema = SyncSchema()
    private static let domains = TaskList.schema.adding(Journal.schema)
    static let space = UUID(uuidString: "11111111-2222-4333-8444-555555555555") ?? UUID()
    var number: UInt64
    let folder: MemoryFolder
    let clock: SettableClock
    private(set) var store: RecordStore
    private(set) var tasks: TaskList
    private(set) var replica: SyncReplica
    private let context: Context

    private let injectionPoint: ArmedInjectionPoints

    init(
        _ number: UInt64, at now: Instant, seed: UInt64 = 1, breaking point: InjectionPoint? = nil,
        knowing schema: SyncSchema = TestDevice.schema
    ) throws {
        self.number = number
        injectionPoint = ArmedInjectionPoints(point)
        folder = try MemoryFolder()
        clock = SettableClock(now)
        context = Context(
            clock: clock, random: SeededRandomSource(seed: seed &* 1000 &+ number),
            zones: SettableZone(try Zone("Europe/Berlin")), weekStart: .monday)
        (store, tasks, replica) = try Self.open(folder, context, injectionPoint, schema)
    }

    /// A copy of a device's folder, as a backup program makes it.
    init(copying other: TestDevice) throws {
        injectionPoint = ArmedInjectionPoints()
        number = other.number
        folder = try MemoryFolder()
        clock = SettableClock(other.clock.wall)
        context = Context(
            clock: clock, random: SeededRandomSource(seed: 4711), zones: SettableZone(try Zone("Europe/Berlin")),
            weekStart: .monday)
        other.store.close()
        try FileManager.default.copyItem(atPath: other.folder.path + "/store", toPath: folder.path + "/store")
        try other.reopen()
        (store, tasks, replica) = try Self.open(folder, context, injectionPoint)
    }

    /// Opens the store as a program without sync does.
    func withoutSync<Result>(
        breaking point: InjectionPoint? = nil, _ body: (RecordStore) throws -> Result
    ) throws -> Result {
        store.close()
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(point)
        let other = try RecordStore(
            at: folder.path + "/store", schema: Self.domains, context: context, options: options)
        let result = try body(other)
        other.close()
        try reopen()
        return result
    }

    private static func open(
        _ folder: MemoryFolder, _ context: Context, _ injectionPoint: ArmedInjectionPoints,
        _ schema: SyncSchema = TestDevice.schema
    ) throws -> (RecordStore, TaskList, SyncReplica) {
        var options = StoreOptions()
        options.injectionPoint = injectionPoint
        let store = try RecordStore(
            at: folder.path + "/store", schema: domains.adding(schema.schema), context: context,
            options: options)
        return (store, TaskList(store: store), SyncReplica(of: store, schema, sealing: PlainSealing()))
    }

    func reopen() throws {
        store.close()
        (store, tasks, replica) = try Self.open(folder, context, injectionPoint)
    }

    deinit { store.close() }

    func begin() async throws { try await replica.begin(space: Self.space, device: number) }

    @discardableResult
    func write<Result>(
        _ operation: TaskOperation = .several, _ body: (TaskTransaction) throws -> Result
    ) throws -> Result {
        try store.write(operation.label) { try body($0.tasks) }
    }

    /// Changes records on the calling thread, also in a test that is asynchronous.
    func change<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
        try store.write(ChangeLabel(), body)
    }

    /// Syncs over a hub until nothing is left.
    @discardableResult
    func sync(_ hub: any SyncTransport, model: TestHub? = nil) async throws -> SyncLoop.Ending {
        (model ?? hub as? TestHub)?.device.withLock { $0 = number }
        return try await SyncLoop(replica, over: hub).run()
    }

    /// The stamps of each record, by the same names as `content`: for messages.
    func stamps() throws -> [String: String] {
        try store.read { transaction in
            var all: [String: String] = [:]
            for collection in Self.schema.collections.all {
                try StampTable(collection: collection).forEach(of: transaction) { key, stamps in
                    let units = stamps.units.sorted { $0.key < $1.key }.map { number, unit in
                        "\(number)\(unit.isPending ? "*" : "")\(unit.isAutomatic ? "a" : "") \(unit.key)"
                    }
                    let name = "\(collection.name) \(key.map { String($0, radix: 16) }.joined(separator: "."))"
                    all[name] =
                        "deleted \(stamps.isDeleted), remains \(stamps.pendingContent.count), held \(stamps.deferred), \(units)"
                    return true
                }
            }
            return all
        }
    }

    /// Every record that takes part in sync, by its bytes.
    func content() throws -> [String: [UInt8]] {
        let hasJournals = try replica.status().hasJournals
        return try store.read { transaction in
            var content: [String: [UInt8]] = [:]
            let collections = Self.schema.collections.all.filter { hasJournals || !$0.isOfJournals }
            let tables = collections.map { ($0.name, $0.number) } + collections.compactMap(\.tombstones)
            for (name, number) in tables {
                try transaction.forEachStored(in: number) { key, value in
                    content["\(name) \(key.map { String($0, radix: 16) }.joined(separator: "."))"] = value
                    return true
                }
            }
            return content
        }
    }
}
