import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct SubtaskTests {
    private func tree(_ opened: TestTasks) async throws -> (whole: TaskItem, part: TaskItem, step: TaskItem) {
        let whole = try await opened.tasks.create("whole", on: opened.today)
        var new = NewTask("part")
        new.parent = whole.id
        let part = try await opened.tasks.create([new])[0]
        new = NewTask("step")
        new.parent = part.id
        return (whole, part, try await opened.tasks.create([new])[0])
    }

    @Test("A subtask has the day and the list of its parent unless it is given others [N-2]")
    func inherits() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("home")
        var new = NewTask("whole", on: opened.tomorrow)
        new.list = list.id
        let whole = try await opened.tasks.create([new])[0]
        var part = NewTask("part")
        part.parent = whole.id
        var other = NewTask("other", on: opened.today)
        other.parent = whole.id
        let made = try await opened.tasks.create([part, other])
        #expect(made.map(\.scheduledDate) == [opened.tomorrow, opened.today])
        #expect(made.map(\.listID) == [list.id, list.id])
        #expect(try opened.tasks.subtasks(of: whole.id).map(\.text) == ["part", "other"])
        try await opened.tasks.reorder(made[1].id, inParentTo: .first)
        #expect(try opened.tasks.subtasks(of: whole.id).map(\.text) == ["other", "part"])
        try opened.expectSound()
    }

    @Test("Completing a task completes the open tasks below it in one step, and undo reopens all [N-2]")
    func completing() async throws {
        let opened = try TestTasks()
        let (whole, part, step) = try await tree(opened)
        try await opened.tasks.complete(part.id)
        try await opened.tasks.reopen(step.id)
        try await opened.tasks.complete(whole.id)
        #expect(
            try opened.tasks.read { try $0.subtaskProgress(of: whole.id) }
                == SubtaskProgress(ids: [part.id], completed: 1))
        #expect(try opened.tasks.get(step.id)?.isCompleted == true)
        #expect(try opened.tasks.statistics().today == 3)
        try await opened.tasks.undo()
        #expect(try opened.tasks.get(whole.id)?.isCompleted == false)
        #expect(try opened.tasks.get(part.id)?.isCompleted == true)
        #expect(try opened.tasks.get(step.id)?.isCompleted == false)
        try opened.expectSound()
    }

    @Test("Deleting a task deletes those below it in one step, and undo brings all back [N-2]")
    func deleting() async throws {
        let opened = try TestTasks()
        let (whole, part, step) = try await tree(opened)
        let before = try opened.tasks.today().tasks.map(\.text)
        // One below the other: it counts once.
        #expect(try await opened.tasks.delete([whole.id, step.id]).map(\.id) == [whole.id, step.id])
        for id in [whole.id, part.id, step.id] { #expect(try opened.tasks.get(id) == nil) }
        try opened.expectSound()
        try await opened.tasks.undo()
        #expect(try opened.tasks.today().tasks.map(\.text) == before)
        #expect(try opened.tasks.get(step.id)?.parentTaskID == part.id)
        try await opened.tasks.purge([whole.id, part.id])
        #expect(try opened.tasks.read { try $0.count() } == 0)
        #expect(await taskError { try await opened.tasks.purge(whole.id) }?.code == "no-such-task")
        try opened.expectSound()
    }

    @Test("No task is a part of itself, and none is deeper than eight levels [N-2]")
    func limits() async throws {
        let opened = try TestTasks()
        var ids = [try await opened.tasks.create("0").id]
        for level in 1...TaskItem.subtaskDepth {
            var new = NewTask("\(level)")
            new.parent = ids[level - 1]
            ids.append(try await opened.tasks.create([new])[0].id)
        }
        let dump = try opened.dump()
        var deeper = NewTask("deeper")
        deeper.parent = ids[TaskItem.subtaskDepth]
        #expect(await taskError { try await opened.tasks.create([deeper]) } == .subtaskDepth)
        let other = try await opened.tasks.create("other").id
        #expect(await taskError { try await opened.tasks.move([ids[0]], under: other) } == .subtaskDepth)
        #expect(await taskError { try await opened.tasks.move([ids[0]], under: ids[3]) } == .subtaskCycle)
        #expect(await taskError { try await opened.tasks.move([ids[0]], under: ids[0]) } == .subtaskCycle)
        #expect(await taskError { try await opened.tasks.move([ids[0]], under: UUID()) }?.code == "no-such-task")
        try await opened.tasks.delete(other)
        #expect(try opened.dump().filter { !$0.contains("Tombstone") } == dump)
        try await opened.tasks.move([ids[8]], under: nil)
        try await opened.tasks.move([ids[0]], under: ids[8])
        try opened.expectSound()
    }

    @Test("The next occurrence of a recurring task has its subtasks again, open and as far from its day [N-2]")
    func recurring() async throws {
        let opened = try TestTasks()
        let (whole, part, step) = try await tree(opened)
        try await opened.tasks.repeat(whole.id, by: RecurrenceRule(phrase: "every 3 days", today: opened.today))
        try await opened.tasks.due([step.id], .day(opened.tomorrow))
        try await opened.tasks.complete(part.id)
        try await opened.tasks.complete(whole.id)
        let next = try #require(
            try opened.tasks.read { try $0.tasks(on: opened.today.advanced(by: 3)) }.first { $0.text == "whole" })
        let nextPart = try #require(try opened.tasks.subtasks(of: next.id).first)
        let nextStep = try #require(try opened.tasks.subtasks(of: nextPart.id).first)
        #expect([next, nextPart, nextStep].allSatisfy { $0.state == .notStarted })
        #expect(nextPart.scheduledDate == opened.today.advanced(by: 3))
        #expect(nextStep.dueDay == opened.tomorrow.advanced(by: 3))
        #expect([next.id, nextPart.id, nextStep.id].allSatisfy { ![whole.id, part.id, step.id].contains($0) })
        // Once: also when it is completed again.
        try await opened.tasks.reopen(whole.id)
        try await opened.tasks.complete(whole.id)
        #expect(try opened.tasks.read { try $0.count() } == 6)
        try await opened.tasks.undo()
        try await opened.tasks.undo()
        try await opened.tasks.undo()
        #expect(try opened.tasks.read { try $0.count() } == 3)
        try opened.expectSound()
    }

    @Test("Parents that devices have made of each other end no reading, and both tasks are deleted")
    func circle() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create([NewTask("a"), NewTask("b")])
        _ = try await opened.store.write(TaskOperation.several.label) { transaction in
            for (index, task) in made.enumerated() {
                var task = task
                task.parentTaskID = made[1 - index].id
                try transaction.put(task)
            }
        }
        #expect(try opened.tasks.subtasks(of: made[0].id).map(\.text) == ["b"])
        try await opened.tasks.complete(made[0].id)
        #expect(try opened.tasks.get(made[1].id)?.isCompleted == true)
        try await opened.tasks.delete(made[1].id)
        #expect(try opened.tasks.read { try $0.count() } == 0)
        try opened.expectSound()
    }
}
