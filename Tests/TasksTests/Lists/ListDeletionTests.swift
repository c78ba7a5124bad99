import CivilTime
import Foundation
import Testing

@testable import Tasks

@Suite struct ListDeletionTests {
    @Test("Deleting a list deletes its hidden and archived tasks as well, and undo restores all of them [L-DM4, N-4]")
    func hidden() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let made = try await opened.tasks.create(
            ["shown", "hidden", "archived"].map { NewTask($0, on: opened.today, list: list.id) })
        try await opened.tasks.schedule(made[1].id, on: .inbox)
        try await opened.tasks.wait(made[1].id, until: opened.tomorrow)
        try await opened.tasks.setExpiry(made[2].id, to: opened.clock.wall)
        opened.clock.advance(byMicroseconds: 1)
        try await opened.tasks.archiveExpired()
        #expect(try opened.tasks.lists().lists.map(\.open) == [1])
        #expect(try opened.tasks.read { try $0.countOfTasks(inList: list.id) } == 3)
        #expect(try await opened.tasks.deleteList(list.id).tasks == 3)
        #expect(try opened.tasks.count() == 0)
        try opened.expectSound()
        try await opened.tasks.undo()
        #expect(try made.map { try opened.tasks.get($0.id)?.listID } == [list.id, list.id, list.id])
        try opened.expectSound()
    }

    @Test("The question before a deletion counts every task that is deleted [L-DM4]", arguments: [0, 1, 3])
    func question(count: Int) async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        try await opened.tasks.create((0..<count).map { NewTask("\($0)", list: list.id) })
        let all = try await opened.tasks.create([NewTask("elsewhere")] + (0..<count).map { NewTask("\($0)") })
        try await opened.tasks.complete(all[0].id)
        let expected = [
            0: "Delete 'Home'? It has no tasks.", 1: "Delete 'Home' with 1 task?", 3: "Delete 'Home' with 3 tasks?",
        ]
        #expect(try opened.tasks.deletionQuestion(ofList: list.id) == expected[count])
        #expect(try opened.tasks.countOfTasks(inList: list.id) == count)
        try await opened.tasks.deleteList(list.id)
        #expect(await taskError { _ = try opened.tasks.deletionQuestion(ofList: list.id) } == .noSuchList)
        #expect(try opened.tasks.list(list.id) == nil)
    }
}
