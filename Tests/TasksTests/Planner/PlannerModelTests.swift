import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

/// The planner as plain values: what each task is, and the order of each bucket.
private struct PlannerModel: Equatable {
    struct Slot: Hashable {
        var day: Day
        var region: TaskRegion
        var bucket: TaskBucket
    }

    struct Entry: Equatable {
        var day: Day?
        var region = TaskRegion.backlog
        var bucket = TaskBucket.none
        var isCompleted = false
        var isArchived = false
        var isSticky = false
        var autoCarry = false
        var expiresAt: Instant?
        var carryCount: UInt32 = 0

        var slot: Slot? {
            guard let day, !isArchived, region != .backlog || bucket != .none else { return nil }
            return Slot(day: day, region: region, bucket: bucket)
        }
    }

    var tasks: [UUID: Entry] = [:]
    /// The order of each bucket, sticky or not.
    var orders: [Slot: [UUID]] = [:]

    func used(_ slot: Slot) -> Int { (orders[slot] ?? []).count { tasks[$0]?.isCompleted == false } }

    /// Makes a task another one; false, and nothing is changed, if a bucket has no room for it.
    mutating func set(_ id: UUID, to entry: Entry) -> Bool {
        let old = tasks[id]
        if let slot = entry.slot, !entry.isCompleted, old?.slot != slot || old?.isCompleted == true,
            let cap = slot.bucket.cap, used(slot) >= cap
        {
            return false
        }
        tasks[id] = entry
        guard old?.slot != entry.slot else { return true }
        if let slot = old?.slot { orders[slot]?.removeAll { $0 == id } }
        if let slot = entry.slot { orders[slot, default: []].append(id) }
        return true
    }

    mutating func remove(_ id: UUID) {
        if let slot = tasks[id]?.slot { orders[slot]?.removeAll { $0 == id } }
        tasks[id] = nil
    }

    func shown(_ slot: Slot) -> [UUID] {
        let order = orders[slot] ?? []
        return order.filter { tasks[$0]?.isSticky == true } + order.filter { tasks[$0]?.isSticky == false }
    }

    /// The state of a store, after an operation that the model does not describe.
    init(of opened: TestTasks) throws {
        let all = try opened.all()
        for task in all {
            tasks[task.id] = Entry(
                day: task.scheduledDate, region: task.region, bucket: task.bucket, isCompleted: task.isCompleted,
                isArchived: task.archivedAt != nil, isSticky: task.isSticky, autoCarry: task.autoCarry,
                expiresAt: task.expiresAt, carryCount: task.carryCount)
        }
        for task in all.sorted(by: { $0.planOrder < $1.planOrder }) {
            if let slot = tasks[task.id]?.slot { orders[slot, default: []].append(task.id) }
        }
    }
}

private final class PlannerLockstep {
    let opened: TestTasks
    var model: PlannerModel
    var dice: Dice
    var number = 0
    /// How often each operation was done, and refused.
    var counts: [String: Int] = [:]

    init(seed: UInt64) throws {
        opened = try TestTasks(at: "2026-03-27T21:00:00Z", seed: seed)
        model = try PlannerModel(of: opened)
        dice = Dice(seed)
    }

    private var tasks: TaskList { opened.tasks }
    private var ids: [UUID] { model.tasks.keys.sorted { $0.uuidString < $1.uuidString } }
    private var day: Day { opened.today.advanced(by: dice.chance(60) ? 0 : dice.below(3)) }
    // Many of them the same, so that buckets are often full.
    private var region: TaskRegion { dice.chance(40) ? .morning : dice.pick(TaskRegion.ordered) }
    private var bucket: TaskBucket { dice.chance(40) ? .must : dice.pick(TaskBucket.ordered) }

    func step() async throws {
        if dice.chance(4) { opened.clock.advance(byMicroseconds: Int64(dice.below(30 * 3600)) * 1_000_000) }
        if dice.chance(2) {
            opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -Int64(dice.below(2 * 86_400))))
        }
        guard let id = ids.isEmpty ? nil : dice.pick(ids), dice.chance(80) else { return try await create() }
        let now = opened.clock.wall
        switch dice.below(16) {
        case 0...3:
            let region = dice.chance(70) ? region : nil
            let bucket = dice.chance(70) ? bucket : nil
            let today = opened.today
            try await change(id, "place") { entry in
                entry.region = region ?? entry.region
                entry.bucket = bucket ?? entry.bucket
                entry.day = entry.day ?? today
            } by: {
                try await self.tasks.place(id, region: region, bucket: bucket)
            }
        case 4:
            let (region, bucket) = (region, bucket)
            try await change(id, "edit") {
                ($0.region, $0.bucket) = (region, bucket)
            } by: {
                try await self.tasks.edit(id) { ($0.region, $0.bucket) = (region, bucket) }
            }
        case 5:
            let day = dice.chance(15) ? nil : day
            try await change(id, "schedule") {
                $0.day = day
            } by: {
                try await self.tasks.schedule(id, on: day.map { .on($0) } ?? .inbox)
            }
        case 6:
            let (day, today) = (day, opened.today)
            try await change(id, "carry") { entry in
                guard let from = entry.day, from < today, !entry.isCompleted, !entry.isArchived else { return }
                entry.carryCount += 1
                entry.day = day
            } by: {
                try await self.tasks.carry([id], to: .on(day))
            }
        case 7, 8:
            let state = dice.pick(TaskState.allCases)
            try await change(id, "state") {
                $0.isCompleted = state == .completed
            } by: {
                try await self.tasks.setState(id, to: state)
            }
        case 9:
            if dice.chance(60) {
                let archived = ids.filter { model.tasks[$0]?.isArchived == true }
                return try await unarchive(archived.isEmpty || dice.chance(20) ? id : dice.pick(archived))
            }
            try await change(id, "archive") {
                $0.isArchived = true
            } by: {
                try await self.tasks.edit(id) { $0.archivedAt = now }
            }
        case 10:
            let isSticky = dice.chance(50)
            try await change(id, "sticky") {
                $0.isSticky = isSticky
            } by: {
                try await self.tasks.setSticky([id], to: isSticky)
            }
        case 11:
            let (carries, expires) = (dice.chance(80), dice.chance(30) ? now.advanced(bySeconds: 7200) : nil)
            try await change(id, "attributes") {
                ($0.autoCarry, $0.expiresAt) = (carries, expires)
            } by: {
                try await self.tasks.setAutoCarry([id], to: carries)
                try await self.tasks.setExpiry([id], to: expires)
            }
        case 12: try await reorder(id)
        case 13: try await undo()
        case 14: try await rollOver()
        default:
            if dice.chance(50) {
                try await tasks.delete(id)
                model.remove(id)
            } else {
                try await expire()
            }
        }
        try compare()
    }

    private func create() async throws {
        number += 1
        let id = uuid(number)
        let day = dice.chance(30) ? nil : day
        let region = dice.chance(70) ? region : nil
        let bucket = dice.chance(70) ? bucket : nil
        var entry = PlannerModel.Entry(day: day, region: region ?? .backlog, bucket: bucket ?? .none)
        if region != nil || bucket != nil { entry.day = day ?? opened.today }
        entry.autoCarry = dice.chance(50)
        let new = NewTask.planned("\(number)", region, bucket, on: day, autoCarry: entry.autoCarry, id: id)
        try await perform("create", fits: model.set(id, to: entry)) { try await self.tasks.create([new]) }
        try compare()
    }

    private func change(
        _ id: UUID, _ name: String, _ change: (inout PlannerModel.Entry) -> Void,
        by work: @escaping () async throws -> Void
    ) async throws {
        var entry = try #require(model.tasks[id])
        change(&entry)
        try await perform(name, fits: model.set(id, to: entry), work)
    }

    /// Does what the model has done or refused. Some of it is undone and redone.
    private func perform(_ name: String, fits: Bool, _ work: () async throws -> Void) async throws {
        let before = try opened.all()
        let error = await taskError { try await work() }
        counts[fits ? name : "\(name) refused", default: 0] += 1
        if fits {
            try #require(error == nil, "\(name)")
        } else {
            guard case .bucketFull = error else { throw try #require(error, "\(name) was not refused") }
            try #require(try opened.all() == before, "\(name)")
        }
    }

    private func reorder(_ id: UUID) async throws {
        guard let slot = model.tasks[id]?.slot else {
            let error = await taskError { try await self.tasks.reorderInPlan(id, to: .index(-1)) }
            try #require(error == .noSuchIndex(-1) || error == .notInSameBucket)
            return
        }
        let other = dice.pick(ids)
        let place: TaskPlace = dice.pick([.first, .last, .before(other), .after(other), .index(dice.below(3))])
        var order = model.orders[slot] ?? []
        let shown = model.shown(slot)
        let error = await taskError { try await self.tasks.reorderInPlan(id, to: place) }
        order.removeAll { $0 == id }
        switch place {
        case .first: order.insert(id, at: 0)
        case .last: order.append(id)
        case .before, .after:
            guard model.tasks[other]?.slot == slot else { return try #require(error == .notInSameBucket) }
            guard other != id, let index = order.firstIndex(of: other) else { return try #require(error == nil) }
            order.insert(id, at: place == .before(other) ? index : index + 1)
        case .index(let index):
            guard index < shown.count else { return try #require(error == .noSuchIndex(index)) }
            let isSticky = model.tasks[id]?.isSticky
            let rest = shown.filter { $0 != id }
            if let next = rest.dropFirst(index).first(where: { model.tasks[$0]?.isSticky == isSticky }) {
                order.insert(id, at: try #require(order.firstIndex(of: next)))
            } else if let last = rest.last(where: { model.tasks[$0]?.isSticky == isSticky }) {
                order.insert(id, at: try #require(order.firstIndex(of: last)) + 1)
            } else {
                order = model.orders[slot] ?? []
            }
        }
        try #require(error == nil)
        model.orders[slot] = order
        counts["reorder", default: 0] += 1
    }

    private func undo() async throws {
        let before = try opened.dump()
        let isUndo = dice.chance(60)
        let error = await taskError { _ = isUndo ? try await self.tasks.undo() : try await self.tasks.redo() }
        counts["\(isUndo ? "undo" : "redo") \(error.map(\.code) ?? "done")", default: 0] += 1
        if error != nil { try #require(try opened.dump() == before) }
        model = try PlannerModel(of: opened)
    }

    private func rollOver() async throws {
        let today = opened.today
        let now = opened.clock.wall
        let due = model.tasks.filter { entry in
            let task = entry.value
            return task.autoCarry && !task.isCompleted && !task.isArchived && task.day.map { $0 < today } ?? false
                && task.expiresAt.map { $0 >= now } ?? true
        }
        let rollover = try await tasks.rollOver()
        try #require(Set(rollover.carried.map(\.id)) == Set(due.keys))
        // Who comes first where there is room for some only: by day, region, sticky, bucket, position.
        let ordered = due.keys.compactMap { id in model.tasks[id]?.slot.map { (id, $0) } }.sorted { left, right in
            let key = { (id: UUID, slot: PlannerModel.Slot) in
                [
                    Int(slot.day.daysSince1970), Int(slot.region.rank), self.model.tasks[id]?.isSticky == true ? 0 : 1,
                    Int(slot.bucket.rank), self.model.orders[slot]?.firstIndex(of: id) ?? 0,
                ]
            }
            return key(left.0, left.1).lexicographicallyPrecedes(key(right.0, right.1))
        }.map(\.0)
        var unassigned: Set<UUID> = []
        for id in ordered + due.keys.filter({ model.tasks[$0]?.slot == nil }) {
            guard var entry = model.tasks[id] else { continue }
            (entry.day, entry.carryCount) = (today, entry.carryCount + 1)
            if !model.set(id, to: entry) {
                entry.bucket = .none
                let hasRoom = model.set(id, to: entry)
                try #require(hasRoom)
                unassigned.insert(id)
            }
        }
        try #require(Set(rollover.unassigned) == unassigned)
        counts["carried", default: 0] += due.count
        counts["unassigned", default: 0] += unassigned.count
        try #require(try await tasks.rollOver().carried.isEmpty)
    }

    private func expire() async throws {
        let now = opened.clock.wall
        let due = model.tasks.filter { !$0.value.isArchived && $0.value.expiresAt.map { $0 < now } ?? false }
        let archived = try await tasks.archiveExpired()
        try #require(Set(archived.map(\.id)) == Set(due.keys))
        for (id, var entry) in due {
            entry.isArchived = true
            let hasRoom = model.set(id, to: entry)
            try #require(hasRoom)
        }
        counts["expired", default: 0] += due.count
    }

    private func unarchive(_ id: UUID) async throws {
        let now = opened.clock.wall
        let isArchived = model.tasks[id]?.isArchived == true
        try await change(id, isArchived ? "unarchive" : "unarchive nothing") { entry in
            guard isArchived else { return }
            entry.isArchived = false
            if let expiry = entry.expiresAt, expiry < now { entry.expiresAt = nil }
        } by: {
            try await self.tasks.unarchive([id])
        }
        try compare()
    }

    private func compare() throws {
        let stored = try PlannerModel(of: opened)
        try #require(stored.tasks == model.tasks)
        try #require(stored.orders.filter { !$0.value.isEmpty } == model.orders.filter { !$0.value.isEmpty })
        for slot in model.orders.keys {
            let plan = try tasks.plan(on: slot.day)
            let isRest = slot.region == .backlog && slot.bucket == .none
            if !isRest { try #require(plan[slot.region, slot.bucket].map(\.id) == model.shown(slot)) }
        }
    }
}

@Suite struct PlannerModelTests {
    @Test(
        "Regions, buckets, caps, rollover and expiry agree with a plain model after every step [P-OP2, P-OP5, P-OP11]",
        arguments: TestBudget.range(6, quick: 2))
    func lockstep(seed: UInt64) async throws {
        let lockstep = try PlannerLockstep(seed: seed)
        for step in 0..<500 {
            try await lockstep.step()
            if step % 25 == 0 { try lockstep.opened.expectPlanned("seed \(seed), step \(step)") }
        }
        try lockstep.opened.expectSound()
        try lockstep.opened.expectPlanned("seed \(seed)")
        // Each kind of outcome is there, or the test shows nothing.
        for kind in [
            "place", "place refused", "create refused", "carried", "reorder", "undo done", "state", "unarchive",
        ] {
            #expect(lockstep.counts[kind, default: 0] > 0, "\(kind): \(lockstep.counts)")
        }
    }

    @Test("A bucket that is overfilled behind the planner's back is found by the comparison")
    func negativeControl() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([.planned("a", .morning, .must), .planned("b", .morning, .misc)])
        try opened.expectPlanned()
        var task = try #require(try opened.all().last)
        (task.bucket, task.planOrder) = (.must, 9)
        let moved = task
        try await opened.store.write { try $0.put(moved) }
        withKnownIssue { try opened.expectPlanned() }
    }
}
