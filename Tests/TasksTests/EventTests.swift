import CivilTime
import Foundation
import Testing

@testable import Tasks

@Suite(.timeLimit(.minutes(15))) struct EventTests {
    private func names(_ opened: TestTasks, after sequence: UInt64, count: Int) async throws -> [TaskEvent.Name] {
        var names: [TaskEvent.Name] = []
        for try await event in opened.tasks.events(after: sequence) {
            names.append(event.name)
            if names.count == count { break }
        }
        return names
    }

    @Test("Every change has its event once, and a change of state says which one, also of undo and redo [L-PR2, L-PR1]")
    func states() async throws {
        let opened = try TestTasks()
        let tasks = opened.tasks
        let task = try await tasks.create("a")
        try await tasks.start(task.id)
        try await tasks.reopen(task.id)
        try await tasks.complete(task.id)
        try await tasks.setState(task.id, to: .active)
        try await tasks.complete(task.id)
        try await tasks.undo()
        try await tasks.redo()
        try await tasks.edit(task.id) { $0.notes = "n" }
        try await tasks.delete(task.id)
        let expected: [TaskEvent.Name] = [
            .taskCreated, .taskStarted, .taskReopened, .taskCompleted, .taskReopened, .taskCompleted, .taskReopened,
            .taskCompleted, .taskChanged, .taskDeleted,
        ]
        #expect(try await names(opened, after: 0, count: expected.count) == expected)
        // The next one is of the next change.
        let last = try opened.store.read { try $0.lastSequence() }
        try await tasks.createList("Home")
        #expect(try await names(opened, after: last, count: 1) == [.listCreated])
    }

    @Test("Deleting a list is one event of the list and one of each of its tasks [L-PR2]")
    func lists() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        try await opened.tasks.renameList(list.id, to: "House")
        let made = try await opened.tasks.create([NewTask("a", list: list.id), NewTask("b", list: list.id)])
        let sequence = try opened.store.read { try $0.lastSequence() }
        #expect(
            try await names(opened, after: 0, count: 4) == [.listCreated, .listChanged, .taskCreated, .taskCreated])
        try await opened.tasks.deleteList(list.id)
        var events: [TaskEvent] = []
        for try await event in opened.tasks.events(after: sequence) {
            events.append(event)
            if events.count == 3 { break }
        }
        #expect(Set(events.map(\.name)) == [.taskDeleted, .listDeleted])
        #expect(Set(events.map(\.id)) == Set(made.map(\.id) + [list.id]))
        #expect(events.filter { $0.name == .listDeleted }.map(\.id) == [list.id])
        #expect(events.allSatisfy { $0.instant == opened.clock.wall && !$0.isUndoOrRedo })
    }

    @Test("An observed timeline reports what a widget has to draw again, and no other commit [L-FR24, L-PR1]")
    func timeline() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let task = try await opened.tasks.create(
            NewTask("a", on: opened.today, due: .at(opened.clock.wall.advanced(bySeconds: 3600))))
        var live = opened.tasks.observeTimeline().makeAsyncIterator()
        let first = try #require(try await live.next())
        #expect(first.entries.first?.tasks.map(\.id) == [task.id])
        // Time passes, and others write what no entry shows: the end of the range moves, and nothing else.
        for number in 1...3 {
            opened.clock.advance(byMicroseconds: 60_000_000)
            try await opened.tasks.renameList(list.id, to: "Home \(number)")
            let timeline = try opened.tasks.timeline()
            #expect(timeline.entries.first?.at != first.entries.first?.at)
            #expect(timeline.continues(first))
        }
        // That the task is overdue now, the first timeline has shown already.
        opened.clock.advance(byMicroseconds: 3_600_000_000)
        try await opened.tasks.renameList(list.id, to: "House")
        #expect(try opened.tasks.timeline().continues(first))
        try await opened.tasks.create("b", on: opened.today)
        let second = try #require(try await live.next())
        #expect(second.entries.first?.tasks.map(\.text) == ["a", "b"])
        #expect(!second.continues(first))
        // A clock that was set back shows what no timeline has shown.
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -7200))
        #expect(try !opened.tasks.timeline().continues(second))
    }
}
