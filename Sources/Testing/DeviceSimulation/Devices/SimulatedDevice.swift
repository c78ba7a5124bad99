import CivilTime
import FoundationEssentials
import Injection
import Records
import Sync
import Tasks

/// An open store of a device, with its replica: what one process has.
final class DeviceProcess {
    let store: RecordStore
    let replica: SyncReplica
    let sealing = TrappedSealing()

    init(at path: String, _ schema: SyncSchema, _ context: Context, _ options: StoreOptions) throws {
        store = try RecordStore(
            at: path, schema: TaskList.schema.adding(schema.schema), context: context, options: options)
        replica = SyncReplica(of: store, schema, sealing: sealing)
    }

    /// A second process: all that have a store open share its environment, and a process has nothing else of its own.
    init(beside other: DeviceProcess, _ schema: SyncSchema) {
        store = other.store
        replica = SyncReplica(of: store, schema, sealing: sealing)
    }
}

/// A device: a folder with a store, a wall clock of its own, and the processes that have the store open.
final class SimulatedDevice {
    /// The units that an older version of the program does not know: everything about the planner.
    static let newerUnits: Set<UInt16> = [13, 14, 15, 16, 17, 18]
    static let schema = SyncSchema()
    static let formerSchema = SyncSchema(without: newerUnits)
    static let space = UUID(high: 0x1111_1111_2222_4333, low: 0x8444_5555_5555_5555)

    /// Its place among the devices of the run; a copy has one of its own.
    let place: Int
    /// Its number in the space.
    var number: UInt64
    let clock: SettableClock
    let context: Context
    private(set) var folder: MemoryFolder
    private(set) var process: DeviceProcess
    /// A second process that has the same store open.
    private(set) var second: DeviceProcess?
    /// Whether it runs an older version of the program.
    private(set) var isOlder: Bool
    /// Whether its disk is full.
    private(set) var isFull = false
    private let points: ArmedInjectionPoints
    private let root: String?

    /// - Parameters:
    ///   - root: where its folder is made; nil for the memory.
    ///   - copy: the folder of another device that it begins with.
    init(
        place: Int, at now: Instant, seed: UInt64, isOlder: Bool = false, breaking point: InjectionPoint? = nil,
        in root: String? = nil, copy: MemoryFolder? = nil
    ) throws {
        self.root = root
        self.place = place
        number = UInt64(place) + 1
        points = ArmedInjectionPoints(point)
        clock = SettableClock(now)
        context = Context(
            clock: clock, random: SeededRandomSource(seed: seed &* 1000 &+ number),
            zones: SettableZone(try Zone("Europe/Berlin")), weekStart: .monday)
        folder = try copy ?? MemoryFolder(in: root)
        self.isOlder = isOlder
        process = try Self.open(folder, context, points, isOlder: isOlder)
    }

    deinit { close() }

    var store: RecordStore { process.store }
    var replica: SyncReplica { process.replica }

    private static func open(
        _ folder: MemoryFolder, _ context: Context, _ points: ArmedInjectionPoints, isOlder: Bool, ceiling: Int? = nil
    ) throws -> DeviceProcess {
        // Nobody waits here for a disk to become free.
        var options = StoreOptions.direct
        options.retries = .none
        options.injectionPoint = points
        options.initialMapSize = 1 << 22
        if let ceiling { options.sizeCeiling = ceiling }
        return try DeviceProcess(at: folder.store, isOlder ? formerSchema : schema, context, options)
    }

    private func close() {
        second = nil
        process.store.close()
    }

    /// Closes the store and opens it again.
    func reopen() throws {
        close()
        process = try Self.open(folder, context, points, isOlder: isOlder)
    }

    /// Runs the newest version of the program from now on.
    func upgrade() throws {
        isOlder = false
        try reopen()
    }

    /// Lets a second process open the store.
    func openSecond() {
        second = DeviceProcess(beside: process, isOlder ? Self.formerSchema : Self.schema)
    }

    /// Ends the second process.
    func closeSecond() { second = nil }

    // MARK: Copies and crashes

    /// Copies the store as it is on the disk.
    func copy() throws -> MemoryFolder {
        let copy = try MemoryFolder(in: root)
        try folder.copy(to: copy)
        return copy
    }

    /// Goes on with a copy of the store.
    func become(_ copy: MemoryFolder) throws {
        close()
        folder = copy
        process = try Self.open(folder, context, points, isOlder: isOlder)
        // Its identity is in the folder as well.
        number = try replica.status().device
    }

    // MARK: Other programs, full disks

    /// Opens the store as a program without sync does.
    func withoutSync(_ body: (RecordStore) throws -> Void) throws {
        close()
        var options = StoreOptions.direct
        options.retries = .none
        let other = try RecordStore(at: folder.store, schema: TaskList.schema, context: context, options: options)
        defer { other.close() }
        try body(other)
        other.close()
        process = try Self.open(folder, context, points, isOlder: isOlder)
    }

    /// Leaves no room for the store to grow, or gives it room again.
    func setFull(_ isFull: Bool) throws {
        let used = process.store.environment.statistics.usedBytes
        close()
        if isFull, let process = try? Self.open(folder, context, points, isOlder: isOlder, ceiling: used) {
            self.process = process
            self.isFull = true
        } else {
            process = try Self.open(folder, context, points, isOlder: isOlder)
            self.isFull = false
        }
    }

    /// Changes records on the calling thread, also for a caller that is asynchronous.
    func change(_ operation: TaskOperation, _ body: (WriteTransaction) throws -> Void) throws {
        try store.write(operation.label) { try body($0) }
    }

    // MARK: Content

    /// Every record that takes part in sync, by its bytes.
    func content() throws -> [String: [UInt8]] {
        try store.read { transaction in
            var content: [String: [UInt8]] = [:]
            for (name, number) in [
                (TaskItem.collection.name, TaskItem.collection.number),
                (CustomList.collection.name, CustomList.collection.number),
                (TaskLink.collection.name, TaskLink.collection.number),
                (Tombstone.collection.name, Tombstone.collection.number),
            ] {
                try transaction.forEachStored(in: number) { key, value in
                    content["\(name) \(key.map { String($0, radix: 16) }.joined(separator: "."))"] = value
                    return true
                }
            }
            return content
        }
    }
}
