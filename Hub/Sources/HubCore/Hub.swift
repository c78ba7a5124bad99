import Crypto
import FoundationEssentials
import HubMessages
import Sync

/// What a hub does, over any storage: the rules of spaces, devices, pushes and pulls. It keeps nothing itself, so that any
/// number of hubs may run on one database.
public struct Hub: Sendable {
    /// Where everything is.
    public let storage: any HubStorage
    /// How many bytes the units of one space may take up.
    public let spaceLimit: Int64
    /// The clock, in microseconds since 1970.
    public let now: @Sendable () -> Int64
    /// Random numbers that nobody can predict.
    public let random: @Sendable () -> UInt64

    /// A hub.
    public init(
        storage: any HubStorage, spaceLimit: Int64 = 1 << 30, now: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable () -> UInt64
    ) {
        self.storage = storage
        self.spaceLimit = spaceLimit
        self.now = now
        self.random = random
    }

    /// Push and pull in one transaction.
    ///
    /// - Throws: `SyncRefusal`.
    public func sync(_ request: SyncRequest, space: UUID, device: UInt64) async throws -> SyncAnswer {
        let time = now()
        try check(request, time: time)
        if request.units.isEmpty {
            do {
                return try await storage.read { try pull(request, space: space, device: device, time: time, from: $0) }
            } catch is HistoryIsShorter {
                throw try await renewEpoch(of: space, below: request.after)
            }
        }
        let renewed = newID()
        return try await storage.write { rows in
            try push(request, space: space, device: device, time: time, renewed: renewed, in: rows)
        }.get()
    }

    /// All units of some records.
    ///
    /// - Throws: `SyncRefusal`: `tooLarge` when they do not fit into an answer.
    public func records(_ request: RecordsRequest, space: UUID, device: UInt64) async throws -> RecordsAnswer {
        guard request.records.count <= HubLimits.recordLimit else { throw SyncRefusal.tooLarge }
        let records = Array(Set(request.records))
        return try await storage.read { rows in
            _ = try rows.account(space, device).checked()
            let headers = try rows.headers(of: records, in: space)
            guard headers.count <= SyncProtocol.unitLimit,
                headers.reduce(0, { $0 + $1.cost }) <= SyncProtocol.byteLimit
            else { throw SyncRefusal.tooLarge }
            let units = try rows.units(headers.map(\.id), in: space)
            return RecordsAnswer(units: units.sorted { $0.sequence < $1.sequence })
        }
    }

    /// The head of a space, for a device that may see it.
    ///
    /// - Throws: `SyncRefusal`.
    public func head(of space: UUID, device: UInt64) async throws -> Int64 {
        try await storage.read { try $0.account(space, device).checked().space.head }
    }

    /// The heads of several spaces.
    public func heads(of spaces: [UUID]) async throws -> [UUID: Int64] {
        guard !spaces.isEmpty else { return [:] }
        return try await storage.read { try $0.heads(of: spaces) }
    }

    /// How much the hub keeps.
    public func sizes() async throws -> HubSizes { try await storage.read { try $0.sizes() } }

    /// A new random id.
    func newID() -> UUID {
        var bytes: [UInt8] = []
        for value in [random() & ~0xF000 | 0x4000, random() & (1 << 62 - 1) | 1 << 63] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
        return UUID(bytes: bytes) ?? UUID()
    }

    /// Random bytes for keys.
    func newBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let value = random()
            for shift in stride(from: 0, through: 56, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        return Array(bytes.prefix(count))
    }
}

extension Hub {
    /// Refuses what no storage has to be asked for.
    private func check(_ request: SyncRequest, time: Int64) throws(SyncRefusal) {
        guard request.version == SyncProtocol.version else { throw .upgradeRequired }
        guard request.units.count <= SyncProtocol.unitLimit,
            request.units.reduce(0, { $0 + $1.key.count + $1.body.count }) <= SyncProtocol.byteLimit
        else { throw .tooLarge }
        guard request.after >= 0, request.pushNumber <= UInt64(Int64.max),
            request.units.isEmpty || request.pushNumber > 0
        else { throw .malformed }
        let latest = time + SyncProtocol.clockTolerance
        for unit in request.units {
            guard let stamp = MergeKey(unit.key)?.stamp else { continue }
            if stamp.milliseconds > latest / 1000 { throw .clockAhead(time: time) }
        }
    }

    private func pull(
        _ request: SyncRequest, space: UUID, device: UInt64, time: Int64, from rows: any HubReading
    ) throws -> SyncAnswer {
        let space = try rows.account(space, device).checked().space
        if let epoch = request.epoch, epoch != space.epoch { throw SyncRefusal.epochChanged(space.epoch) }
        guard request.after <= space.head else { throw HistoryIsShorter() }
        var page = UnitPage()
        if request.after < space.head {
            page = try rows.page(
                of: space.space, after: request.after, through: space.head, count: SyncProtocol.unitLimit,
                bytes: SyncProtocol.byteLimit)
        }
        return SyncAnswer(
            epoch: space.epoch, results: [], units: page.units,
            next: page.isComplete ? space.head : page.units.last?.sequence ?? request.after, head: space.head,
            digest: space.digest, time: time)
    }

    /// - Returns: a refusal that has changed something, and must be committed: a new epoch.
    private func push(
        _ request: SyncRequest, space id: UUID, device: UInt64, time: Int64, renewed: UUID, in rows: any HubWriting
    ) throws -> Result<SyncAnswer, SyncRefusal> {
        let records = Array(Set(request.units.map(\.record)))
        let state = try rows.lock(id, device: device, records: records)
        var (space, row) = try state.checked()
        if let epoch = request.epoch, epoch != space.epoch { throw SyncRefusal.epochChanged(space.epoch) }
        if request.after > space.head {
            let old = space
            space.epoch = renewed
            try rows.update(old, to: space)
            return .failure(.epochChanged(renewed))
        }
        let hash = request.unitsHash
        let number = Int64(request.pushNumber)
        guard number > row.pushNumber || hash == row.pushHash else { throw SyncRefusal.forked }

        let plan = PushPlan(request.units, state: state.headers, space: space, device: device)
        guard plan.space.bytes <= spaceLimit || plan.space.bytes <= space.bytes else { throw SyncRefusal.full }
        // A push of one unit has one winner at most, so that sending less at once always helps.
        let winnersCost = plan.winners.reduce(0) { $0 + $1.cost }
        guard winnersCost <= SyncProtocol.byteLimit else { throw SyncRefusal.tooLarge }

        var page = UnitPage(isComplete: request.after == space.head)
        let room = (count: SyncProtocol.unitLimit - plan.winners.count, bytes: SyncProtocol.byteLimit - winnersCost)
        if !page.isComplete, room.count > 0 {
            page = try rows.page(
                of: id, after: request.after, through: space.head, count: room.count, bytes: room.bytes)
        }
        let next = page.isComplete ? plan.space.head : page.units.last?.sequence ?? request.after
        let touched = plan.touched
        var units = page.units.filter { !touched.contains($0.unit.id) }
        let sent = Set(units.map(\.unit.id))
        units += try rows.units(plan.winners.map(\.id).filter { !sent.contains($0) }, in: id)

        if !plan.changes.isEmpty {
            try rows.update(space, to: plan.space)
            try rows.write(plan.changes, in: id)
        }
        if number > row.pushNumber {
            row.pushNumber = number
            row.pushHash = hash
            try rows.update(row)
        }
        return .success(
            SyncAnswer(
                epoch: space.epoch, results: plan.results, units: units, next: next, head: plan.space.head,
                digest: plan.space.digest, time: time))
    }

    /// The hub has less than a device has seen: it was restored, and says so from now on.
    private func renewEpoch(of space: UUID, below after: Int64) async throws -> SyncRefusal {
        let renewed = newID()
        return try await storage.write { rows in
            guard let old = try rows.lock(space, device: 0, records: []).space else { return .unknownSpace }
            // A push may have arrived in between, and the head may have reached the device's.
            guard after > old.head else { return .unavailable }
            var new = old
            new.epoch = renewed
            try rows.update(old, to: new)
            return .epochChanged(renewed)
        }
    }

    /// A device has seen more than the hub has.
    private struct HistoryIsShorter: Error {}
}

extension PushState {
    /// The rows of a device that may take part.
    func checked() throws(SyncRefusal) -> (space: SpaceRow, device: DeviceRow) {
        guard let space else { throw .unknownSpace }
        guard let device, !device.isRevoked else { throw .forbidden }
        return (space, device)
    }
}

extension SyncRequest {
    /// The SHA-256 of the units: the same for a push that is repeated, whatever it has pulled meanwhile.
    var unitsHash: [UInt8] {
        Array(SHA256.hash(data: SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: units).encoded))
    }
}
