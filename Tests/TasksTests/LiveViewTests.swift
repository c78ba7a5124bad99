import CivilTime
import Foundation
import Records
import Synchronization
import TestSupport
import Testing

@testable import Tasks

@Suite(.timeLimit(.minutes(15))) struct LiveViewTests {
    @Test("A reorder is reported as one move, an edit as one update, a deletion as one removal")
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

    @Test("A change in the Inbox is not reported for Today [C-AD7]")
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
        // The next update is the first one that concerns Today.
        #expect(try await waiting.value?.steps == [.inserted(task, at: 0)])
    }

    @Test("At midnight a live view of Today switches to the next day [C-S3.9, S-24]")
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
            // No task is woken a microsecond before midnight.
            let left = first.validUntil.microsecondsSince1970 - opened.clock.wall.microsecondsSince1970
            opened.clock.advance(byMicroseconds: left - 1)
            #expect(opened.clock.sleeperCount == 1)
            opened.clock.advance(byMicroseconds: 1)
            let second = try #require(try await waiting.value)
            #expect(second.today == first.today.advanced(by: 1))
            #expect(second.tasks.map(\.text) == after)
            #expect(applied(second, to: first) == Array(second.tasks))
            // The next day has 23 hours.
            #expect(second.validUntil == (try Instant("2026-03-29T22:00:00Z")))
        }
    }

    @Test("A live view follows a clock that is stepped to another day [S-24]")
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

    /// Returns a task that waits for the next update and is asleep.
    private func waiting(
        _ updates: LiveView.Iterator, in opened: TestTasks
    ) async -> Task<(ViewUpdate?, LiveView.Iterator), any Error> {
        let task = Task {
            var updates = updates
            let update = try await updates.next()
            return (update, updates)
        }
        while opened.clock.sleeperCount == 0 || opened.zone.waiterCount == 0 { await Task.yield() }
        return task
    }

    /// Checks that an update's steps and list agree with the view of a newly opened store.
    private func expectFresh(
        _ update: ViewUpdate?, after last: ViewUpdate, _ view: TaskView, in opened: TestTasks
    ) throws -> ViewUpdate {
        let update = try #require(update)
        let fresh = try RecordStore(
            at: opened.store.path, schema: TaskList.schema, context: opened.context,
            options: StoreOptions(isReadOnly: true))
        let tasks = try TaskList(store: fresh).read { try $0.tasks(in: view) }
        #expect(Array(update.tasks) == tasks)
        #expect(applied(update, to: last) == tasks)
        #expect(update.today == opened.today)
        #expect(update.validUntil == opened.zone.zone.end(of: opened.today))
        return update
    }

    /// The tasks that the steps of an update lead to.
    private func applied(_ update: ViewUpdate, to last: ViewUpdate) -> [TaskItem] {
        var tasks = Array(last.tasks)
        update.apply(to: &tasks)
        return tasks
    }

    /// A task on each of nine days around today.
    private func fill(_ opened: TestTasks) async throws {
        let today = opened.today
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -10 * 86_400))
        for offset in -4...4 { try await opened.tasks.create("\(offset)", on: today.advanced(by: offset)) }
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: 10 * 86_400))
    }

    @Test(
        "After every change of clock or zone a live view equals a fresh read [C-S3.9, S-24]",
        arguments: [TaskView.today, .upcoming, .past])
    func everyEvent(view: TaskView) async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        try await fill(opened)
        var updates = opened.tasks.changes(in: view).makeAsyncIterator()
        var last = try #require(try await updates.next())
        let (clock, zone) = (opened.clock, opened.zone)
        let events: [(String, () throws -> Void)] = [
            ("travel east over the date line", { zone.set(try Zone("Pacific/Kiritimati")) }),
            ("travel west over the date line", { zone.set(try Zone("Pacific/Niue")) }),
            ("midnight", { clock.advance(byMicroseconds: 86_400_000_000) }),
            ("the clock steps backward", { clock.setWall(clock.wall.advanced(bySeconds: -2 * 86_400)) }),
            ("the clock steps forward", { clock.setWall(clock.wall.advanced(bySeconds: 3 * 86_400)) }),
            ("travel home", { zone.set(try Zone("Europe/Berlin")) }),
            (
                "asleep for three days",
                {
                    clock.suspend()
                    clock.advance(byMicroseconds: 3 * 86_400_000_000)
                    clock.resume()
                }
            ),
            (
                "asleep during a step backward",
                {
                    clock.suspend()
                    clock.setWall(clock.wall.advanced(bySeconds: -4 * 86_400))
                    clock.resume()
                }
            ),
        ]
        for (name, event) in events {
            let today = opened.today
            let next = await waiting(updates, in: opened)
            try event()
            try #require(opened.today != today, "\(name)")
            let (update, iterator) = try await next.value
            updates = iterator
            last = try expectFresh(update, after: last, view, in: opened)
        }
    }

    @Test("After a change of zone within a day a live view waits for the midnight of the new zone [C-S3.9]")
    func newMidnight() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        try await fill(opened)
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        let first = try #require(try await updates.next())
        let next = await waiting(updates, in: opened)
        let left = try #require(opened.clock.timeToNextWake)
        #expect(left == 13 * 3_600_000_000)
        opened.zone.set(try Zone("Asia/Tokyo"))
        // The view is unchanged, so only the time of the next wake-up changes.
        while opened.clock.timeToNextWake != 5 * 3_600_000_000 { await Task.yield() }
        opened.clock.advance(byMicroseconds: 5 * 3_600_000_000)
        _ = try expectFresh(try await next.value.0, after: first, .today, in: opened)
    }

    @Test("A live view wakes once for each midnight and at no other time")
    func wakeUps() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        try await fill(opened)
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        _ = try await updates.next()
        let before = opened.clock.wakeCount
        for night in 1...20 {
            let next = await waiting(updates, in: opened)
            for _ in 0..<24 { opened.clock.advance(byMicroseconds: 3_600_000_000) }
            updates = try await next.value.1
            #expect(opened.clock.wakeCount - before == night)
        }
    }

    @Test("A step of the clock or a change of zone between the read and the wait is not missed")
    func betweenReadAndWait() async throws {
        for change in 0..<3 {
            let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
            try await fill(opened)
            // The view reads the zone once, after the clock, so the change happens between the read and the wait.
            let zones = InterveningZone(opened.zone)
            var context = opened.context
            context.zones = zones
            let store = try RecordStore(
                at: opened.store.path, schema: TaskList.schema, context: context, options: StoreOptions())
            var updates = TaskList(store: store).changes(in: .today).makeAsyncIterator()
            let first = try #require(try await updates.next())
            let (clock, zone) = (opened.clock, opened.zone)
            let kiritimati = try Zone("Pacific/Kiritimati")
            zones.runAfterNextRead {
                switch change {
                case 0: clock.setWall(clock.wall.advanced(bySeconds: -86_400))
                case 1: clock.advance(byMicroseconds: 86_400_000_000)
                default: zone.set(kiritimati)
                }
            }
            _ = try expectFresh(try await updates.next(), after: first, .today, in: opened)
        }
    }

    @Test("On the calendar's last day a live view waits without waking again")
    func lastDay() async throws {
        let opened = try TestTasks(at: "9999-12-31T22:59:00Z", zone: "Europe/Berlin")
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        _ = try await updates.next()
        let next = await waiting(updates, in: opened)
        opened.clock.advance(byMicroseconds: 3_600_000_000)
        while opened.clock.sleeperCount == 0 || opened.clock.wakeCount == 0 { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(opened.clock.wakeCount == 1)
        #expect(opened.clock.sleeperCount == 1)
        next.cancel()
        await #expect(throws: CancellationError.self) { _ = try await next.value }
    }

    @Test("A live view continues from an update that was shown, also on another day")
    func resumed() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create([NewTask("a", on: opened.today), NewTask("b", on: opened.today)])
        var updates = opened.tasks.changes(in: .today).makeAsyncIterator()
        let first = try #require(try await updates.next())
        let new = try await opened.tasks.create("c", in: .today)
        var resumed = opened.tasks.changes(in: .today, after: first).makeAsyncIterator()
        let second = try #require(try await resumed.next())
        #expect(second.steps == [.inserted(new, at: 2)])
        // The list that was shown before is as it was.
        #expect(first.tasks.map(\.text) == ["a", "b"])
        opened.clock.advance(byMicroseconds: 86_400_000_000)
        for shown in [first, second] {
            var next = opened.tasks.changes(in: .past, after: shown).makeAsyncIterator()
            let update = try #require(try await next.next())
            #expect(update.tasks.map(\.text) == ["a", "b", "c"])
            #expect(update.steps == (shown == first ? [.inserted(new, at: 2)] : []))
        }
    }

    @Test("Statistics are live: completions, and the midnights that begin a day, a week and a month")
    func statistics() async throws {
        // A Saturday in the last week of a month; the week begins on Monday.
        let opened = try TestTasks(at: "2026-02-28T12:00:00Z")
        let task = try await opened.tasks.create("a", in: .today)
        var updates = opened.tasks.observeStatistics().makeAsyncIterator()
        #expect(try await updates.next()?.value.today == 0)
        try await opened.tasks.create("no completion")
        try await opened.tasks.complete(task.id)
        let completed = try #require(try await updates.next()).value
        #expect((completed.today, completed.week, completed.month, completed.lastMonth) == (1, 1, 1, 0))
        for (week, month) in [(1, (0, 1)), (0, (0, 1))] {
            let waiting = Task { [updates] in
                var updates = updates
                let update = try await updates.next()
                return (update, updates)
            }
            while opened.clock.sleeperCount == 0 { await Task.yield() }
            opened.clock.advance(byMicroseconds: 86_400_000_000)
            let (update, iterator) = try await waiting.value
            updates = iterator
            let value = try #require(update).value
            #expect((value.today, value.week, value.month, value.lastMonth) == (0, week, month.0, month.1))
        }
        var days = opened.tasks.observeStatistics(of: try Month("2026-02")).makeAsyncIterator()
        #expect(try await days.next()?.value.completed == 1)
        try await opened.tasks.reopen(task.id)
        #expect(try await days.next()?.value.completed == 0)
    }

    @Test("Cancellation ends an iteration and leaves no sleeper behind")
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

    @Test("The steps of random changes reproduce the view", arguments: [TaskView.inbox, .today])
    func followed(view: TaskView) async throws {
        let opened = try TestTasks()
        var dice = Dice(8)
        var updates = opened.tasks.changes(in: view).makeAsyncIterator()
        var seen = Array(try #require(try await updates.next()).tasks)
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
            update.apply(to: &seen)
            #expect(seen == after)
            #expect(Array(update.tasks) == after)
        }
    }
}

/// A zone source that runs an action once, just after the next read of its zone.
private final class InterveningZone: ZoneSource {
    private let source: SettableZone
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ source: SettableZone) {
        self.source = source
    }

    var zone: Zone {
        let zone = source.zone
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        return zone
    }

    func runAfterNextRead(_ action: @escaping @Sendable () -> Void) {
        self.action.withLock { $0 = action }
    }

    func waitForChange(from zone: Zone) async throws { try await source.waitForChange(from: zone) }
}
