import FoundationEssentials
import Sync

/// Where a hub keeps everything: rows of a few tables, read and written in transactions. What the rows mean is decided by `Hub`
/// alone, so that it is the same over every storage.
public protocol HubStorage: Sendable {
    /// Whether other hub processes may change it, so that heads must be polled.
    var isShared: Bool { get }

    /// Whether announcements of other processes arrive at present, so that heads need a look only now and then.
    var isListening: Bool { get }

    /// What has happened so far, by names such as `state_40001`: for metrics.
    var counters: [String: Int64] { get }

    /// Runs a closure that only reads. It may run more than once.
    ///
    /// Each of its calls sees committed rows; two calls may see different moments.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any HubReading) throws -> Result
    ) async throws -> Result

    /// Runs a closure in one transaction, which is durable when this returns. It may run more than once.
    ///
    /// - Throws: `SyncRefusal.unavailable` when the storage does not answer, or when it is unknown whether the transaction was
    ///   committed; `SyncRefusal.full` without room; what the closure throws, and then nothing is changed.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any HubWriting) throws -> Result
    ) async throws -> Result

    /// Notifies other hub processes of a head that was committed. It may not arrive.
    func announce(_ head: SpaceHead)

    /// The heads that other hub processes announce from now on; those of this process can be among them.
    func announcements() -> AsyncStream<SpaceHead>

    /// Ends all connections.
    func close() async
}

/// A storage of one process.
extension HubStorage {
    /// Nothing.
    public var counters: [String: Int64] { [:] }
    /// No.
    public var isListening: Bool { false }
    /// Does nothing.
    public func announce(_ head: SpaceHead) {}
    /// None.
    public func announcements() -> AsyncStream<SpaceHead> { AsyncStream { $0.finish() } }
}

/// The number of a space's last unit.
public struct SpaceHead: Sendable, Hashable {
    /// The space.
    public let space: UUID
    /// The number.
    public let number: Int64

    /// A head.
    public init(_ space: UUID, _ number: Int64) {
        self.space = space
        self.number = number
    }
}

/// The rows that can be read.
public protocol HubReading {
    /// A space and one of its devices.
    func account(_ space: UUID, _ device: UInt64) throws -> PushState

    /// All devices of a space, by number.
    func devices(of space: UUID) throws -> [DeviceRow]

    /// The heads of several spaces; those that there are.
    func heads(of spaces: [UUID]) throws -> [UUID: Int64]

    /// The units with these ids, in any order; those that there are.
    func units(_ ids: [UnitKey], in space: UUID) throws -> [NumberedUnit]

    /// Units with numbers in `after + 1 ... through`, in order, up to a number of them and a sum of costs.
    func page(of space: UUID, after: Int64, through: Int64, count: Int, bytes: Int) throws -> UnitPage

    /// Everything about records but the bodies.
    func headers(of records: [UUID], in space: UUID) throws -> [UnitHeader]

    /// A value of the hub's own.
    func setting(_ name: String) throws -> [UInt8]?

    /// How much there is.
    func sizes() throws -> HubSizes

    /// Spaces in the order of their ids, after one.
    func spaces(after space: UUID?, limit: Int) throws -> [UUID]
}

/// The rows that can be written, in a transaction.
public protocol HubWriting: HubReading {
    /// Locks the space until the end of the transaction, then reads what a push needs.
    func lock(_ space: UUID, device: UInt64, records: [UUID]) throws -> PushState

    /// Adds a space.
    func insert(_ space: SpaceRow) throws

    /// Changes a space that was locked.
    ///
    /// - Throws: `StorageConflict` if its head is not the old one's any more.
    func update(_ old: SpaceRow, to new: SpaceRow) throws

    /// Adds a device.
    func insert(_ device: DeviceRow) throws

    /// Changes a device.
    func update(_ device: DeviceRow) throws

    /// Invites of a space.
    func invites(of space: UUID) throws -> [InviteRow]

    /// Adds an invite.
    func insert(_ invite: InviteRow) throws

    /// Changes who has used an invite.
    func update(_ invite: InviteRow) throws

    /// Removes the invites of a space that have expired.
    func deleteInvites(of space: UUID, expiredBy time: Int64) throws

    /// Adds units, replaces others, and removes some.
    func write(_ changes: UnitChanges, in space: UUID) throws

    /// Sets a value of the hub's own that was not set.
    func insert(setting name: String, _ value: [UInt8]) throws
}

/// What a push does to the units of a space.
public struct UnitChanges: Sendable, Hashable {
    /// New units.
    public var inserted: [NumberedUnit] = []
    /// Units that replace the ones with the same ids.
    public var updated: [NumberedUnit] = []
    /// Units that go, by a purge.
    public var deleted: [UnitKey] = []

    /// No changes.
    public init() {}

    /// Whether nothing changes.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

/// Another transaction was faster, although the space was locked: the storage runs the transaction again.
public struct StorageConflict: Error {
    /// A conflict.
    public init() {}
}
