import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct ViewTests {
    private let zones = [
        "Pacific/Kiritimati", "Pacific/Apia", "Asia/Kathmandu", "Africa/Cairo", "Europe/Berlin", "UTC",
        "America/St_Johns", "America/New_York", "Pacific/Pago_Pago",
    ]

    @Test("A task is in exactly one of the four views, in every zone and at every hour [C-FR7, C-S2.4, X-1, C-AD10]")
    func oneView() async throws {
        let opened = try TestTasks(at: "2026-03-26T00:00:00Z")
        for offset in 0..<9 {
            try await opened.tasks.create([NewTask("d\(offset)", on: try Day("2026-03-25").advanced(by: offset + 1))])
        }
        try await opened.tasks.create("inbox")
        for hour in 0..<100 {
            for name in zones {
                opened.zone.set(try Zone(name))
                let views = try TaskView.allCases.map { try opened.texts($0) }
                #expect(views.flatMap(\.self).count == 10, "\(name), hour \(hour)")
                #expect(Set(views.flatMap(\.self)).count == 10)
                let day = try opened.tasks.today().day
                #expect(day == opened.today)
                #expect(try opened.tasks.today().allSatisfy { $0.scheduledDate == day })
                #expect(try opened.tasks.upcoming().allSatisfy { $0.day > day })
                #expect(try opened.tasks.past().allSatisfy { $0.scheduledDate! < day })
            }
            opened.clock.advance(byMicroseconds: 3_600_000_000)
        }
    }

    @Test("Upcoming is grouped by day, with headings Tomorrow, then month and day, with another year [C-S2.3]")
    func labels() async throws {
        for (now, day, label) in [
            ("2026-02-11", "2026-02-12", "Tomorrow"), ("2026-02-11", "2026-02-13", "Feb 13"),
            ("2026-12-31", "2027-01-01", "Tomorrow"), ("2026-12-31", "2027-01-02", "Jan 2, 2027"),
            ("2028-02-28", "2028-02-29", "Tomorrow"), ("2027-02-28", "2027-03-01", "Tomorrow"),
            ("2026-02-11", "9999-12-31", "Dec 31, 9999"),
        ] {
            let opened = try TestTasks(at: "\(now)T12:00:00Z", zone: "UTC")
            try await opened.tasks.create("x", on: try Day(day))
            #expect(try opened.tasks.upcoming().map(\.label) == [label])
        }
    }

    @Test("Every view sorts active, not started, completed, then the user's order [C-S4.6, X-5]")
    func groups() async throws {
        let opened = try TestTasks()
        for day in [nil, opened.today, opened.tomorrow] {
            let made = try await opened.tasks.create((1...6).map { NewTask("\($0)", on: day) })
            try await opened.tasks.complete(made[0].id)
            try await opened.tasks.start(made[3].id)
            try await opened.tasks.complete(made[1].id)
            try await opened.tasks.start(made[2].id)
        }
        for view in [TaskView.inbox, .today, .upcoming] {
            #expect(try opened.texts(view) == ["3", "4", "5", "6", "1", "2"])
        }
    }

    @Test("Today's view is valid until the end of the day in the zone, DST changes included [C-S3.9, S-21]")
    func validUntil() throws {
        for (zone, now, end) in [
            ("Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T22:00:00Z"),
            ("Africa/Cairo", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"),
            ("Pacific/Apia", "2011-12-30T08:00:00Z", "2011-12-30T10:00:00Z"),
        ] {
            let opened = try TestTasks(at: now, zone: zone)
            #expect(try opened.tasks.today().validUntil == Instant(end))
        }
    }

    @Test("Thirty midnights change no task's day, whether the store is open or closed [C-FR18, C-FR24, C-S3.8]")
    func midnights() async throws {
        var opened = try TestTasks(at: "2026-03-01T20:00:00Z")
        let made = try await opened.tasks.create((0..<6).map { NewTask("\($0)", on: opened.today.advanced(by: $0)) })
        try await opened.tasks.complete(made[0].id)
        #expect(try opened.texts(.today) == ["0"])
        let days = try made.map { try opened.tasks.get($0.id)?.scheduledDate }
        let sequence = try opened.lastSequence()
        for night in 0..<30 {
            opened.advance(to: opened.tomorrow)
            if night % 3 == 0 { opened = try opened.reopened() }
            #expect(try opened.texts(.today) == (night < 5 ? ["\(night + 1)"] : []))
        }
        #expect(try made.map { try opened.tasks.get($0.id)?.scheduledDate } == days)
        #expect(try opened.lastSequence() == sequence)
        #expect(try opened.texts(.past) == ["0", "1", "2", "3", "4", "5"])
        #expect(try opened.tasks.past(openOnly: true).map(\.text) == ["1", "2", "3", "4", "5"])
    }

    @Test("An empty store has four empty views, and each has a text [C-S2.2]")
    func empty() throws {
        let opened = try TestTasks()
        for view in TaskView.allCases {
            #expect(try opened.texts(view) == [])
            #expect(!view.emptyText.isEmpty)
        }
        #expect(try opened.tasks.today().isEmpty)
    }

    @Test("Reading Today among a thousand tasks touches only the tasks that it shows [S-5, C-DM3]")
    func cost() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create((0..<1000).map { NewTask("\($0)", on: opened.today.advanced(by: $0 / 20)) })
        try opened.store.read { (transaction) throws in
            let count = try transaction.tasks.today().count
            #expect(count == 20)
            #expect(transaction.counters.gets + transaction.counters.cursorSteps <= 45)
        }
    }

    @Test("An archived task exists but is in no view, and comes last when it is restored")
    func archived() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0) })
        let now = opened.clock.wall
        try await opened.tasks.edit(made[2].id) { $0.archivedAt = now }
        #expect(try opened.texts(.inbox) == ["a", "b"])
        #expect(try opened.tasks.read { try $0.count() } == 3)
        let archived = try #require(try opened.tasks.get(made[2].id))
        #expect(try opened.tasks.read { $0.view(of: archived) } == nil)
        // Its place is given to another one meanwhile.
        try await opened.tasks.create("d")
        try await opened.tasks.edit(made[2].id) { $0.archivedAt = nil }
        #expect(try opened.texts(.inbox) == ["a", "b", "d", "c"])
        try opened.expectSound()
    }
}
