import CivilTime
import Daybook
import DiskRecording
import DomainPacks
import FoundationEssentials
import KeyValue
import Records
import Sync
import Tasks

/// A synced store opened by the lab. Only synchronous calls, since it is used in forked children.
final class SyncDevice {
    static let syncSchema = SyncSchema()
    static let schema = DaybookStore.schema.adding(syncSchema.schema)
    static let space = UUID(high: 0x5BACE, low: 1)
    /// The device of recorded runs, and the one that changes the same records elsewhere.
    static let own: UInt64 = 1
    static let other: UInt64 = 2

    let store: RecordStore
    let replica: SyncReplica
    private let clock: SettableClock

    /// Runs one transaction: a recording notes what it leads to.
    typealias Commit = (() throws -> Void) throws -> Void

    init(at path: String, options: StoreOptions = .direct) throws {
        let clock = SettableClock(LabStore.start)
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday)
        store = try RecordStore(at: path, schema: Self.schema, context: context, options: options)
        replica = SyncReplica(of: store, Self.syncSchema, sealing: LabSealing())
        self.clock = clock
    }

    /// How far this device's clock is ahead, in seconds.
    var secondsAhead = 0

    func setStep(_ index: Int) { clock.setWall(LabStore.instant(ofStep: index + secondsAhead)) }

    /// The true time, in microseconds since 1970.
    var time: Int64 { clock.wall.microsecondsSince1970 - Int64(secondsAhead) * 1_000_000 }

    func close() { store.close() }

    /// Returns a digest of every key and value of every table.
    func digest() throws -> UInt64 {
        let tables = try store.environment.openTables(Self.schema.tableNames)
        return try store.environment.read { transaction in
            var digest = ContentDigest()
            for table in tables { try digest.take(table, in: transaction) }
            return digest.value
        }
    }

    // MARK: What people do

    /// The tasks and lists in the order of their ids.
    private func targets() throws -> (tasks: [TaskItem], lists: [CustomList]) {
        try store.read { try ($0[TaskItem.self].page(limit: 10_000), $0[CustomList.self].page(limit: 1000)) }
    }

    /// Changes the records of this device in one transaction, unless there is nothing to change.
    func change(_ step: LabStep, at index: Int, _ commit: Commit) throws {
        let (tasks, lists) = try targets()
        var draw = DomainDraw(step.draw, at: LabStore.moment)
        let (task, list) = (draw.pick(tasks), draw.pick(lists))
        let text = "text \(index)"
        func write(_ operation: TaskOperation, _ body: @escaping (TaskTransaction) throws -> Void) throws {
            try commit { try store.write(operation.label) { try body($0.tasks) } }
        }
        switch (step.operation, task, list) {
        case (.create, _, _):
            var new = NewTask(text, on: draw.below(2) == 0 ? LabStore.today : nil, id: TaskAction.id(1000 + index))
            new.list = draw.below(3) == 1 ? list?.id : nil
            try write(.create) { try $0.create(new) }
        case (.edit, let task?, _): try write(.edit) { try $0.edit(task.id) { $0.text = text } }
        case (.note, let task?, _): try write(.edit) { try $0.edit(task.id) { $0.notes = text } }
        case (.complete, let task?, _):
            try write(.changeState) { try $0.setState(task.id, to: task.isCompleted ? .active : .completed) }
        case (.reorder, let task?, _): try write(.reorder) { try $0.reorder(task.id, to: .first) }
        case (.delete, let task?, _): try write(.delete) { try $0.delete(task.id) }
        case (.purge, let task?, _): try write(.purge) { try $0.purge(task.id) }
        case (.move, let task?, let list?):
            try write(.move) { try $0.move(task.id, toList: task.listID == list.id ? nil : list.id) }
        case (.drop, _, let list?): try write(.deleteList) { try $0.deleteList(list.id) }
        case (.undo, _, _):
            try commit {
                do {
                    try store.write { try $0.undo() }
                } catch RecordsError.nothingToUndo, RecordsError.changedSince {
                }
            }
        default: return
        }
    }

    // MARK: Rounds

    enum Ending { case more, settled, held, waits }

    /// How much of a round is made.
    enum Extent { case whole, answerIsLost, changesMeanwhile }

    /// How many units one request has at most: few, so that a few changes make several requests.
    static let unitLimit = 3

    /// One round with the hub of a log.
    func round(
        with log: inout LabHubLog, _ extent: Extent = .whole, unitLimit: Int = unitLimit, at index: Int,
        _ commit: Commit
    ) throws -> (ending: Ending, unitLimit: Int) {
        let replica = replica
        guard let number = try replica.content()?.device else { return (.settled, unitLimit) }
        var prepared: Round?
        try commit { prepared = try CallingThread.run { try await replica.prepare(unitLimit: unitLimit) } }
        guard let round = prepared else { return (.waits, unitLimit) }
        do {
            guard let answer = try log.take(.sync(round.request, device: number, time: time)) else {
                return (.waits, unitLimit)
            }
            if extent == .answerIsLost { return (.more, unitLimit) }
            if extent == .changesMeanwhile { try change(LabStep(.edit), at: index, commit) }
            var outcome = RoundOutcome.more
            try commit { outcome = try CallingThread.run { try await replica.finish(round, with: answer) } }
            while case let names = try replica.wantedRecords(), !names.isEmpty {
                let found = log.hub.records(RecordsRequest(records: names))
                try commit { try CallingThread.run { try await replica.finishFetch(of: names, with: found) } }
            }
            return (outcome == .more ? .more : outcome == .settled ? .settled : .held, Self.unitLimit)
        } catch let refusal as SyncRefusal {
            var reaction = SyncReplica.Reaction.wait
            try commit { reaction = try CallingThread.run { try await replica.react(to: refusal, of: round) } }
            return switch reaction {
            case .retry(let smaller): (.more, min(smaller, Self.unitLimit))
            case .wait: (.waits, unitLimit)
            case .stop: (.held, unitLimit)
            }
        }
    }

    /// Rounds until nothing is left.
    func sync(with log: inout LabHubLog, at index: Int, _ commit: Commit) throws {
        var limit = Self.unitLimit
        for _ in 0..<200 {
            let (ending, next) = try round(with: &log, unitLimit: limit, at: index, commit)
            limit = next
            if ending == .held, try replica.status().held == "forked" {
                let number = log.hub.unusedDevice
                let replica = replica
                try commit { try CallingThread.run { try await replica.adopt(device: number) } }
            } else if ending != .more {
                return
            }
        }
        throw CrashLabError.workloadFailed("sync", "device and hub do not come to an end")
    }

    /// Makes the store a replica, in as many transactions as that takes.
    func join(_ hub: LabHub, _ commit: Commit) throws {
        let (replica, number) = (replica, hub.unusedDevice)
        try commit { try CallingThread.run { try await replica.startBeginning(space: Self.space, device: number) } }
        var count = 1
        while count > 0 {
            try commit { count = try CallingThread.run { try await replica.stampSome(limit: 2) } }
        }
    }

    func leave(_ commit: Commit) throws {
        let replica = replica
        try commit { try CallingThread.run { try await replica.end() } }
    }
}

extension LabHub {
    /// A number that no device has used: one that leaves and joins again is another.
    var unusedDevice: UInt64 { pushes.isEmpty && head == 0 ? SyncDevice.own : 10 + UInt64(head) }
}

extension LabOperation {
    static let purge = Self(rawValue: "purge")
    static let move = Self(rawValue: "move")
}
