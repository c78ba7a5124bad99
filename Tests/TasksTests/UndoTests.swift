import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct UndoTests {
    @Test(
        "A move can be undone for 3 seconds of monotonic time, including the end [C-S3.11, S-23]",
        arguments: [(0, true), (2_999_000, true), (3_000_000, true), (3_000_001, false), (3_001_000, false)])
    func window(microseconds: Int64, isOpen: Bool) async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.schedule(task.id, on: .today)
        let notice = try #require(opened.tasks.undoNotice)
        #expect(notice.text == "Moved to Today")
        opened.clock.advance(byMicroseconds: microseconds)
        // Setting the wall clock changes nothing.
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: 3600))
        #expect((opened.tasks.undoNotice != nil) == isOpen)
        if isOpen {
            try await opened.tasks.undo(notice)
            #expect(try opened.texts(.inbox) == ["x"])
            await #expect(throws: TaskError.undoExpired) { try await opened.tasks.undo(notice) }
        } else {
            await #expect(throws: TaskError.undoExpired) { try await opened.tasks.undo(notice) }
            #expect(try opened.texts(.today) == ["x"])
            // It can still be moved by hand.
            try await opened.tasks.schedule(task.id, on: .inbox)
        }
        try opened.expectSound()
    }

    @Test("Undoing the last operation withdraws the undo notice")
    func noticeGoes() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.schedule(task.id, on: .today)
        #expect(opened.tasks.undoNotice != nil)
        try await opened.tasks.undo()
        #expect(opened.tasks.undoNotice == nil)
        try await opened.tasks.schedule(task.id, on: .today)
        try await opened.tasks.undo()
        try await opened.tasks.redo()
        #expect(opened.tasks.undoNotice == nil)
    }

    @Test("Undo restores day and place, even if another task has the position [C-S3.11]")
    func placeTaken() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0) })
        try await opened.tasks.schedule(made[2].id, on: .tomorrow)
        let notice = try #require(opened.tasks.undoNotice)
        // Comes last, where the third one was.
        try await opened.tasks.create("new")
        try await opened.tasks.undo(notice)
        #expect(try opened.texts(.inbox) == ["a", "b", "c", "new"])
        #expect(try opened.texts(.upcoming).isEmpty)
        try opened.expectSound()
    }

    @Test("Undo of a move that spaced a list leaves no two tasks with one position [C-S3.11]")
    func spreadIsUndone() async throws {
        let opened = try TestTasks()
        let ids = try await opened.tasks.create((0..<4).map { NewTask("\($0)") }).map(\.id)
        var notice: UndoNotice?
        // Each move halves the gap after the first task; the one that finds none spaces all of them anew.
        for move in 0..<80 {
            let before = try opened.tasks.inbox().map(\.position).sorted()
            try await opened.tasks.reorder(ids[1 + move % 2], to: .after(ids[0]))
            notice = opened.tasks.undoNotice
            let after = try opened.tasks.inbox().map(\.position).sorted()
            if Set(before).subtracting(after).count > 1 { break }
        }
        let order = try opened.tasks.inbox().map(\.id)
        for number in 0..<4 { try await opened.tasks.create("new \(number)") }
        try await opened.tasks.undo(try #require(notice))
        try opened.expectSound()
        #expect(try opened.tasks.inbox().count == order.count + 4)
        #expect(try opened.tasks.inbox().prefix(1).map(\.id) == [ids[0]])
    }

    @Test("Redo repeats an undone move, and a notice cannot undo it a second time [C-S3.11]")
    func redo() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.schedule(task.id, on: .today)
        let notice = try #require(opened.tasks.undoNotice)
        try await opened.tasks.undo(notice)
        #expect(try await opened.tasks.redo() == .schedule)
        #expect(try opened.texts(.today) == ["x"])
        await #expect(throws: TaskError.undoExpired) { try await opened.tasks.undo(notice) }
    }

    @Test("Undo of a completion restores the state and removes the time of completion [C-AD8]")
    func completion() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.complete(task.id)
        #expect(opened.tasks.undoNotice?.text == "Marked as completed")
        try await opened.tasks.undo(try #require(opened.tasks.undoNotice))
        let restored = try #require(try opened.tasks.get(task.id))
        #expect(restored.state == .notStarted)
        #expect(restored.completedAt == nil)
        #expect(try opened.tasks.statistics().today == 0)
    }

    @Test("A notice does not undo a task that was changed since")
    func changedSince() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.schedule(task.id, on: .today)
        let notice = try #require(opened.tasks.undoNotice)
        try await opened.tasks.edit(task.id) { $0.text = "y" }
        await #expect(throws: TaskError.changedSince) { try await opened.tasks.undo(notice) }
        #expect(try opened.texts(.today) == ["y"])
    }

    @Test("Without sync, undo and redo keep a deletion, or a task, that another device has changed since")
    func tombstone() async throws {
        let opened = try TestTasks()
        let merge = ChangeLabel(operation: "tasks.merge", origin: .sync)
        var task = try await opened.tasks.create("x")
        try await opened.tasks.edit(task.id) { $0.notes = "n" }
        try await opened.tasks.delete(task.id)
        let tombstone = Tombstone(of: task, deletedAt: opened.clock.wall.advanced(bySeconds: 60))
        try await opened.store.write(merge) { try $0.put(tombstone) }
        await #expect(throws: TaskError.changedSince) { try await opened.tasks.undo() }
        #expect(try opened.texts(.inbox).isEmpty)
        try opened.expectSound()

        task = try await opened.tasks.create("y")
        try await opened.tasks.delete(task.id)
        try await opened.tasks.undo()
        task.text = "z"
        try await opened.store.write(merge) { [task] in try $0.put(task) }
        await #expect(throws: TaskError.changedSince) { try await opened.tasks.redo() }
        #expect(try opened.texts(.inbox) == ["z"])
        try opened.expectSound()
    }

    @Test("Reopening the store ends undo notices and keeps the undo stack [X-20]")
    func reopen() async throws {
        var opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.schedule(task.id, on: .today)
        opened = try opened.reopened()
        #expect(opened.tasks.undoNotice == nil)
        #expect(try await opened.tasks.undo() == .schedule)
        #expect(try await opened.tasks.undo() == .create)
        await #expect(throws: TaskError.nothingToUndo) { try await opened.tasks.undo() }
        #expect(try await opened.tasks.redo() == .create)
        #expect(try opened.texts(.inbox) == ["x"])
    }
}
