import Daybook
import Testing

@testable import Simulation

@Suite struct LineLayoutTests {
    @Test("Lanes are the user's zones followed by those of observers, each once")
    func ordersLanes() throws {
        let layout = LineLayout(try StorySamples.dateLine())
        #expect(
            layout.zones.map(\.identifier) == ["Pacific/Apia", "Pacific/Honolulu", "Pacific/Auckland", "UTC"])
    }

    @Test("Every event has one row in order, and its bands are the local days of its instant")
    func drawsEveryEventOnItsDay() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let story = try StorySamples.random(events: 60, seed: seed)
            let layout = LineLayout(story)
            var indices: [Int] = []
            for row in layout.rows {
                guard case .event(let index) = row.content else { continue }
                indices.append(index)
                #expect(row.days == layout.zones.map { $0.day(of: story.events[index].wall) })
                #expect(layout.zones[row.lanes.to] == story.events[index].zone)
            }
            #expect(indices == Array(story.events.indices))
        }
    }

    @Test("Every change of a band has a label with the new day")
    func labelsEveryChange() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let layout = LineLayout(try StorySamples.random(events: 60, seed: seed))
            var days: [Day]?
            for row in layout.rows {
                for lane in layout.zones.indices where days?[lane] != row.days[lane] {
                    #expect(row.labels[lane]?.day == row.days[lane])
                }
                days = row.days
            }
        }
    }

    @Test("Midnights between events are drawn individually and in order")
    func drawsMidnights() throws {
        let berlin = try Zone("Europe/Berlin")
        let auckland = try Zone("Pacific/Auckland")
        let start = try Instant("2026-03-28T20:00:00Z")
        let end = try Instant("2026-03-29T23:00:00Z")
        let found = try #require(DayBoundary.all(in: [berlin, auckland], from: start, to: end, max: 9))
        #expect(
            found.map { "\($0.instant) \($0.labels.map { $0?.name ?? "-" }) \($0.clockChanges.map { $0 ?? "-" })" } == [
                #"2026-03-28T23:00:00Z ["Sun 29 Mar", "-"] ["-", "-"]"#,
                #"2026-03-29T01:00:00Z ["-", "-"] ["02:00 becomes 03:00", "-"]"#,
                #"2026-03-29T11:00:00Z ["-", "Mon 30 Mar"] ["-", "-"]"#,
                #"2026-03-29T22:00:00Z ["Mon 30 Mar", "-"] ["-", "-"]"#,
            ])
        #expect(DayBoundary.all(in: [berlin, auckland], from: start, to: end, max: 3) == nil)
    }

    @Test("Many midnights are counted by zone without skipped dates, and irregular days are listed")
    func countsMidnights() throws {
        var builder = try StoryBuilder("Long", starts: "2011-12-20 12:00", zone: "Pacific/Apia")
        builder.setObservers(["UTC"])
        builder.advance(.days(20))
        let layout = LineLayout(builder.story)
        let gaps = layout.rows.compactMap { row -> LineRow.Gap? in
            guard case .gap(let gap) = row.content else { return nil }
            return gap
        }
        #expect(gaps.map(\.midnights) == [[20, 20]])
        #expect(gaps.map(\.oddities) == [["Apia, Sat 31 Dec 2011: Fri 30 Dec is skipped"]])
    }

    @Test("Setting the clock interrupts the line instead of drawing midnights")
    func tearsAtJumps() throws {
        for hours in [-30, 30] {
            var builder = try StoryBuilder("Jump", starts: "2026-03-10 12:00", zone: "UTC")
            builder.create("A")
            builder.jump(.hours(hours))
            let rows = LineLayout(builder.story).rows
            #expect(!rows.contains { if case .boundary = $0.content { true } else { false } })
            #expect(rows.contains { if case .gap(let gap) = $0.content { gap.isJump } else { false } })
        }
    }

    @Test("Rows show when the machine is asleep and when the store is closed")
    func followsTheMachine() throws {
        var builder = try StoryBuilder("Sleep", starts: "2026-03-10 12:00", zone: "UTC")
        builder.machine("sleep")
        builder.advance(.hours(1))
        builder.machine("wake")
        builder.close()
        builder.open()
        let rows = LineLayout(builder.story).rows
        let events = rows.filter { if case .event = $0.content { true } else { false } }
        #expect(events.map(\.isAsleep) == [false, true, false, false, false])
        #expect(events.map(\.isClosed) == [false, false, false, true, false])
    }

    @Test(
        "A day's label lists its irregularities",
        arguments: [
            ("Europe/Berlin", "2026-03-28", ""), ("Europe/Berlin", "2026-03-29", "23 h long"),
            ("Europe/Berlin", "2026-10-25", "25 h long"), ("Pacific/Apia", "2011-12-31", "Fri 30 Dec is skipped"),
            ("Australia/Lord_Howe", "2026-04-05", "24 h 30 min long"),
            ("Africa/Cairo", "2026-04-24", "23 h long, begins at 01:00"),
        ])
    func namesOddDays(zone: String, day: String, oddities: String) throws {
        #expect(DayLabel(try Day(day), in: try Zone(zone)).oddities.joined(separator: ", ") == oddities)
    }
}

@Suite struct ViewChangeTests {
    private func tasks(_ text: String) -> [StoryEvent.ShownTask] {
        text.map {
            .init(name: $0.lowercased(), state: $0.isUppercase ? .completed : .notStarted)
        }
    }

    private func changes(_ old: String, _ new: String) -> String {
        let change = ViewChange(from: tasks(old), to: tasks(new))
        let lines = change.lines.map { line in
            switch line.change {
            case nil: line.task.name
            case .added: "+" + line.task.name
            case .moved: "~" + line.task.name
            case .was: "!" + line.task.name
            }
        }
        return (lines + change.removed.map { "-" + $0.name }).joined(separator: " ")
    }

    @Test("Added, removed, moved and changed tasks are distinguished")
    func tellsChangesApart() {
        #expect(changes("abc", "abc") == "a b c")
        #expect(changes("abc", "dabc") == "+d a b c")
        #expect(changes("abc", "ac") == "a c -b")
        #expect(changes("abc", "bca") == "b c ~a")
        #expect(changes("abc", "abC") == "a b !c")
    }

    @Test("A task that moves because of its state does not mark others as moved")
    func stateChangesMoveOneTask() {
        #expect(changes("abc", "bcA") == "b c !a")
        #expect(changes("ab", "bA") == "b !a")
    }
}
