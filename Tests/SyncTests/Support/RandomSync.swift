import CivilTime
import DeviceSimulation
import Foundation
import Injection
import Records
import TestSupport

@testable import Journals
@testable import Sync
@testable import Tasks

/// Some devices that change the same tasks, lists, links and journals at random, over a hub and a network that loses and repeats
/// messages. Time, faults and clones are the subject of `SyncSimulation`, which has tasks and lists.
final class RandomSync {
    var dice: Dice
    let hub = TestHub(unitLimit: 7)
    var devices: [TestDevice] = []
    let start: Instant

    /// Plays a run, and returns what is wrong in the end.
    static func problems(seed: UInt64, breaking point: InjectionPoint? = nil) async throws -> [String] {
        let run = try await RandomSync(seed: seed, breaking: point)
        try await run.play(steps: 120)
        try await run.settle()
        try run.check()
        return run.problems
    }

    private(set) var problems: [String] = []
    /// The step at which somebody switches journals on.
    private var journalsFrom = 0

    private init(seed: UInt64, breaking point: InjectionPoint?) async throws {
        dice = Dice(seed)
        start = try Instant("2026-02-11T10:00:00Z")
        let count = 2 + dice.below(3)
        for number in 1...count {
            // Clocks are off by up to half an hour either way.
            let skew = Int64(dice.below(3600) - 1800) * 1_000_000
            devices.append(
                try TestDevice(UInt64(number), at: start.advanced(byMicroseconds: skew), seed: seed, breaking: point))
        }
        hub.state.withLock { [start] in $0.now = start.microsecondsSince1970 }
        for device in devices {
            // Some have tasks before they join.
            if dice.chance(50) { try operate(device) }
            try await device.begin()
        }
        journalsFrom = dice.chance(40) ? dice.below(60) : .max
    }

    private func play(steps: Int) async throws {
        for step in 0..<steps {
            let device = dice.pick(devices)
            if step == journalsFrom { try await device.replica.switchOnJournals() }
            let time = Int64(dice.below(90_000_000))
            for device in devices { device.clock.advance(byMicroseconds: time) }
            hub.state.withLock { $0.now += time }
            if dice.chance(8) { try editAtOnce() }
            switch dice.below(10) {
            case 0..<6: try operate(device)
            case 6..<9: try await exchange(device)
            default: try device.reopen()
            }
        }
    }

    /// Every device gives the same task another text in the same millisecond, so that ties are decided.
    private func editAtOnce() throws {
        let all = try devices[0].store.read { try $0[TaskItem.self].page(limit: 50) }
        guard !all.isEmpty else { return }
        let id = dice.pick(all).id
        for device in devices {
            do {
                try device.write(.edit) { _ = try $0.edit(id) { $0.text = "at once \(device.number)" } }
            } catch is TaskError {}
        }
    }

    /// One round whose request or answer may be lost, and whose answer may come twice.
    private func exchange(_ device: TestDevice) async throws {
        hub.device.withLock { $0 = device.number }
        for _ in 0..<(1 + dice.below(4)) {
            let round = try await device.replica.prepare(unitLimit: 1 + dice.below(6))
            if dice.chance(10) { continue }
            do {
                let answer = try await hub.sync(round.request)
                if dice.chance(15) { continue }
                // The person goes on while the answer is on its way.
                if dice.chance(20) { try operate(device) }
                _ = try await device.replica.finish(round, with: answer)
                if dice.chance(10) { _ = try await device.replica.finish(round, with: answer) }
            } catch let refusal as SyncRefusal {
                _ = try await device.replica.react(to: refusal, of: round)
            }
        }
    }

    private func settle() async throws {
        for _ in 0..<3 {
            for device in devices {
                let ending = try await device.sync(hub)
                guard ending != .settled else { continue }
                let pending = try device.stamps().filter { $0.value.contains("*") }
                problems.append("device \(device.number): \(ending), \(try device.replica.status()), \(pending)")
            }
        }
    }

    private func check() throws {
        let first = try devices[0].content()
        for device in devices {
            let content = try device.content()
            for name in Set(first.keys).union(content.keys).sorted() where content[name] != first[name] {
                let stamps = try (device.stamps()[name] ?? "none", devices[0].stamps()[name] ?? "none")
                problems.append(
                    """
                    device \(device.number) and the first differ in \(name): \(content[name] ?? []), \(first[name] ?? [])
                    \(stamps.0)
                    \(stamps.1)
                    """)
            }
            let status = try device.replica.status()
            // A repair would hide what went wrong before it.
            if status.pending != 0 || status.digest != .same || status.fullPulls != 0 {
                problems.append("device \(device.number): \(status)")
            }
            problems += try device.store.verify().problems
            try device.tasks.checkInvariants { problems.append("device \(device.number): \($0)") }
            try Journal(store: device.store).checkInvariants { problems.append("device \(device.number): \($0)") }
            problems += try differencesFromHub(device)
        }
        let kept = hub.units.mapValues(\.unit.key)
        if kept != hub.fold.mapValues(\.key) { problems.append("the hub does not have the largest keys") }
    }

    /// The oracle of what a person sees: of everything that was ever sent, the values with the largest keys.
    private func differencesFromHub(_ device: TestDevice) throws -> [String] {
        let sealing = PlainSealing()
        let fold = hub.fold
        return try device.store.read { transaction in
            try transaction[TaskItem.self].page(limit: 1000).flatMap { task -> [String] in
                let name = sealing.name(ofRecord: task.id.keyArray, in: TaskItem.collection.number)
                func fields(_ unit: UInt16) throws -> StoredFields? {
                    guard let found = fold[UnitName(record: name, unit: unit)] else { return nil }
                    switch try UnitBody(decoding: sealing.open(found), of: unit) {
                    case .base(_, _, let value), .fields(_, let value, _): return StoredFields(value)
                    case .existence: return nil
                    }
                }
                let base = try fields(SyncUnit.base)
                let text = try (fields(2) ?? base)?[1].map { String(decoding: $0.content, as: UTF8.self) }
                let state = try (fields(11) ?? base)?[2]?.content.first ?? 0
                return (text == task.text ? [] : ["device \(device.number): a text is not the last one"])
                    + (state == task.state.rawValue ? [] : ["device \(device.number): a state is not the last one"])
            }
        }
    }

    // MARK: What people do

    private func operate(_ device: TestDevice) throws {
        do {
            try operateOrFail(device)
        } catch is TaskError {
        } catch is JournalError {
        } catch RecordsError.nothingToUndo, RecordsError.nothingToRedo, RecordsError.changedSince {
        }
    }

    private func operateOrFail(_ device: TestDevice) throws {
        if journalsFrom != .max, dice.chance(25) { return try write(device) }
        let word = ["a", "b", "c", "d"][dice.below(4)] + "\(dice.below(1000))"
        let all = try device.store.read { try $0[TaskItem.self].page(limit: 50) }
        let lists = try device.store.read { try $0[CustomList.self].page(limit: 50) }
        let day = try Day("2026-02-1\(dice.below(6))")
        let list = lists.isEmpty || dice.chance(30) ? nil : dice.pick(lists).id
        guard let task = all.isEmpty || dice.chance(20) ? nil : dice.pick(all) else {
            let scheduled = dice.chance(50)
            _ = try device.write(.create) {
                var new = NewTask(word, on: scheduled ? day : nil)
                new.list = list
                return try $0.create(new)
            }
            return
        }
        let other = dice.pick(all)
        switch dice.below(19) {
        case 17: _ = try device.write(.block) { try $0.block(task.id, by: other.id) }
        case 18: _ = try device.write(.block) { try $0.unblock(task.id, by: other.id) }
        case 0: _ = try device.write(.edit) { try $0.edit(task.id) { $0.text = word } }
        case 1: _ = try device.write(.edit) { try $0.edit(task.id) { $0.notes = word } }
        case 2: _ = try device.write(.changeState) { try $0.setState(task.id, to: .completed) }
        case 3: _ = try device.write(.changeState) { try $0.setState(task.id, to: .notStarted) }
        case 4: _ = try device.write(.changeState) { try $0.setState(task.id, to: .active) }
        case 5: _ = try device.write(.schedule) { try $0.schedule(task.id, on: .on(day)) }
        case 6: _ = try device.write(.reorder) { try $0.reorder(task.id, to: .first) }
        case 7: _ = try device.write(.delete) { try $0.delete(task.id) }
        case 8, 9: _ = try device.store.write { try $0.undo() }
        case 10: _ = try device.store.write { try $0.redo() }
        case 11: _ = try device.write(.createList) { try $0.createList(word) }
        case 12: if let list { _ = try device.write(.deleteList) { try $0.deleteList(list) } }
        case 13: _ = try device.write(.move) { try $0.move(task.id, toList: list) }
        case 14: if let list { _ = try device.write(.editList) { try $0.renameList(list, to: word) } }
        case 15: if dice.chance(30) { try device.write(.purge) { try $0.purge(task.id) } }
        default: if let list { _ = try device.write(.reorderList) { try $0.reorderList(list, to: .first) } }
        }
    }

    /// An operation on journals.
    private func write(_ device: TestDevice) throws {
        let word = "entry \(dice.below(1000))"
        let threads = try device.store.read { try $0[JournalThread.self].page(limit: 20) }
        guard !threads.isEmpty, !dice.chance(10) else {
            _ = try device.change { try $0.journals.createThread(word, firstEntry: word) }
            return
        }
        let thread = dice.pick(threads)
        let entries = try device.store.read { try $0[JournalEntry.inThread].prefix(thread.id) }
        let fields = try device.store.read { try $0[CustomField.inThread].prefix(thread.id) }
        let values = fields.isEmpty ? [:] : [dice.pick(fields).id: word]
        let choice = dice.below(11)
        let (entry, field, group) = (
            entries.isEmpty ? nil : dice.pick(entries).id, fields.isEmpty ? nil : dice.pick(fields).id,
            fields.isEmpty ? nil : dice.pick(fields).id
        )
        let isRare = dice.chance(30)
        try device.change { transaction in
            let journals = transaction.journals
            switch choice {
            case 0, 1: _ = try journals.addEntry(NewEntry(word, values: values), to: thread.id)
            case 2, 3: if let entry { _ = try journals.editEntry(entry, word, values: values) }
            case 4: if let entry { _ = try journals.deleteEntry(entry) }
            case 5: _ = try journals.renameThread(thread.id, to: word)
            case 6: _ = try thread.isDeleted ? journals.restoreThread(thread.id) : journals.deleteThread(thread.id)
            case 7: if isRare { _ = try journals.purgeThread(thread.id) }
            case 8: _ = try journals.createField(word, in: thread.id, isGroup: isRare)
            case 9: if let field, let group { try journals.put(field, into: isRare ? nil : group) }
            default:
                if let field { _ = try isRare ? journals.deleteField(field) : journals.reorderField(field, to: .first) }
            }
        }
    }
}
