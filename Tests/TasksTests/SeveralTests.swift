import CivilTime
import Foundation
import TestSupport
import Testing

@testable import Tasks

@Suite struct SeveralTests {
    private func opened() async throws -> (TestTasks, [UUID]) {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0, on: opened.today) }).map(\.id)
        return (opened, ids)
    }

    @Test("Operations on several tasks change all of them, and one undo restores all of them [C-FR10, S-42]")
    func all() async throws {
        let (opened, ids) = try await opened()
        let tasks = opened.tasks
        let before = try tasks.today().map(\.state)
        let picked = [ids[2], ids[0], ids[2]]
        #expect(try await tasks.setState(picked, to: .completed).map(\.text) == ["c", "a"])
        #expect(try await tasks.undo() == .changeState)
        #expect(try tasks.today().map(\.state) == before)
        #expect(try await tasks.cycle(picked).allSatisfy(\.isActive))
        try await tasks.undo()
        #expect(try await tasks.schedule(picked, on: .tomorrow).map(\.text) == ["c", "a"])
        #expect(try opened.texts(.upcoming) == ["c", "a"])
        try await tasks.undo()
        #expect(try opened.texts(.today) == ["a", "b", "c"])
        let moment = opened.clock.wall
        #expect(try await tasks.remind(picked, at: moment).allSatisfy { $0.reminderAt == moment })
        try await tasks.undo()
        #expect(try tasks.dueReminders().isEmpty)
        #expect(try await tasks.delete(picked).map(\.text) == ["c", "a"])
        #expect(try opened.texts(.today) == ["b"])
        try await tasks.undo()
        #expect(try opened.texts(.today) == ["a", "b", "c"])
        try await tasks.purge(picked)
        #expect(try opened.texts(.today) == ["b"])
        try opened.expectSound()
    }

    @Test("An operation on several tasks changes none if one of them does not exist [S-42]")
    func none() async throws {
        let (opened, ids) = try await opened()
        let tasks = opened.tasks
        let before = try opened.dump()
        let wrong = [ids[0], uuid(9), ids[1]]
        let error = TaskError.noSuchTask(id: uuid(9).lowercased)
        await #expect(throws: error) { try await tasks.setState(wrong, to: .active) }
        await #expect(throws: error) { try await tasks.cycle(wrong) }
        await #expect(throws: error) { try await tasks.schedule(wrong, on: .inbox) }
        await #expect(throws: error) { try await tasks.remind(wrong, at: nil) }
        await #expect(throws: error) { try await tasks.delete(wrong) }
        await #expect(throws: error) { try await tasks.purge(wrong) }
        #expect(try opened.dump() == before)
        let notes = try await tasks.edit(ids[0]) { task in
            task.text = "A"
            task.notes = "note"
            task.category = "home"
        }
        #expect([notes.text, notes.notes, notes.category] == ["A", "note", "home"])
        #expect(try await tasks.undo() == .edit)
        let restored = try #require(try tasks.get(ids[0]))
        #expect(restored.text == "a")
        #expect(restored.notes == nil)
        #expect(restored.category == nil)
    }

    @Test("Carrying all tasks moves the open ones of past days, in the order of the view, as one operation [C-FR19]")
    func carryAll() async throws {
        let (opened, ids) = try await opened()
        let tasks = opened.tasks
        try await tasks.complete(ids[1])
        let day = opened.today
        opened.advance(to: day.advanced(by: 2))
        try await tasks.create("today", on: opened.today)
        try await tasks.create("inbox")
        #expect(try await tasks.carryAll(to: .today).map(\.text) == ["a", "c"])
        #expect(try opened.texts(.today) == ["today", "a", "c"])
        #expect(try opened.texts(.past) == ["b"])
        #expect(try opened.texts(.inbox) == ["inbox"])
        #expect(try await tasks.carryAll(to: .today).isEmpty)
        #expect(try await tasks.undo() == .carry)
        #expect(try opened.texts(.past) == ["a", "c", "b"])
    }
}
