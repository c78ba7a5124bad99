import Daybook
import FoundationEssentials
import HubCore
import Sync

/// A hub's storage in a Daybook store: the default, with nothing else installed. One hub process uses it at a time.
public struct EmbeddedStorage: HubStorage {
    private let store: DaybookStore

    /// Opens the storage in a folder, and creates it if the folder does not exist or is empty.
    ///
    /// - Throws: `RecordsError`.
    public init(folder: String, context: Context = .system) throws {
        store = try DaybookStore.open(at: folder, context: context, records: Self.schema)
    }

    /// The collections of a hub.
    public static var schema: Schema {
        Schema().adding(SpaceRecord.collection).adding(DeviceRecord.collection).adding(InviteRecord.collection)
            .adding(UnitRecord.collection).adding(SettingRecord.collection)
    }

    /// False: heads change in this process only.
    public var isShared: Bool { false }

    /// Reads from one moment, on the calling thread.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any HubReading) throws -> Result
    ) async throws -> Result {
        try refusing { try store.read { try body(EmbeddedRows(transaction: $0, writer: nil)) } }
    }

    /// Writes in one transaction of the store, together with others that wait.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any HubWriting) throws -> Result
    ) async throws -> Result {
        do {
            return try await store.write { try body(EmbeddedRows(transaction: $0, writer: $0)) }
        } catch let error as RecordsError {
            throw Self.refusal(error)
        }
    }

    /// Checks every record.
    ///
    /// - Returns: What is wrong, one line each.
    public func verify() throws -> VerificationReport { try store.verify() }

    /// Closes the store.
    public func close() async { store.close() }

    private func refusing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as RecordsError {
            throw Self.refusal(error)
        }
    }

    private static func refusal(_ error: RecordsError) -> SyncRefusal {
        switch error {
        case .engine(.storageFull): .full
        default: .unavailable
        }
    }
}

/// The rows of a transaction.
private struct EmbeddedRows: HubWriting {
    let transaction: ReadTransaction
    /// The transaction where it may write.
    let writer: WriteTransaction?

    private func writing() throws -> WriteTransaction {
        guard let writer else { throw SyncRefusal.unavailable }
        return writer
    }

    // MARK: Reading

    func account(_ space: UUID, _ device: UInt64) throws -> PushState {
        PushState(
            space: try transaction[SpaceRecord.self].get(space)?.row,
            device: try transaction[DeviceRecord.self].get(NumberInSpace(space, device))?.row)
    }

    func devices(of space: UUID) throws -> [DeviceRow] {
        try transaction[DeviceRecord.self].ids(beginning: space.bytes, limit: .max).compactMap {
            try transaction[DeviceRecord.self].get($0)?.row
        }
    }

    func heads(of spaces: [UUID]) throws -> [UUID: Int64] {
        var heads: [UUID: Int64] = [:]
        for space in spaces { heads[space] = try transaction[SpaceRecord.self].get(space)?.head }
        return heads
    }

    func units(_ ids: [UnitKey], in space: UUID) throws -> [NumberedUnit] {
        try ids.compactMap { try transaction[UnitRecord.self].get(UnitID(space, $0))?.numbered }
    }

    func page(of space: UUID, after: Int64, through: Int64, count: Int, bytes: Int) throws -> UnitPage {
        var page = UnitPage()
        var rest = bytes
        let range = IndexRange<UnitRecord, NumberInSpace>.keys(
            from: NumberInSpace(space, UInt64(after) + 1), to: NumberInSpace(space, UInt64(through) + 1))
        try transaction[UnitRecord.inOrder].forEach(in: range) { unit in
            rest -= unit.header.cost
            guard page.units.count < count, rest >= 0 else {
                page.isComplete = false
                return false
            }
            page.units.append(unit.numbered)
            return true
        }
        return page
    }

    func headers(of records: [UUID], in space: UUID) throws -> [UnitHeader] {
        try records.flatMap { record in
            try transaction[UnitRecord.self].ids(beginning: space.bytes + record.bytes, limit: .max).compactMap {
                try transaction[UnitRecord.self].get($0)?.header
            }
        }
    }

    func setting(_ name: String) throws -> [UInt8]? {
        try transaction[SettingRecord.byName].first(TextKey(name))?.value
    }

    func sizes() throws -> HubSizes {
        HubSizes(
            spaces: Int64(try transaction[SpaceRecord.self].count()),
            devices: Int64(try transaction[DeviceRecord.self].count()),
            bytes: try transaction[SpaceRecord.total].sum(of: 0))
    }

    func spaces(after space: UUID?, limit: Int) throws -> [UUID] {
        try transaction[SpaceRecord.self].page(after: space, limit: limit).map(\.id)
    }

    func invites(of space: UUID) throws -> [InviteRow] {
        try transaction[InviteRecord.self].ids(beginning: space.bytes, limit: .max).compactMap {
            try transaction[InviteRecord.self].get($0)?.row
        }
    }

    // MARK: Writing

    /// There is one writer at a time, so everything is locked.
    func lock(_ space: UUID, device: UInt64, records: [UUID]) throws -> PushState {
        var state = try account(space, device)
        if state.space != nil { state.headers = try headers(of: records, in: space) }
        return state
    }

    func insert(_ space: SpaceRow) throws { try writing().insert(SpaceRecord(space)) }

    func update(_ old: SpaceRow, to new: SpaceRow) throws { try writing().put(SpaceRecord(new)) }

    func insert(_ device: DeviceRow) throws { try writing().insert(DeviceRecord(device)) }

    func update(_ device: DeviceRow) throws { try writing().put(DeviceRecord(device)) }

    func insert(_ invite: InviteRow) throws { try writing().insert(InviteRecord(invite)) }

    func update(_ invite: InviteRow) throws { try writing().put(InviteRecord(invite)) }

    func deleteInvites(of space: UUID, expiredBy time: Int64) throws {
        for invite in try invites(of: space) where invite.expires <= time {
            try writing().delete(InviteRecord.self, id: InviteRecord(invite).id)
        }
    }

    func write(_ changes: UnitChanges, in space: UUID) throws {
        let writer = try writing()
        for id in changes.deleted { try writer.delete(UnitRecord.self, id: UnitID(space, id)) }
        for unit in changes.updated { try writer.put(UnitRecord(unit, in: space)) }
        for unit in changes.inserted { try writer.insert(UnitRecord(unit, in: space)) }
    }

    func insert(setting name: String, _ value: [UInt8]) throws {
        let number = UInt32(try transaction[SettingRecord.self].count()) + 1
        try writing().insert(SettingRecord(id: number, name: name, value: value))
    }
}
