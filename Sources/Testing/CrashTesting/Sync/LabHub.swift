import FoundationEssentials
import Sync

/// A hub as plain dictionaries, written from the specification: a register store that keeps of each unit the largest key.
///
/// It is a fold of the messages that it has taken, so that its state at any moment follows from its log.
struct LabHub: Sendable {
    typealias Name = ReplicaContent.Name

    private(set) var epoch = Self.epoch(0)
    private(set) var units: [Name: NumberedUnit] = [:]
    private(set) var head: Int64 = 0
    private(set) var pushes: [UInt64: (number: UInt64, units: [SyncUnit])] = [:]
    /// Devices of which a copy has pushed.
    private var copied: Set<UInt64> = []
    /// Records that it cannot read.
    private(set) var unreadable: Set<UUID> = []
    /// How far its clock is ahead of the devices', in seconds.
    private(set) var secondsAhead: Int64 = 0
    /// Whether it has lost something, so that devices are to notice a difference.
    private(set) var hasLost = false
    private var refusesNext = false
    private var restorations: UInt64 = 0
    /// What it had after each message.
    private var history: [[Name: NumberedUnit]] = []

    /// How many units a page has at most: few, so that a few changes make several pages.
    static let pageLimit = 3

    /// What happens to a hub.
    enum Message: Sendable, Equatable {
        /// A device pushes and pulls.
        case sync(SyncRequest, device: UInt64, time: Int64)
        /// It is restored from a backup that was made before so many messages.
        case restore(messages: Int)
        /// A copy of a device has pushed before the device does.
        case copy(device: UInt64)
        /// Its clock is set.
        case clock(secondsAhead: Int64)
        /// It loses the oldest units, and nobody notices.
        case lose(units: Int)
        /// It cannot read the record that is pushed next.
        case refuse
    }

    /// Takes a message; returns the answer to a request.
    @discardableResult
    mutating func take(_ message: Message) throws(SyncRefusal) -> SyncAnswer? {
        history.append(units)
        switch message {
        case .sync(let request, let device, let time):
            return try answer(request, from: device, now: time + secondsAhead * 1_000_000)
        case .restore(let messages):
            units = history[max(0, history.count - 1 - messages)]
            head = units.values.map(\.sequence).max() ?? 0
            pushes = [:]
            restorations += 1
            epoch = Self.epoch(restorations)
        case .copy(let device):
            copied.insert(device)
            let number = (pushes[device]?.number ?? 0) + 1
            pushes[device] = (number, units.values.filter { $0.sequence == head }.map(\.unit))
        case .clock(let seconds): secondsAhead = seconds
        case .lose(let count):
            for (name, _) in units.sorted(by: { $0.value.sequence < $1.value.sequence }).prefix(count) {
                units[name] = nil
            }
            hasLost = true
        case .refuse: refusesNext = true
        }
        return nil
    }

    private mutating func answer(
        _ request: SyncRequest, from device: UInt64, now: Int64
    ) throws(SyncRefusal) -> SyncAnswer {
        if let known = request.epoch, known != epoch { throw .epochChanged(epoch) }
        if refusesNext, let first = request.units.first {
            unreadable = [first.record]
            refusesNext = false
        }
        if request.units.contains(where: { unreadable.contains($0.record) }) { throw .malformed }
        if request.pushNumber != 0, let last = pushes[device], request.pushNumber <= last.number,
            request.pushNumber != last.number || request.units != last.units
        {
            throw .forked
        }
        for unit in request.units {
            guard let time = unit.stampedAt else { throw .malformed }
            if time > now + SyncProtocol.clockTolerance { throw .clockAhead(time: now) }
        }
        if request.pushNumber != 0 { pushes[device] = (request.pushNumber, request.units) }
        var results: [UnitResult] = []
        var winners: [NumberedUnit] = []
        var pushed: Set<Name> = []
        for unit in request.units {
            let name = Name(record: unit.record, unit: unit.unit)
            if let purge = purge(of: unit.record), !unit.isPurge {
                results.append(.superseded)
                winners.append(purge)
            } else if let there = units[name], !there.unit.key.lexicographicallyPrecedes(unit.key) {
                results.append(there.unit.key == unit.key ? .accepted : .superseded)
                if there.unit.key != unit.key { winners.append(there) }
            } else {
                if unit.isPurge { units = units.filter { $0.key.record != unit.record } }
                head += 1
                units[name] = NumberedUnit(unit, sequence: head, device: device)
                pushed.insert(name)
                results.append(.accepted)
            }
        }
        let later = units.values.filter { $0.sequence > request.after }.sorted { $0.sequence < $1.sequence }
        let page = later.prefix(Self.pageLimit)
        return SyncAnswer(
            epoch: epoch, results: results,
            units: winners + page.filter { !pushed.contains(Name(record: $0.unit.record, unit: $0.unit.unit)) },
            next: page.count < later.count ? page.last?.sequence ?? request.after : head, head: head,
            digest: units.values.reduce(0) { $0 &+ $1.unit.digest }, time: now)
    }

    func hasCopy(of device: UInt64) -> Bool { copied.contains(device) }

    /// The purge of a record; nil for one that exists.
    func purge(of record: UUID) -> NumberedUnit? {
        units[Name(record: record, unit: SyncUnit.existence)].flatMap { $0.unit.isPurge ? $0 : nil }
    }

    func records(_ request: RecordsRequest) -> RecordsAnswer {
        RecordsAnswer(
            units: units.values.filter { request.records.contains($0.unit.record) }
                .sorted { $0.sequence < $1.sequence })
    }

    private static func epoch(_ number: UInt64) -> UUID { UUID(high: 0xE90C, low: number) }
}
