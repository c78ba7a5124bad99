import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite(.timeLimit(.minutes(15))) struct WaitingTests {
    @Test("A task that waits is in no Inbox, list or plan before its day, and back at its midnight [N-4]")
    func views() async throws {
        let opened = try TestTasks(at: "2026-02-11T22:30:00Z")
        let list = try await opened.tasks.createList("home")
        var new = NewTask("later")
        (new.waitUntil, new.list) = (opened.today.advanced(by: 2), list.id)
        try await opened.tasks.create([NewTask("now"), new])
        #expect(opened.today == (try Day("2026-02-11")))
        let hidden = try await opened.tasks.create([NewTask("planned", on: opened.today)])[0]
        try await opened.tasks.place([hidden.id], region: .morning, bucket: .must)
        try await opened.tasks.wait([hidden.id], until: opened.tomorrow)
        #expect(try opened.texts(.inbox) == ["now"])
        #expect(try opened.tasks.tasks(inList: list.id) == [])
        #expect(try opened.tasks.read { try $0.lists().lists.map(\.open) } == [0])
        #expect(try opened.texts(.today) == [])
        #expect(try opened.tasks.read { try $0.plan(on: opened.today)[.morning, .must] } == [])
        #expect(try opened.tasks.read { try $0.planCounts(on: opened.today).open(in: .morning) } == 0)
        #expect(try opened.tasks.waiting().map(\.text) == ["planned", "later"])
        // 23:00 in UTC is midnight in Berlin.
        opened.clock.setWall(try Instant("2026-02-11T23:00:00Z"))
        #expect(try opened.texts(.past) == ["planned"])
        #expect(try opened.tasks.waiting().map(\.text) == ["later"])
        opened.clock.setWall(try Instant("2026-02-12T23:00:00Z"))
        #expect(try opened.texts(.inbox) == ["now", "later"])
        #expect(try opened.tasks.waiting() == [])
        #expect(
            await taskError { try await opened.tasks.wait([hidden.id], until: opened.today.advanced(by: -1)) }?.code
                == "past-day")
        try opened.expectSound()
    }

    @Test("A completed task is shown, and a scheduled one is shown on its day all the time [N-4]")
    func exceptions() async throws {
        let opened = try TestTasks()
        let day = opened.today.advanced(by: 5)
        var new = NewTask("scheduled", on: day)
        new.waitUntil = opened.today.advanced(by: 3)
        let made = try await opened.tasks.create([new, NewTask("done")])
        try await opened.tasks.wait([made[1].id], until: day)
        try await opened.tasks.complete(made[1].id)
        #expect(try opened.texts(.upcoming) == ["scheduled"])
        #expect(try opened.texts(.inbox) == ["done"])
        #expect(try opened.tasks.waiting() == [])
    }

    @Test("Pages and places count what is shown [N-4, S-63]")
    func pages() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "h", "b", "i", "c"].map { NewTask($0) })
        try await opened.tasks.wait([made[1].id, made[3].id], until: opened.tomorrow)
        let first = try opened.tasks.page(of: .inbox, limit: 2)
        #expect(first.records.map(\.text) == ["a", "b"])
        #expect(try opened.tasks.page(of: .inbox, after: first.next, limit: 2).records.map(\.text) == ["c"])
        #expect(try opened.tasks.read { try $0.inbox(limit: 2) }.map(\.text) == ["a", "b"])
        for index in 0..<3 {
            try await opened.tasks.reorder(made[4].id, to: .index(index))
            #expect(try opened.texts(.inbox).firstIndex(of: "c") == index)
        }
        #expect(await taskError { try await opened.tasks.reorder(made[4].id, to: .index(3)) } == .noSuchIndex(3))
    }

    @Test("A live view loses a task that begins to wait, and has it again at its midnight [N-4]")
    func live() async throws {
        let opened = try TestTasks(at: "2026-02-11T20:00:00Z")
        let made = try await opened.tasks.create([NewTask("a"), NewTask("b")])
        var updates = opened.tasks.changes(in: .inbox).makeAsyncIterator()
        #expect(try await updates.next()?.tasks.map(\.text) == ["a", "b"])
        let hidden = try await opened.tasks.wait([made[0].id], until: opened.tomorrow)[0]
        #expect(try await updates.next()?.steps == [.removed(made[0], at: 0)])
        let waiting = Task { [updates] in
            var updates = updates
            return try await updates.next()
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        opened.clock.advance(byMicroseconds: 4 * 3600 * 1_000_000)
        #expect(try await waiting.value?.steps == [.inserted(hidden, at: 0)])
    }

    @Test("What is due today and not planned for today is shown beside Today, the earliest first [N-1]")
    func due() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z")
        let names = ["planned", "day", "time", "over", "tomorrow", "done", "hidden"]
        let made = try await opened.tasks.create(names.map { NewTask($0, on: $0 == "planned" ? opened.today : nil) })
        let ids = Dictionary(uniqueKeysWithValues: zip(names, made.map(\.id)))
        func id(_ name: String) throws -> UUID { try #require(ids[name]) }
        try await opened.tasks.due([id("planned"), id("day"), id("done"), id("hidden")], .day(opened.today))
        try await opened.tasks.due([id("time")], .time(opened.today, secondsIntoDay: 12 * 3600))
        try await opened.tasks.due([id("over")], .day(opened.today.advanced(by: -3)))
        try await opened.tasks.due([id("tomorrow")], .day(opened.tomorrow))
        try await opened.tasks.complete(id("done"))
        try await opened.tasks.wait([id("hidden")], until: opened.tomorrow)
        #expect(try opened.tasks.due(by: opened.today).map(\.text) == ["over", "time", "day"])
        let later = try opened.tasks.read { try $0.dueAfterToday() }
        #expect(later.map(\.day) == [opened.tomorrow] && later.flatMap(\.tasks).map(\.text) == ["tomorrow"])
    }

    @Test("A due date is told as seen from a day")
    func relative() throws {
        let texts = EnglishTaskTexts()
        let (today, zone) = (try Day("2026-02-11"), try Zone("Europe/Berlin"))
        for (due, expected) in [
            (TaskDue.day(today), "today"), (.day(today.advanced(by: 1)), "tomorrow"),
            (.day(today.advanced(by: -1)), "yesterday"), (.day(today.advanced(by: -10)), "10 days ago"),
            (.day(today.advanced(by: 2)), "Fri"), (.day(today.advanced(by: 7)), "Feb 18"),
            (.time(today, secondsIntoDay: 9 * 3600), "today 09:00"),
        ] { #expect(texts.relative(due, on: today, in: zone) == expected) }
    }
}
