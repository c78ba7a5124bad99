import CivilTime
import Foundation
import Records
import Synchronization
import Testing

@testable import Tasks

@Suite(.timeLimit(.minutes(15))) struct SessionTests {
    /// A write that keeps the writer of a store occupied until it is released, as a slow disk does.
    private final class Occupation: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let began = DispatchSemaphore(value: 0)
        let task: Task<Void, any Error>

        init(of store: RecordStore) {
            let (gate, began) = (gate, began)
            task = Task {
                try await store.write { _ in
                    began.signal()
                    gate.wait()
                }
            }
        }

        /// Waits without a thread of Swift's pool.
        func hasBegun() async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { [began] in
                    began.wait()
                    continuation.resume()
                }
            }
        }

        func release() { gate.signal() }
    }

    @Test("The statistics of a session include its pending changes, and only its own [C-S1.8, C-S6.7]")
    func statistics() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0, on: opened.today) })
        try await opened.tasks.complete(made[0].id)
        let session = opened.store.session()
        let tasks = TaskList(session: session, of: opened.store)
        var live = tasks.observeStatistics().makeAsyncIterator()
        var month = tasks.observeStatistics(of: opened.today.monthOfYear).makeAsyncIterator()
        #expect(try await live.next()?.value.today == 1)
        #expect(try await month.next()?.value.completed == 1)
        let busy = Occupation(of: opened.store)
        await busy.hasBegun()
        defer { busy.release() }

        let completion = Task { try await tasks.complete(made[1].id) }
        while session.pendingCount < 1 { await Task.yield() }
        #expect(try await live.next()?.value.today == 2)
        #expect(try await month.next()?.value.completed == 2)
        #expect(try opened.tasks.statistics().today == 1)
        // The completion of a deleted task stays: its tombstone has it.
        let deletion = Task { try await tasks.delete(made[1].id) }
        while session.pendingCount < 2 { await Task.yield() }
        #expect(try tasks.statistics().today == 2)
        let reopening = Task { try await tasks.reopen(made[0].id) }
        while session.pendingCount < 3 { await Task.yield() }
        let shown = try #require(try await live.next()?.value)
        #expect((shown.today, shown.week, shown.month, shown.hasHistory) == (1, 1, 1, true))
        let purge = Task { try await tasks.purge(made[1].id) }
        while session.pendingCount < 4 { await Task.yield() }
        // A purge rewrites the change log, so it shows when it is durable.
        #expect(try tasks.statistics().today == 1)
        #expect(try opened.tasks.statistics().today == 1)

        busy.release()
        _ = (try await completion.value, try await deletion.value, try await reopening.value)
        _ = (try await purge.value, try await busy.task.value)
        #expect(try opened.tasks.statistics() == tasks.statistics())
        #expect(try opened.tasks.statistics().today == 0)
        #expect(try !tasks.statistics().hasHistory)
        try opened.expectSound()
    }

    @Test(
        "Every operation shows at once in the views of its session, and only there until it is durable [C-S1.8, C-AD8, C-AD6]"
    )
    func operations() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0, on: opened.today) })
        let session = opened.store.session()
        let tasks = TaskList(session: session, of: opened.store)
        var live = tasks.changes(in: .today).makeAsyncIterator()
        #expect(try await live.next()?.tasks.map(\.text) == ["a", "b", "c"])
        let busy = Occupation(of: opened.store)
        await busy.hasBegun()
        // Also when an expectation throws.
        defer { busy.release() }

        let creation = Task { try await tasks.create("d", in: .today) }
        while session.pendingCount < 1 { await Task.yield() }
        #expect(try tasks.today().map(\.text) == ["a", "b", "c", "d"])
        #expect(try await live.next()?.steps.count == 1)
        let completion = Task { try await tasks.complete(made[0].id) }
        while session.pendingCount < 2 { await Task.yield() }
        let reorder = Task { try await tasks.reorder(made[2].id, to: .first) }
        while session.pendingCount < 3 { await Task.yield() }
        let move = Task { try await tasks.schedule(made[1].id, on: .inbox) }
        while session.pendingCount < 4 { await Task.yield() }
        #expect(try tasks.today().map(\.text) == ["c", "d", "a"])
        #expect(try tasks.today().completedCount == 1)
        #expect(try tasks.inbox().map(\.text) == ["b"])
        #expect(try await live.next()?.tasks.map(\.text) == ["c", "d", "a"])
        #expect(try opened.tasks.today().map(\.text) == ["a", "b", "c"])
        // What is not allowed fails at once.
        await #expect(throws: TaskError.self) {
            try await tasks.schedule(made[0].id, on: opened.today.advanced(by: -1))
        }
        #expect(tasks.undoNotice == nil)

        busy.release()
        let created = try await creation.value
        let completed = try await completion.value
        _ = (try await reorder.value, try await move.value, try await busy.task.value)
        #expect(try opened.tasks.today().tasks == tasks.today().tasks)
        #expect(try opened.tasks.get(created.id) == created)
        #expect(try opened.tasks.get(completed.id)?.isCompleted == true)
        // C-AD8: a completion can be undone for three seconds.
        let again = try await tasks.reopen(made[0].id)
        #expect(again.completedAt == nil)
        let notice = try #require(tasks.undoNotice)
        try await tasks.undo(notice)
        #expect(try tasks.get(made[0].id)?.isCompleted == true)
    }
}
