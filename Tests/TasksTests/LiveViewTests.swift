import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct LiveViewTests {
    @Test("C-AD7: the steps lead from any list to any other", arguments: 1...4 as ClosedRange<UInt64>)
    func steps(seed: UInt64) throws {
        var dice = Dice(seed)
        for _ in 0..<400 {
            let pool = (0..<(1 + dice.below(14))).map { number in
                TaskItem(id: uuid(number), text: "\(number)", createdAt: Instant(microsecondsSince1970: 0))
            }
            let old = pool.filter { _ in dice.chance(70) }.shuffled(using: &dice)
            var new = (dice.chance(40) ? old : pool).filter { _ in dice.chance(80) }
            if dice.chance(70) { new.shuffle(using: &dice) }
            for index in new.indices where dice.chance(20) { new[index].text += " edited" }
            let steps = ViewUpdate.steps(from: old, to: new)
            #expect(ViewUpdate.apply(steps, to: old) == new)
            if old == new { #expect(steps.isEmpty) }
            for case .removed(let task, let index) in steps {
                #expect(old[index] == task)
                #expect(!new.contains { $0.id == task.id })
            }
            for case .inserted(let task, let index) in steps {
                #expect(new[index] == task)
                #expect(!old.contains { $0.id == task.id })
            }
            for case .moved(let task, let from, let target) in steps {
                #expect(old[from].id == task.id)
                #expect(new[target] == task)
            }
            for case .updated(let task, let index) in steps { #expect(new[index] == task) }
        }
    }

    @Test("a reorder is told as one move, an edit as one update, a deletion as one removal")
    func kinds() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0) })
        var updates = opened.tasks.changes(in: .inbox).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.tasks.map(\.text) == ["a", "b", "c"])
        #expect(first.steps.count == 3)

        let moved = try await opened.tasks.reorder(made[0].id, to: .last)
        #expect(try await updates.next()?.steps == [.moved(moved, from: 0, to: 2)])
        let edited = try await opened.tasks.edit(made[1].id) { $0.text = "B" }
        #expect(try await updates.next()?.steps == [.updated(edited, at: 0)])
        try await opened.tasks.delete(made[2].id)
        #expect(try await updates.next()?.steps == [.removed(made[2], at: 1)])
        let new = try await opened.tasks.create("d")
        #expect(try await updates.next()?.steps == [.inserted(new, at: 2)])
    }

    @Test("C-AD7: a change in the Inbox tells nothing to Today")
    func othersAreQuiet() async throws {
        let opened = try TestTasks()
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        _ = try await updates.next()
        for number in 0..<20 { try await opened.tasks.create("inbox \(number)") }
        let waiting = Task { [updates] in
            var updates = updates
            return try await updates.next()
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        for number in 20..<40 { try await opened.tasks.create("inbox \(number)") }
        let task = try await opened.tasks.create("today", in: .today)
        // The next thing that it hears is what concerns it.
        #expect(try await waiting.value?.steps == [.inserted(task, at: 0)])
    }

    @Test("C-S3.9, S-24: at midnight Today becomes the next day by itself")
    func midnight() async throws {
        let opened = try TestTasks(at: "2026-03-28T20:00:00Z")
        try await opened.tasks.create([NewTask("today", on: opened.today), NewTask("tomorrow", on: opened.tomorrow)])
        for (view, before, after) in [
            (TaskView.today, ["today"], ["tomorrow"]), (.upcoming, ["tomorrow"], []), (.past, [], ["today"]),
        ] {
            opened.clock.setWall(try Instant("2026-03-28T20:00:00Z"))
            var updates = opened.tasks.changes(in: view).makeAsyncIterator()
            let first = try #require(try await updates.next())
            #expect(first.tasks.map(\.text) == before)
            let waiting = Task { [updates] in
                var updates = updates
                return try await updates.next()
            }
            while opened.clock.sleeperCount == 0 { await Task.yield() }
            // A microsecond before midnight nobody is woken.
            let left = first.validUntil.microsecondsSince1970 - opened.clock.wall.microsecondsSince1970
            opened.clock.advance(byMicroseconds: left - 1)
            #expect(opened.clock.sleeperCount == 1)
            opened.clock.advance(byMicroseconds: 1)
            let second = try #require(try await waiting.value)
            #expect(second.today == first.today.advanced(by: 1))
            #expect(second.tasks.map(\.text) == after)
            #expect(ViewUpdate.apply(second.steps, to: first.tasks) == second.tasks)
            // The day after is the one that has 23 hours.
            #expect(second.validUntil == (try Instant("2026-03-29T22:00:00Z")))
        }
    }

    @Test("S-24: a clock that is set to another day is noticed")
    func clockSet() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create("today", in: .today)
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        _ = try await updates.next()
        let waiting = Task { [updates] in
            var updates = updates
            return try await updates.next()
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -86_400))
        #expect(try await waiting.value?.tasks.isEmpty == true)
    }

    @Test("cancellation ends an iteration, and leaves no sleeper behind")
    func cancellation() async throws {
        let opened = try TestTasks()
        let waiting = Task {
            for try await _ in opened.tasks.changes(in: .today) {}
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(opened.clock.sleeperCount == 0)
    }

    @Test("random changes, seen through their steps alone, give the view", arguments: [TaskView.inbox, .today])
    func followed(view: TaskView) async throws {
        let opened = try TestTasks()
        var dice = Dice(8)
        var updates = opened.tasks.changes(in: view).makeAsyncIterator()
        var seen = try #require(try await updates.next()).tasks
        var ids: [UUID] = []
        for number in 0..<150 {
            let before = try opened.tasks.read { try $0.tasks(in: view) }
            let id = ids.isEmpty ? uuid(0) : dice.pick(ids)
            switch ids.isEmpty ? 0 : dice.below(6) {
            case 0, 1: ids.append(try await opened.tasks.create("\(number)", in: dice.pick([.inbox, .today])).id)
            case 2: try await opened.tasks.cycle(id)
            case 3: try await opened.tasks.reorder(id, to: dice.pick([.first, .last]))
            case 4: try await opened.tasks.schedule(id, on: dice.pick([.inbox, .today]))
            default: try await opened.tasks.edit(id) { $0.text = "edited \(number)" }
            }
            let after = try opened.tasks.read { try $0.tasks(in: view) }
            guard before != after else { continue }
            let update = try #require(try await updates.next())
            seen = ViewUpdate.apply(update.steps, to: seen)
            #expect(seen == after)
            #expect(update.tasks == after)
        }
    }
}
