import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct StateTests {
    @Test(
        "Any state follows any other, and the time of completion is present exactly while completed [C-FR25, C-FR23, X-25, X-26, C-DM5, C-S4.1]"
    )
    func transitions() async throws {
        let opened = try TestTasks()
        for from in TaskState.allCases {
            for target in TaskState.allCases {
                let task = try await opened.tasks.create("\(from) \(target)")
                let before = try await opened.tasks.setState(task.id, to: from)
                opened.clock.advance(byMicroseconds: 1_234_567)
                let after = try await opened.tasks.setState(task.id, to: target)
                #expect(after.state == target)
                #expect((after.completedAt != nil) == (target == .completed))
                #expect(after.isCompleted == (target == .completed))
                #expect(after.isActive == (target == .active))
                #expect(after.isNotStarted == (target == .notStarted))
                // The same state again changes nothing: not even the time.
                if from == target { #expect(after == before) } else { #expect(after.updatedAt == opened.clock.wall) }
                let reopens = from == .completed && target != .completed
                #expect(after.completionEpoch == (reopens ? 1 : 0))
            }
        }
        try opened.expectSound()
    }

    @Test("A completion keeps its microsecond, its zone and the zone's offset [C-S4.5]")
    func completion() async throws {
        let opened = try TestTasks(at: "2026-07-01T10:00:00.123456Z", zone: "Asia/Kathmandu")
        let task = try await opened.tasks.create("x")
        try await opened.tasks.complete(task.id)
        let again = try opened.reopened()
        let stored = try #require(try again.tasks.get(task.id))
        #expect(stored.completedAt?.description == "2026-07-01T10:00:00.123456Z")
        #expect(stored.completedZone == "Asia/Kathmandu")
        #expect(stored.completedOffsetSeconds == 20_700)
    }

    @Test("Cycling goes from not started to active to completed to not started [C-S4.2]")
    func cycle() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        var states: [TaskState] = []
        for _ in 0..<3 { states.append(try await opened.tasks.cycle(task.id).state) }
        #expect(states == [.active, .completed, .notStarted])
        #expect(try opened.tasks.get(task.id)?.completedAt == nil)
    }

    @Test(
        "Changing the state sorts a task within its view and never moves it to another view [C-FR10, C-FR20, C-S4.4, C-S4.8, X-43, C-FR21, C-NFR30]",
        arguments: 0..<3)
    func everyView(offset: Int) async throws {
        let opened = try TestTasks()
        let view = [TaskView.inbox, .today, .upcoming][offset]
        let made = [
            try await opened.tasks.create("a", in: view), try await opened.tasks.create("b", in: view),
            try await opened.tasks.create("c", in: view),
        ]
        try await opened.tasks.start(made[0].id)
        try await opened.tasks.start(made[1].id)
        try await opened.tasks.complete(made[0].id)
        #expect(try opened.texts(view) == ["b", "c", "a"])
        #expect(try opened.reopened().texts(view) == ["b", "c", "a"])
    }

    @Test("The view counts completed tasks of today's schedule, the statistics what was completed today [C-S4.7, X-22]")
    func twoCounts() async throws {
        let opened = try TestTasks()
        let today = try await opened.tasks.create("planned", in: .today)
        let inbox = try await opened.tasks.create("unplanned")
        try await opened.tasks.complete(inbox.id)
        #expect(try opened.tasks.today().completedCount == 0)
        #expect(try opened.tasks.statistics().today == 1)
        try await opened.tasks.complete(today.id)
        #expect(try opened.tasks.today().completedCount == 1)
        #expect(try opened.tasks.statistics().today == 2)
        opened.advance(to: opened.tomorrow)
        #expect(try opened.tasks.today().completedCount == 0)
        #expect(try opened.tasks.statistics().today == 0)
    }

    @Test("The time of the last change never decreases, whatever the wall clock does [S-22, P-OP3]")
    func clockGoesBack() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        var last = task.updatedAt
        for jump in [-86_400, 365 * 86_400, -2 * 365 * 86_400] as [Int64] {
            opened.clock.setWall(opened.clock.wall.advanced(bySeconds: jump))
            for _ in 0..<3 {
                let updated = try await opened.tasks.cycle(task.id).updatedAt
                #expect(updated > last)
                last = updated
            }
            try await opened.tasks.undo()
            let restored = try #require(try opened.tasks.get(task.id))
            #expect(restored.updatedAt > last)
            last = restored.updatedAt
        }
        try opened.expectSound()
    }

    @Test("An unknown id throws `noSuchTask` and changes nothing")
    func unknownID() async throws {
        let opened = try TestTasks()
        try await opened.tasks.create("x")
        let before = try opened.dump()
        let error = TaskError.noSuchTask(id: uuid(1).lowercased)
        await #expect(throws: error) { try await opened.tasks.complete(uuid(1)) }
        await #expect(throws: error) { try await opened.tasks.cycle(uuid(1)) }
        await #expect(throws: error) { try await opened.tasks.schedule(uuid(1), on: .today) }
        await #expect(throws: error) { try await opened.tasks.reorder(uuid(1), to: .first) }
        await #expect(throws: error) { try await opened.tasks.delete(uuid(1)) }
        await #expect(throws: error) { try await opened.tasks.purge(uuid(1)) }
        await #expect(throws: error) { try await opened.tasks.edit(uuid(1)) { _ in } }
        await #expect(throws: error) { try await opened.tasks.carry([uuid(1)], to: .today) }
        #expect(try opened.dump() == before)
    }
}
