import CivilTime
import Foundation
import Records
import Testing

@testable import Tasks

@Suite struct DeleteTests {
    @Test("A deleted task is in no view and leaves a tombstone without content [C-FR5, C-S5.1, X-7, C-S5.4, P-OP4]")
    func delete() async throws {
        let opened = try TestTasks()
        for view in [TaskView.inbox, .today, .upcoming] {
            let task = try await opened.tasks.create("x", in: view)
            try await opened.tasks.delete(task.id)
            #expect(try opened.texts(view).isEmpty)
            #expect(try opened.tasks.get(task.id) == nil)
            await #expect(throws: TaskError.noSuchTask(id: task.id.lowercased)) {
                try await opened.tasks.delete(task.id)
            }
        }
        var tombstones = 0
        let again = try opened.reopened()
        try again.tasks.read { try $0.forEachTombstone { _ in tombstones += 1 } }
        #expect(tombstones == 3)
    }

    @Test("A deletion is never earlier than the last change of its task, whatever the wall clock does [S-22]")
    func clockSetBack() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        opened.clock.setWall(opened.clock.wall.advanced(bySeconds: -3600))
        let updated = try await opened.tasks.complete(task.id).updatedAt
        #expect(updated > opened.clock.wall)
        try await opened.tasks.delete(task.id)
        #expect(try opened.tasks.read { try $0.tombstone(of: task.id) }?.deletedAt == updated)
        // With a clock that is right a deletion has the moment at which it was made.
        let other = try await opened.tasks.create("y")
        opened.clock.setWall(other.updatedAt.advanced(bySeconds: 60))
        try await opened.tasks.delete(other.id)
        #expect(try opened.tasks.read { try $0.tombstone(of: other.id) }?.deletedAt == opened.clock.wall)
    }

    @Test("A deleted completion stays counted, unless the task was reopened before [C-S6.7, X-7]")
    func ledger() async throws {
        let opened = try TestTasks()
        let done = try await opened.tasks.create("done")
        try await opened.tasks.complete(done.id)
        try await opened.tasks.delete(done.id)
        #expect(try opened.tasks.statistics().today == 1)
        try await opened.tasks.undo()
        #expect(try opened.tasks.statistics().today == 1)
        #expect(try opened.tasks.get(done.id)?.isCompleted == true)
        try await opened.tasks.reopen(done.id)
        try await opened.tasks.delete(done.id)
        #expect(try opened.tasks.statistics().today == 0)
        #expect(try !opened.tasks.statistics().hasHistory)
        try opened.expectSound()
    }

    @Test("Purging leaves no task, tombstone, completion or text, and cannot be undone [D8]")
    func purge() async throws {
        let opened = try TestTasks()
        let kept = try await opened.tasks.create("kept")
        let secret = try await opened.tasks.create("SECRET", notes: "SECRET")
        try await opened.tasks.complete(secret.id)
        try await opened.tasks.complete(kept.id)
        try await opened.tasks.delete(secret.id)
        try await opened.tasks.purge(secret.id)
        #expect(try opened.tasks.statistics().today == 1)
        #expect(try await opened.tasks.undo() == .changeState)
        #expect(try await opened.tasks.undo() == .create)
        await #expect(throws: TaskError.nothingToUndo) { try await opened.tasks.undo() }
        #expect(try opened.tasks.get(secret.id) == nil)
        #expect(try opened.dump().isEmpty)
        try opened.expectSound()
    }

    @Test("A task whose creation was undone can be purged, once")
    func purgeAfterUndo() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("secret")
        try await opened.tasks.undo()
        try await opened.tasks.purge(task.id)
        await #expect(throws: TaskError.noSuchTask(id: task.id.lowercased)) { try await opened.tasks.purge(task.id) }
        await #expect(throws: TaskError.self) { try await opened.tasks.redo() }
    }

    @Test("A task that is not deleted can be purged")
    func purgeLive() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("x")
        try await opened.tasks.complete(task.id)
        try await opened.tasks.purge(task.id)
        #expect(try opened.dump().isEmpty)
        #expect(try !opened.tasks.statistics().hasHistory)
        await #expect(throws: TaskError.nothingToUndo) { try await opened.tasks.undo() }
        try opened.expectSound()
    }
}
