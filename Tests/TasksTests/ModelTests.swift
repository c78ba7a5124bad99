import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// The task list and the model side by side.
private final class Lockstep {
    private static let zones = [
        "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "Australia/Lord_Howe",
    ]

    let opened: TestTasks
    var model = TaskModel()
    var dice: Dice
    var lastUpdates: [UUID: Instant] = [:]
    var created = 0

    private var tasks: TaskList { opened.tasks }

    init(seed: UInt64) throws {
        opened = try TestTasks(at: "2026-03-27T21:00:00Z", seed: seed)
        dice = Dice(seed)
    }

    func step() async throws {
        passTime()
        let ids = model.state.tasks.keys.sorted { $0.uuidString < $1.uuidString }
        let choice = ids.isEmpty ? 0 : dice.below(20)
        switch choice {
        case 0...3: try await create()
        case 4...6: try await setState(dice.pick(ids))
        case 7...8: try await schedule(dice.pick(ids))
        case 9...12: try await reorder(dice.pick(ids))
        case 13: try await carry(ids)
        case 14: try await delete(dice.pick(ids))
        case 15: try await edit(dice.pick(ids))
        case 16: try await merge(ids)
        case 17...18: try await undo()
        default: try await redo()
        }
    }

    private func passTime() {
        if dice.chance(60) { opened.clock.advance(byMicroseconds: Int64(dice.below(4 * 3600)) * 1_000_000) }
        if dice.chance(3) {
            opened.clock.setWall(opened.clock.wall.advanced(bySeconds: Int64(dice.below(5 * 86_400)) - 3 * 86_400))
        }
        if dice.chance(5), let zone = try? Zone(dice.pick(Self.zones)) { opened.zone.set(zone) }
    }

    private func operate(
        _ work: () async throws -> Void, _ change: (inout TaskModel.State) -> Void
    ) async throws {
        let before = try opened.lastSequence()
        try await work()
        model.operate(wrote: try opened.lastSequence() != before, change)
    }

    private func randomDay() -> Day? {
        dice.chance(30) ? nil : opened.today.advanced(by: dice.below(4))
    }

    private func create() async throws {
        created += 1
        let text = "task \(created)"
        let id = uuid(created)
        let day = randomDay()
        try await operate {
            try await tasks.create([NewTask(text, on: day, id: id)])
        } _: { state in
            state.tasks[id] = TaskModel.Entry(text: text, day: day)
            state.place(id)
        }
    }

    private func setState(_ id: UUID) async throws {
        let target = dice.pick(TaskState.allCases)
        let now = opened.clock.wall
        let cycles = dice.chance(30)
        try await operate {
            if cycles { try await tasks.cycle(id) } else { try await tasks.setState(id, to: target) }
        } _: { state in
            let next = cycles ? state.tasks[id]!.state.next : target
            if state.tasks[id]!.state != next { state.tasks[id]!.completedAt = next == .completed ? now : nil }
            state.tasks[id]!.state = next
        }
    }

    private func schedule(_ id: UUID) async throws {
        let day = randomDay()
        try await operate {
            try await tasks.schedule(id, on: day.map { .on($0) } ?? .inbox)
        } _: { state in
            guard state.tasks[id]!.day != day else { return }
            state.tasks[id]!.day = day
            state.place(id)
        }
    }

    private func reorder(_ id: UUID) async throws {
        let entry = model.state.tasks[id]!
        guard !entry.isArchived else { return }
        let list = model.state.lists[entry.day]!
        let view = model.tasks(on: entry.day)
        let current = model.state
        let other = dice.pick(list)
        let index = dice.below(list.count)
        let place: TaskPlace = dice.pick([.first, .last, .before(other), .after(other), .index(index)])
        try await operate {
            try await tasks.reorder(id, to: place)
        } _: { state in
            var rest = list
            rest.removeAll { $0 == id }
            var target: Int?
            switch place {
            case .first: target = 0
            case .last: target = rest.count
            case .before(let other), .after(let other):
                let state = current.tasks[other]!.state
                if state == entry.state {
                    target = rest.firstIndex(of: other).map { place == .before(other) ? $0 : $0 + 1 }
                } else {
                    target = view.firstIndex(of: other)! < view.firstIndex(of: id)! ? 0 : rest.count
                }
            case .index(let index):
                let group = view.filter { current.tasks[$0]!.state == entry.state }
                let start = view.firstIndex(of: group[0])!
                let others = group.filter { $0 != id }
                let within = min(max(index - start, 0), others.count)
                if within < others.count {
                    target = rest.firstIndex(of: others[within])
                } else if let last = others.last {
                    target = rest.firstIndex(of: last)! + 1
                }
            }
            if let target { state.place(id, at: target) }
        }
    }

    private func carry(_ ids: [UUID]) async throws {
        let chosen = (0..<1 + dice.below(4)).map { _ in dice.pick(ids) }
        let day = randomDay()
        let today = opened.today
        try await operate {
            try await tasks.carry(chosen, to: day.map { .on($0) } ?? .inbox)
        } _: { state in
            for id in chosen {
                let task = state.tasks[id]!
                guard let from = task.day, from < today, task.state != .completed, !task.isArchived else { continue }
                state.tasks[id]!.day = day
                state.tasks[id]!.carryCount += 1
                state.place(id)
            }
        }
    }

    private func delete(_ id: UUID) async throws {
        try await operate {
            try await tasks.delete(id)
        } _: { state in
            state.deleted[id] = .some(state.tasks[id]!.completedAt)
            state.tasks[id] = nil
            state.remove(id)
        }
    }

    private func edit(_ id: UUID) async throws {
        let now = opened.clock.wall
        let isArchived = dice.chance(60) ? !model.state.tasks[id]!.isArchived : model.state.tasks[id]!.isArchived
        let text = "edited \(dice.below(1000))"
        try await operate {
            try await tasks.edit(id) { task in
                task.text = text
                task.archivedAt = isArchived ? now : nil
            }
        } _: { state in
            let wasArchived = state.tasks[id]!.isArchived
            state.tasks[id]!.text = text
            state.tasks[id]!.isArchived = isArchived
            if isArchived { state.remove(id) } else if wasArchived { state.place(id) }
        }
    }
    /// A file's version of a task: known, deleted or new; older or newer; also on past days.
    /// A file's version of a task: known, deleted or new; older or newer; past days included.
    private func merge(_ ids: [UUID]) async throws {
        let deleted = model.state.deleted.keys.sorted { $0.uuidString < $1.uuidString }
        created += 1
        let id =
            dice.chance(50) ? dice.pick(ids) : !deleted.isEmpty && dice.chance(50) ? dice.pick(deleted) : uuid(created)
        let updatedAt = opened.clock.wall.advanced(bySeconds: Int64(dice.below(40)) - 20)
        let day = dice.chance(30) ? nil : opened.today.advanced(by: dice.below(8) - 4)
        let completedAt = dice.chance(30) ? updatedAt : nil
        let text = "imported \(created)"
        var imported = ImportedTask(
            id: id, text: text, createdAt: updatedAt.advanced(bySeconds: -100), updatedAt: updatedAt, scheduledDate: day
        )
        if let completedAt { (imported.state, imported.completedAt) = (.completed, completedAt) }
        let isArchived = dice.chance(10)
        if isArchived { imported.archivedAt = updatedAt }
        // Which of two versions is the newer one is the engine's own knowledge of times; the rest is the model's.
        var written = 0
        try await operate { [imported] in
            written = try await tasks.merge([imported], [], continuing: nil).written
        } _: { state in
            let old = state.tasks[id]
            state.deleted[id] = nil
            state.tasks[id] = TaskModel.Entry(
                text: text, state: completedAt == nil ? .notStarted : .completed, completedAt: completedAt, day: day,
                isArchived: isArchived)
            if let old, old.day == day, !old.isArchived, !isArchived { return }
            state.place(id)
        }
        if written > 0 { lastUpdates[id] = nil }
    }

    private func undo() async throws {
        let error = await taskError { try await tasks.undo() }
        #expect(error == (model.canUndo ? nil : .nothingToUndo))
        if model.canUndo { model.undo() }
    }

    private func redo() async throws {
        let error = await taskError { try await tasks.redo() }
        #expect(error == (model.canRedo ? nil : .nothingToRedo))
        if model.canRedo { model.redo() }
    }

    // MARK: Comparison

    func compare() throws {
        let today = opened.today
        let zone = opened.zone.zone
        try tasks.read { reading in
            try #require(try reading.inbox().map(\.id) == model.tasks(on: nil))
            try #require(try reading.today().map(\.id) == model.tasks(on: today))
            let upcoming = try reading.upcoming()
            try #require(upcoming.map(\.day) == model.days { $0 > today })
            for group in upcoming { try #require(group.tasks.map(\.id) == model.tasks(on: group.day)) }
            let past = model.days { $0 < today }.flatMap { model.tasks(on: $0) }
            try #require(try reading.past().map(\.id) == past)
            let open = past.filter { model.state.tasks[$0]!.state != .completed }
            try #require(try reading.past(openOnly: true).map(\.id) == open)
            try #require(try reading.past(openOnly: true, limit: 3).map(\.id) == Array(open.prefix(3)))

            var count = 0
            try reading.forEach { task, order in
                count += 1
                let entry = try #require(model.state.tasks[task.id])
                try #require(task.text == entry.text)
                try #require(task.state == entry.state)
                try #require(task.completedAt == entry.completedAt)
                try #require(task.scheduledDate == entry.day)
                try #require(task.carryCount == entry.carryCount)
                try #require((task.archivedAt != nil) == entry.isArchived)
                if !entry.isArchived { try #require(order == model.state.lists[entry.day]?.firstIndex(of: task.id)) }
                // The time of the last change never decreases, whatever the clock does.
                if let last = lastUpdates[task.id] { try #require(task.updatedAt >= last) }
                lastUpdates[task.id] = task.updatedAt
            }
            try #require(count == model.state.tasks.count)
            try #require(try reading.count() == count)
            var deleted: Set<UUID> = []
            try reading.forEachTombstone { deleted.insert($0.id) }
            try #require(deleted == Set(model.state.deleted.keys))

            let statistics = try reading.statistics()
            let month = today.monthOfYear
            try #require(statistics.today == model.completions(in: today..<today.advanced(by: 1), zone: zone))
            try #require(statistics.week == model.completions(in: today.week(startingOn: .monday), zone: zone))
            try #require(statistics.month == model.completions(in: month.days, zone: zone))
            try #require(statistics.lastMonth == model.completions(in: month.previous!.days, zone: zone))
            try #require(statistics.hasHistory == !model.completions.isEmpty)
        }
    }
}

@Suite struct ModelTests {
    @Test(
        "Random days of use agree with a model of plain lists, across midnights, zones and clock steps [C-FR7, C-FR11, C-FR18]",
        arguments: 1...6 as ClosedRange<UInt64>)
    func lockstep(seed: UInt64) async throws {
        let run = try Lockstep(seed: seed)
        for number in 0..<500 {
            try await run.step()
            try run.compare()
            if number % 10 == 0 { try run.opened.expectSound("seed \(seed), step \(number)") }
        }
        try run.opened.expectSound("seed \(seed)")
    }
}
