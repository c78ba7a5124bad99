import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct DueTests {
    @Test("A task is overdue from its instant on, one of a day when that day ends in the zone [L-FR9, X-12]")
    func boundaries() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        let instant = try await opened.tasks.create("instant")
        let day = try await opened.tasks.create("day")
        try await opened.tasks.due([instant.id], .at(opened.clock.wall))
        try await opened.tasks.due([day.id], .day(opened.today))
        #expect(try opened.tasks.overdue().map(\.text) == ["instant"])
        opened.clock.setWall(try Instant("2026-02-11T22:59:59.999999Z"))
        #expect(try opened.tasks.overdue().map(\.text) == ["instant"])
        opened.clock.setWall(try Instant("2026-02-11T23:00:00Z"))
        #expect(try opened.tasks.overdue().map(\.text) == ["instant", "day"])
        // The day is the same in every zone, and ends later in the west.
        opened.zone.set(try Zone("America/New_York"))
        #expect(try opened.tasks.overdue().map(\.text) == ["instant"])
        try await opened.tasks.complete(instant.id)
        #expect(try opened.tasks.overdue() == [])
        try await opened.tasks.reopen(instant.id)
        #expect(try opened.tasks.overdue().map(\.text) == ["instant"])
        #expect(try opened.tasks.overdue().first?.dueIsAllDay == false)
    }

    @Test("A task is late that is overdue or was planned for a day before today, once in the union [X-12]")
    func late() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        let made = try await opened.tasks.create(
            ["planned", "both", "due", "done", "tomorrow"].map { NewTask($0, on: $0 == "due" ? nil : opened.today) })
        try await opened.tasks.schedule(made[4].id, on: .tomorrow)
        try await opened.tasks.due([made[1].id, made[2].id], .day(opened.today))
        try await opened.tasks.complete(made[3].id)
        #expect(try opened.tasks.late() == [])
        opened.clock.setWall(try Instant("2026-02-12T10:00:00Z"))
        #expect(try opened.tasks.late().map(\.text).sorted() == ["both", "due", "planned"])
        #expect(try opened.tasks.late().last?.text == "planned")
    }

    @Test("A focus on lists or a part of the day is kept, and views and timelines show its tasks only [F-14, L-FR38]")
    func focus() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        let home = try await opened.tasks.createList("Home")
        let later = opened.clock.wall.advanced(bySeconds: 3600)
        for (text, list, region) in [
            ("a", home.id, TaskRegion.morning), ("b", home.id, .evening), ("c", nil, .morning),
        ] {
            var new = NewTask(text, on: opened.today)
            (new.list, new.due) = (list, .at(later.advanced(bySeconds: text == "c" ? 60 : 0)))
            let task = try await opened.tasks.create([new])[0]
            try await opened.tasks.place([task.id], region: region)
        }
        try await opened.tasks.changeSettings { $0.focus = TaskFocus(lists: [home.id], region: .morning) }
        let focus = try opened.tasks.settings().focus
        #expect(focus == TaskFocus(lists: [home.id], region: .morning))
        let shown = try opened.tasks.read { try $0.page(of: .today, where: focus.includes).records }
        #expect(shown.map(\.text) == ["a"])
        let timeline = try opened.tasks.timeline(focus: focus)
        #expect(timeline.entries.allSatisfy { $0.tasks.allSatisfy { $0.text == "a" } })
        #expect(timeline.entries.contains { $0.at == later })
        #expect(!timeline.entries.contains { $0.at == later.advanced(bySeconds: 60) })
        // A focus on a list that is gone would show nothing.
        try await opened.tasks.deleteList(home.id)
        #expect(try opened.tasks.settings().focus == TaskFocus(region: .morning))
    }

    @Test("Overdue tasks equal a brute force in any zone, page by page [S-63]", arguments: [1, 2, 3] as [UInt64])
    func bruteForce(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        var dice = Dice(seed)
        for number in 0..<60 {
            var new = NewTask("\(number)")
            let moment = opened.clock.wall.advanced(bySeconds: Int64(dice.below(400_000)) - 200_000)
            new.due = dice.chance(50) ? .at(moment) : .day(opened.context.zone.day(of: moment))
            let task = try await opened.tasks.create([new])[0]
            if dice.chance(20) { try await opened.tasks.complete(task.id) }
        }
        for name in ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/St_Johns"] {
            opened.zone.set(try Zone(name))
            let (now, zone) = (opened.clock.wall, opened.context.zone)
            var expected: Set<UUID> = []
            try opened.tasks.read { reading in
                try reading.forEach { task, _ in if task.isOverdue(at: now, in: zone) { expected.insert(task.id) } }
            }
            let found = try opened.tasks.overdue().map(\.id)
            #expect(Set(found) == expected && found.count == expected.count)
            var paged: [UUID] = []
            var token: PageToken?
            repeat {
                let page = try opened.tasks.read { try $0.overduePage(after: token, limit: 7) }
                paged += page.records.map(\.id)
                token = page.next
            } while token != nil
            #expect(paged == found)
        }
        try opened.expectSound()
    }

    @Test(
        "A timeline covers its hours, changes where something is due, and equals what is read then [L-FR21 to L-FR25, L-NFR4, F-9]"
    )
    func timeline() async throws {
        let opened = try TestTasks(at: "2026-02-11T10:00:00Z", zone: "Europe/Berlin")
        let now = opened.clock.wall
        var new = NewTask("due at noon")
        new.due = .at(now.advanced(bySeconds: 7200))
        var whole = NewTask("due today", on: opened.today)
        whole.due = .day(opened.today)
        var reminded = NewTask("reminded")
        reminded.reminder = .at(now.advanced(bySeconds: 3600))
        try await opened.tasks.create([new, whole, reminded, NewTask("tomorrow", on: opened.tomorrow)])
        let timeline = try opened.tasks.timeline()
        #expect(timeline.refreshAfter == now.advanced(bySeconds: 900))
        let midnight = try Instant("2026-02-11T23:00:00Z")
        #expect(
            timeline.entries.map(\.at) == [
                now, now.advanced(bySeconds: 3600), now.advanced(bySeconds: 7200), midnight,
                now.advanced(bySeconds: 86_400),
            ])
        #expect(
            timeline.entries.map { $0.tasks.map(\.text) } == [
                ["due today"], ["due today"], ["due at noon", "due today"], ["due at noon", "due today", "tomorrow"],
                ["due at noon", "due today", "tomorrow"],
            ])
        for entry in timeline.entries {
            opened.clock.setWall(entry.at)
            #expect(try opened.tasks.timeline().entries[0].tasks == entry.tasks)
        }
    }

    @Test("Due times do not touch the indexes of views, and are undone")
    func undo() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("a")
        let due = try await opened.tasks.due([task.id], .day(opened.today))[0]
        #expect(due.due(in: .utc) == .day(opened.today))
        #expect(try await opened.tasks.due([task.id], .day(opened.today))[0] == due)
        #expect(try await opened.tasks.undo() == .due)
        #expect(try opened.tasks.get(task.id)?.due(in: .utc) == nil)
    }
}

@Suite struct TaskURLTests {
    @Test(
        "Both spellings of each URL are read, and the hyphenated one is written [L-FR39, X-16, L-FR20, F-25]",
        arguments: [
            ("todoapp://create-task?title=Buy%20milk", "todoapp://create-task?title=Buy%20milk"),
            ("todoapp://create?title=a&list=Home", "todoapp://create-task?title=a&list=Home"),
            ("TODOAPP://Create-Task/?title=%C3%A9%26", "todoapp://create-task?title=%C3%A9%26"),
            ("todoapp://create?title=a&due=2026-02-11", "todoapp://create-task?title=a&due=2026-02-11"),
            (
                "todoapp://create?title=a&due=2026-02-11T09:00:00%2B01:00&reminder=2026-02-11T08:00:00Z&x=1",
                "todoapp://create-task?title=a&due=2026-02-11T08:00:00Z&reminder=2026-02-11T08:00:00Z"
            ),
            (
                "todoapp://open?taskID=00000000-0000-4000-8000-00000000000A",
                "todoapp://open-task?id=00000000-0000-4000-8000-00000000000a"
            ),
            (
                "todoapp://open-task?id=00000000-0000-4000-8000-00000000000a#top",
                "todoapp://open-task?id=00000000-0000-4000-8000-00000000000a"
            ),
        ])
    func forms(url: String, written: String) throws {
        let parsed = try TaskURL(parsing: url)
        #expect(parsed.text == written)
        #expect(try TaskURL(parsing: parsed.text) == parsed)
    }

    @Test(
        "A URL that is none of them is refused without a word of its content",
        arguments: [
            "https://example.org/create-task?title=SECRET", "todoapp://delete?id=SECRET", "todoapp://create-task",
            "todoapp://create-task?title=%20", "todoapp://open?taskID=SECRET", "todoapp://create?title=%GG",
            "todoapp://create?title=%C3", "todoapp://create?title=a&due=SECRET", "todoapp:create?title=a", "",
        ])
    func refusals(url: String) {
        do {
            _ = try TaskURL(parsing: url)
            Issue.record("\(url) was accepted")
        } catch {
            #expect(error.code == "bad-link")
            #expect(!error.description.contains("SECRET"))
        }
    }

    @Test("Any title survives a URL", arguments: [1, 2] as [UInt64])
    func titles(seed: UInt64) throws {
        var dice = Dice(seed)
        for _ in 0..<300 {
            let title = "t" + String((0..<dice.below(12)).map { _ in dice.pick(Array("aé&=%?#/+ 日👩‍👧\n\"")) })
            let url = TaskURL.createTask(title: title, list: title)
            #expect(try TaskURL(parsing: url.text) == url)
        }
    }
}
