import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct StatisticsTests {
    /// Completes the given number of tasks at each of the given moments, like the engine.
    private func complete(_ counts: [(at: String, count: Int)], in opened: TestTasks) async throws {
        for (at, count) in counts where count > 0 {
            opened.clock.setWall(try Instant(at))
            let made = try await opened.tasks.create((0..<count).map { _ in NewTask("x") })
            try await opened.tasks.write { transaction in
                for task in made { try transaction.setState(task.id, to: .completed) }
            }
        }
    }

    @Test(
        "The trend against last month has a direction and a sentence [C-S6.5, X-24]",
        arguments: [
            (45, 38, "up", "45 tasks this month, up from 38 last month"),
            (32, 45, "down", "32 tasks this month, down from 45 last month"),
            (5, 5, "same", "5 tasks this month, same as last month"),
            (5, 0, "noData", "No data from last month"), (0, 5, "down", "0 tasks this month, down from 5 last month"),
            (0, 0, "noData", "No data available yet"), (1, 2, "down", "1 task this month, down from 2 last month"),
        ])
    func trend(month: Int, lastMonth: Int, direction: String, sentence: String) async throws {
        // January looks at December of the year before.
        let opened = try TestTasks(zone: "UTC")
        try await complete([("2025-12-20T12:00:00Z", lastMonth), ("2026-01-10T12:00:00Z", month)], in: opened)
        opened.clock.setWall(try Instant("2026-01-31T12:00:00Z"))
        let statistics = try opened.tasks.statistics()
        #expect(statistics.month == month)
        #expect(statistics.lastMonth == lastMonth)
        #expect(statistics.trend.rawValue == direction)
        #expect(statistics.sentence == sentence)
    }

    @Test("Data of older months does not count as last month [X-24]")
    func olderMonths() async throws {
        let opened = try TestTasks(zone: "UTC")
        try await complete([("2025-10-20T12:00:00Z", 3)], in: opened)
        opened.clock.setWall(try Instant("2026-01-31T12:00:00Z"))
        #expect(try opened.tasks.statistics().sentence == "No data from last month")
    }

    @Test("A week starts on the given weekday [C-S6.3, X-23]", arguments: [Weekday.monday, .saturday, .sunday])
    func weeks(start: Weekday) async throws {
        let opened = try TestTasks(at: "2025-12-20T12:00:00Z", zone: "Europe/Berlin", weekStart: start)
        // One a day over the turn of the year.
        for offset in 0..<20 {
            opened.advance(to: try Day("2025-12-22").advanced(by: offset), secondsIntoDay: offset * 4000)
            let task = try await opened.tasks.create("x")
            try await opened.tasks.complete(task.id)
        }
        for offset in 0..<20 {
            let day = try Day("2025-12-22").advanced(by: offset)
            opened.clock.setWall(opened.zone.zone.instant(day: day, secondsIntoDay: 43_200))
            let statistics = try opened.tasks.statistics()
            let back = (7 + day.weekday.rawValue - start.rawValue) % 7
            #expect(statistics.weekStart == day.advanced(by: -back))
            let first = max(try Day("2025-12-22"), statistics.weekStart)
            let last = min(try Day("2026-01-10"), statistics.weekStart.advanced(by: 6))
            #expect(statistics.week == first.distance(to: last) + 1)
        }
    }

    @Test(
        "Statistics of today, week and month agree with a count of all completions, in every zone [C-FR26, C-FR27, C-FR28, C-S6.8]",
        arguments: [
            "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia",
            "Africa/Cairo",
        ])
    func byHand(name: String) async throws {
        let opened = try TestTasks(at: "2026-02-20T00:00:00Z", zone: "UTC")
        var dice = Dice(77)
        var completions: [Instant] = []
        for _ in 0..<150 {
            opened.clock.advance(byMicroseconds: Int64(dice.below(20 * 3600)) * 1_000_003)
            completions.append(opened.clock.wall)
        }
        // Written as an import does: the engine takes the times as they are.
        let imported = completions.enumerated().map { number, instant in
            var task = ImportedTask(
                id: uuid(number + 1), text: "x", createdAt: instant, updatedAt: instant, scheduledDate: nil)
            (task.state, task.completedAt) = (.completed, instant)
            return task
        }
        _ = try await opened.tasks.merge(imported, [], continuing: nil)
        let zone = try Zone(name)
        opened.zone.set(zone)
        for _ in 0..<60 {
            opened.clock.setWall(dice.pick(completions).advanced(bySeconds: Int64(dice.below(86_400))))
            let day = opened.today
            let days = completions.map(zone.day)
            let statistics = try opened.tasks.statistics()
            #expect(statistics.day == day)
            #expect(statistics.today == days.count { $0 == day })
            #expect(statistics.week == days.count(where: day.week(startingOn: .monday).contains))
            #expect(statistics.month == days.count { $0.monthOfYear == day.monthOfYear })
            #expect(statistics.lastMonth == days.count { $0.monthOfYear == day.monthOfYear.previous })
            let month = try opened.tasks.statistics(of: day.monthOfYear)
            #expect(month.days.map(\.day) == Array(day.monthOfYear.days))
            #expect(month.days.allSatisfy { count in count.completed == days.count { $0 == count.day } })
            #expect(month.completed == statistics.month)
            #expect(month.previousMonth == statistics.lastMonth)
        }
    }

    @Test("Statistics read no task, and cost the same for ten thousand tasks as for ten [S-5, C-S6.6, C-FR31]")
    func cost() async throws {
        var steps: [Int] = []
        for count in [10, 10_000] {
            let opened = try TestTasks(at: "2026-02-11T00:00:00Z", zone: "UTC")
            let made = try await opened.tasks.create((0..<count).map { NewTask("\($0)") })
            try await opened.tasks.write { transaction in
                for task in made { try transaction.setState(task.id, to: .completed) }
            }
            try opened.store.read { (transaction) throws in
                let statistics = try transaction.tasks.statistics()
                #expect(statistics.month == count)
                #expect(transaction.counters.gets == 0)
                steps.append(transaction.counters.cursorSteps)
            }
        }
        #expect(steps[0] == steps[1])
        #expect(steps[0] < 30)
    }

    @Test("Without completions all numbers are zero and there is no history [C-S6.8]")
    func nothing() throws {
        let opened = try TestTasks()
        let statistics = try opened.tasks.statistics()
        let counts: [Int] = [statistics.today, statistics.week, statistics.month, statistics.lastMonth]
        #expect(counts.allSatisfy { $0 == 0 })
        #expect(!statistics.hasHistory)
        #expect(statistics.sentence == "No data available yet")
    }
}
