import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct CreationTests {
    @Test("Tasks by time of creation include every state and archived tasks, and no deleted ones [S-4]")
    func everyState() async throws {
        let opened = try TestTasks()
        let start = opened.clock.wall
        var made: [TaskItem] = []
        for number in 0..<8 {
            made.append(try await opened.tasks.create("\(number)", on: number % 2 == 0 ? nil : opened.today))
            opened.clock.advance(byMicroseconds: 1_000_000)
        }
        try await opened.tasks.start(made[1].id)
        try await opened.tasks.complete(made[2].id)
        try await opened.tasks.edit(made[3].id) { $0.archivedAt = start }
        try await opened.tasks.delete(made[4].id)
        let all = start..<opened.clock.wall
        #expect(try opened.tasks.created(in: all).map(\.text) == ["0", "1", "2", "3", "5", "6", "7"])
        #expect(try opened.tasks.created(in: all, limit: 2).map(\.text) == ["0", "1"])
        // The end is excluded.
        let range = made[1].createdAt..<made[3].createdAt
        #expect(try opened.tasks.created(in: range).map(\.text) == ["1", "2"])
        try await opened.tasks.undo()
        #expect(try opened.tasks.created(in: all).count == 8)
        try opened.expectSound()
    }

    @Test("Reading ten of a thousand tasks by time of creation touches only these [S-4, S-5]")
    func cost() async throws {
        let opened = try TestTasks()
        for number in 0..<100 {
            try await opened.tasks.create((0..<10).map { NewTask("\(number * 10 + $0)") })
            opened.clock.advance(byMicroseconds: 60_000_000)
        }
        let start = opened.clock.wall.advanced(byMicroseconds: -50 * 60_000_000)
        try opened.store.read { (transaction) throws in
            let found = try transaction.tasks.created(in: start..<start.advanced(byMicroseconds: 1))
            #expect(found.map(\.text) == (500..<510).map(String.init))
            #expect(transaction.counters.gets + transaction.counters.cursorSteps <= 25)
        }
    }

    @Test("The index costs one put when a task is created, and none when it changes [S-4]")
    func costOfChanges() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        let entries = { try opened.store.information().tables.first { $0.name == "tasks.byCreation" }?.entries }
        #expect(try entries() == 1)
        // Record, index of days, index of states, count, change.
        try await opened.tasks.start(task.id)
        #expect(opened.store.lastWriteCounters.puts == 5)
        #expect(try entries() == 1)
    }
}
