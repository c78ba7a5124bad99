import FoundationEssentials
import HubCore
import HubMessages
import Postgres
import Sync

/// The rows of a transaction. What is written goes out together with the next read or at the end, in one round trip.
final class PostgresRows: HubWriting {
    private let transaction: PostgresTransaction
    private var pending: [(statement: PostgresStatement, rows: Int?)] = []

    init(_ transaction: PostgresTransaction) {
        self.transaction = transaction
    }

    /// Sends what is to be written.
    func flush() throws {
        guard !pending.isEmpty else { return }
        let sent = pending
        pending = []
        let results = try transaction.run(sent.map(\.statement))
        for (result, entry) in zip(results, sent) {
            // Under the lock of the space nobody else changes its rows: a difference means that the lock did not hold.
            if let rows = entry.rows, result.affected != rows { throw StorageConflict() }
        }
    }

    private func query(_ statements: [PostgresStatement]) throws -> [[PostgresRow]] {
        try flush()
        return try transaction.run(statements).map(\.rows)
    }

    private func query(_ text: String, _ values: [PostgresValue] = []) throws -> [PostgresRow] {
        try query([PostgresStatement(text, values)])[0]
    }

    private func write(_ text: String, _ values: [PostgresValue], rows: Int? = 1) {
        pending.append((PostgresStatement(text, values), rows))
    }

    // MARK: Spaces and devices

    func account(_ space: UUID, _ device: UInt64) throws -> PushState {
        let answers = try query([
            PostgresStatement(Statements.space, [.id(space)]),
            PostgresStatement(Statements.device, [.id(space), .device(device)]),
        ])
        return try state(of: space, answers)
    }

    func lock(_ space: UUID, device: UInt64, records: [UUID]) throws -> PushState {
        var statements = [
            PostgresStatement(Statements.lockSpace, [.id(space)]),
            PostgresStatement(Statements.device, [.id(space), .device(device)]),
        ]
        if !records.isEmpty {
            statements.append(PostgresStatement(Statements.headers, [.id(space), .uuids(records.map(\.bytes))]))
        }
        let answers = try query(statements)
        var state = try state(of: space, answers)
        if state.space != nil, !records.isEmpty { state.headers = try answers[2].map(Self.header) }
        return state
    }

    private func state(of space: UUID, _ answers: [[PostgresRow]]) throws -> PushState {
        PushState(
            space: try answers[0].first.map { row in
                SpaceRow(
                    space: space, epoch: try row.id(0), head: try row.integer(1),
                    digest: UInt64(bitPattern: try row.integer(2)), bytes: try row.integer(3))
            }, device: try answers[1].first.map { try Self.device($0, in: space) })
    }

    func devices(of space: UUID) throws -> [DeviceRow] {
        try query(Statements.devices, [.id(space)]).map { try Self.device($0, in: space) }
            .sorted { $0.device < $1.device }
    }

    func heads(of spaces: [UUID]) throws -> [UUID: Int64] {
        let rows = try query(Statements.heads, [.uuids(spaces.map(\.bytes))])
        return Dictionary(try rows.map { (try $0.id(0), try $0.integer(1)) }, uniquingKeysWith: max)
    }

    func spaces(after space: UUID?, limit: Int) throws -> [UUID] {
        let after = space?.bytes ?? [UInt8](repeating: 0, count: 16)
        return try query(Statements.nextSpaces, [.uuid(after), .int8(Int64(limit))]).map { try $0.id(0) }
    }

    func sizes() throws -> HubSizes {
        let answers = try query([PostgresStatement(Statements.sizes), PostgresStatement(Statements.deviceCount)])
        return HubSizes(
            spaces: try answers[0][0].integer(0), devices: try answers[1][0].integer(0),
            bytes: try answers[0][0].integer(1))
    }

    func insert(_ space: SpaceRow) throws {
        write(
            Statements.insertSpace,
            [
                .id(space.space), .id(space.epoch), .int8(space.head), .int8(Int64(bitPattern: space.digest)),
                .int8(space.bytes),
            ])
    }

    func update(_ old: SpaceRow, to new: SpaceRow) throws {
        write(
            Statements.updateSpace,
            [
                .id(old.space), .int8(old.head), .id(new.epoch), .int8(new.head),
                .int8(Int64(bitPattern: new.digest)), .int8(new.bytes),
            ])
    }

    func insert(_ device: DeviceRow) throws { write(Statements.insertDevice, Self.values(device)) }

    func update(_ device: DeviceRow) throws { write(Statements.updateDevice, Self.values(device)) }

    func invites(of space: UUID) throws -> [InviteRow] {
        try query(Statements.invites, [.id(space)]).map { row in
            InviteRow(
                space: space, tokenHash: try row.bytes(0), sealedKeys: try row.bytes(1), expires: try row.integer(2),
                usedBy: try row.optionalInteger(3).map { UInt64(bitPattern: $0) })
        }
    }

    func insert(_ invite: InviteRow) throws {
        write(
            Statements.insertInvite,
            [
                .id(invite.space), .bytes(invite.tokenHash), .bytes(invite.sealedKeys), .int8(invite.expires),
                .int8(invite.usedBy.map { Int64(bitPattern: $0) }),
            ])
    }

    func update(_ invite: InviteRow) throws {
        write(
            Statements.updateInvite,
            [
                .id(invite.space), .bytes(invite.tokenHash), .int8(invite.usedBy.map { Int64(bitPattern: $0) }),
            ])
    }

    func deleteInvites(of space: UUID, expiredBy time: Int64) throws {
        write(Statements.deleteInvites, [.id(space), .int8(time)], rows: nil)
    }

    func setting(_ name: String) throws -> [UInt8]? {
        try query(Statements.setting, [.text(name)]).first?.bytes(0)
    }

    func insert(setting name: String, _ value: [UInt8]) throws {
        write(Statements.insertSetting, [.text(name), .bytes(value)])
    }

    // MARK: Units

    func headers(of records: [UUID], in space: UUID) throws -> [UnitHeader] {
        guard !records.isEmpty else { return [] }
        return try query(Statements.headers, [.id(space), .uuids(records.map(\.bytes))]).map(Self.header)
    }

    func units(_ ids: [UnitKey], in space: UUID) throws -> [NumberedUnit] {
        var units: [NumberedUnit] = []
        // A few at a time, so that the server can answer while it still reads.
        for start in stride(from: 0, to: ids.count, by: 32) {
            let answers = try query(
                ids[start..<min(start + 32, ids.count)].map {
                    PostgresStatement(Statements.unit, [.id(space), .id($0.record), .unit($0.unit)])
                })
            units += try answers.joined().map(Self.unit)
        }
        return units
    }

    func page(of space: UUID, after: Int64, through: Int64, count: Int, bytes: Int) throws -> UnitPage {
        let sizes = try query(
            Statements.pageSizes, [.id(space), .int8(after), .int8(through), .int8(Int64(count) + 1)])
        var rest = bytes
        var last: Int64?
        var taken = 0
        for row in sizes.prefix(count) {
            rest -= UnitHeader.cost(key: Int(try row.integer(1)), body: Int(try row.integer(2)))
            guard rest >= 0 else { break }
            last = try row.integer(0)
            taken += 1
        }
        guard let last else { return UnitPage(isComplete: sizes.isEmpty) }
        let rows = try query(Statements.page, [.id(space), .int8(after), .int8(last)])
        return UnitPage(units: try rows.map(Self.unit), isComplete: taken == sizes.count)
    }

    func write(_ changes: UnitChanges, in space: UUID) throws {
        for id in changes.deleted { write(Statements.deleteUnit, [.id(space), .id(id.record), .unit(id.unit)]) }
        for unit in changes.updated {
            let values = Self.values(unit)
            write(Statements.updateUnit, [.id(space)] + values)
        }
        var rest = changes.inserted[...]
        for size in Statements.insertSizes {
            let text = Statements.insertUnits(size)
            while rest.count >= size {
                write(text, [.id(space)] + rest.prefix(size).flatMap(Self.values), rows: size)
                rest = rest.dropFirst(size)
            }
        }
    }

    // MARK: Rows and values

    private static func device(_ row: PostgresRow, in space: UUID) throws -> DeviceRow {
        DeviceRow(
            space: space,
            registration: DeviceRegistration(
                device: UInt64(bitPattern: try row.integer(0)), signingKey: Data(try row.bytes(1)),
                agreementKey: Data(try row.bytes(2)), label: Data(try row.bytes(3))),
            // A role of a newer version may do no more than a recovery key.
            role: DeviceRole(rawValue: Int16(truncatingIfNeeded: try row.integer(4))) ?? .recovery,
            pushNumber: try row.integer(5), pushHash: try row.bytes(6), isRevoked: try row.bool(7))
    }

    private static func values(_ device: DeviceRow) -> [PostgresValue] {
        [
            .id(device.space), .device(device.device), .bytes(Array(device.registration.signingKey)),
            .bytes(Array(device.registration.agreementKey)), .bytes(Array(device.registration.label)),
            .int2(device.role.rawValue), .int8(device.pushNumber), .bytes(device.pushHash), .bool(device.isRevoked),
        ]
    }

    private static func header(_ row: PostgresRow) throws -> UnitHeader {
        UnitHeader(
            id: UnitKey(record: try row.id(0), unit: try row.unit(1)), sequence: try row.integer(2),
            key: try row.bytes(3), bodySize: Int(try row.integer(4)))
    }

    private static func unit(_ row: PostgresRow) throws -> NumberedUnit {
        NumberedUnit(
            SyncUnit(
                record: try row.id(0), unit: try row.unit(1), key: try row.bytes(3),
                flags: SyncUnit.Flags(rawValue: try row.unit(4)), body: try row.bytes(6)),
            sequence: try row.integer(2), device: UInt64(bitPattern: try row.integer(5)))
    }

    private static func values(_ unit: NumberedUnit) -> [PostgresValue] {
        [
            .id(unit.unit.record), .unit(unit.unit.unit), .int8(unit.sequence), .bytes(unit.unit.key),
            .unit(unit.unit.flags.rawValue), .device(unit.device), .bytes(unit.unit.body),
        ]
    }
}

extension PostgresValue {
    fileprivate static func id(_ id: UUID) -> PostgresValue { .uuid(id.bytes) }

    /// 64 bits of a device, which SQL takes for a signed number.
    fileprivate static func device(_ device: UInt64) -> PostgresValue { .int8(Int64(bitPattern: device)) }

    /// 16 bits, likewise.
    fileprivate static func unit(_ unit: UInt16) -> PostgresValue { .int2(Int16(bitPattern: unit)) }
}

extension PostgresRow {
    fileprivate func id(_ column: Int) throws -> UUID {
        guard let id = UUID(bytes: try bytes(column)) else { throw PostgresError.unexpectedValue }
        return id
    }

    fileprivate func unit(_ column: Int) throws -> UInt16 {
        UInt16(bitPattern: Int16(truncatingIfNeeded: try integer(column)))
    }
}
