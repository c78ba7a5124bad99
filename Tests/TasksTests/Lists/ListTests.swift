import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct ListTests {
    @Test(
        "Lists equal a plain model after every operation: orders, counts, cascade, undo and redo [L-FR10 to L-FR16]",
        arguments: [1, 2, 3] as [UInt64])
    func model(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        var dice = Dice(seed)
        var lists: [(id: UUID, name: String)] = []
        var contents: [UUID?: [UUID]] = [nil: []]
        for number in 0..<250 {
            let list: UUID? = lists.isEmpty || dice.chance(25) ? nil : dice.pick(lists).id
            let tasks = contents[list] ?? []
            switch dice.below(12) {
            case 0 where lists.count < 6:
                let created = try await opened.tasks.createList("list \(number)", color: "ff6b6b")
                #expect(created.color == "FF6B6B")
                lists.append((created.id, created.name))
                contents[created.id] = []
            case 1 where lists.count > 1:
                let (moved, other) = (dice.pick(lists), dice.pick(lists))
                guard moved.id != other.id else { continue }
                _ = try await opened.tasks.reorderList(moved.id, to: .before(other.id))
                lists.removeAll { $0.id == moved.id }
                lists.insert(moved, at: lists.firstIndex { $0.id == other.id }!)
            case 2 where lists.count > 3:
                let deleted = dice.pick(lists)
                let count = try await opened.tasks.deleteList(deleted.id).tasks
                #expect(count == contents[deleted.id]?.count)
                guard dice.chance(50) else {
                    lists.removeAll { $0.id == deleted.id }
                    contents[deleted.id] = nil
                    continue
                }
                // Undo brings the list and its tasks back, in their order.
                #expect(try await opened.tasks.undo() == .deleteList)
            case 3, 4, 5:
                var new = NewTask("task \(number)")
                new.list = list
                let task = try await opened.tasks.create([new])[0]
                contents[list, default: []].append(task.id)
            case 6...7 where tasks.count > 1:
                let (task, other) = (dice.pick(tasks), dice.pick(tasks))
                guard task != other else { continue }
                _ = try await opened.tasks.reorder(task, inListTo: .after(other))
                var order = tasks.filter { $0 != task }
                order.insert(task, at: order.firstIndex(of: other)! + 1)
                contents[list] = order
            case 8 where !tasks.isEmpty:
                let target: UUID? = lists.isEmpty || dice.chance(25) ? nil : dice.pick(lists).id
                guard target != list else { continue }
                let task = dice.pick(tasks)
                _ = try await opened.tasks.move([task], toList: target)
                contents[list]?.removeAll { $0 == task }
                contents[target, default: []].append(task)
            case 9 where !tasks.isEmpty: try await opened.tasks.cycle(dice.pick(tasks))
            case 10 where !tasks.isEmpty:
                let task = dice.pick(tasks)
                try await opened.tasks.delete(task)
                contents[list]?.removeAll { $0 == task }
            default:
                guard !tasks.isEmpty else { continue }
                try await opened.tasks.schedule(dice.pick(tasks), on: opened.today.advanced(by: dice.below(3)))
            }
            let overview = try opened.tasks.lists()
            #expect(overview.lists.map(\.list.id) == lists.map(\.id))
            for (list, tasks) in contents {
                let found = try opened.tasks.tasks(inList: list)
                #expect(found.map(\.id) == tasks)
                let open = list.map { id in overview.lists.first { $0.list.id == id }?.open } ?? overview.unlisted
                #expect(open == found.count { !$0.isCompleted })
            }
        }
        try opened.expectSound()
    }

    @Test("A deleted list's completions stay in the statistics, and its reminders are gone [L-DM4, X-7]")
    func cascade() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home")
        let now = opened.clock.wall
        for number in 0..<100 {
            var new = NewTask("\(number)")
            (new.list, new.reminder) = (list.id, .at(now.advanced(bySeconds: 60)))
            let task = try await opened.tasks.create([new])[0]
            if number < 30 { try await opened.tasks.complete(task.id) }
        }
        let unlisted = try await opened.tasks.create("kept")
        let range = now..<now.advanced(bySeconds: 100)
        #expect(try opened.tasks.schedule(in: range).count == 70)
        #expect(try await opened.tasks.deleteList(list.id).tasks == 100)
        #expect(try opened.tasks.schedule(in: range) == [])
        #expect(try opened.tasks.statistics().today == 30)
        #expect(try opened.tasks.inbox().map(\.id) == [unlisted.id])
        #expect(try await opened.tasks.undo() == .deleteList)
        #expect(try opened.tasks.schedule(in: range).count == 70)
        #expect(try opened.tasks.lists().lists.map(\.open) == [70])
        try opened.expectSound()
    }

    @Test("Names and colors that cannot be are refused, and nothing changes [L-DM2]")
    func refusals() async throws {
        let opened = try TestTasks()
        let list = try await opened.tasks.createList("Home", color: "#ff6b6b")
        #expect(list.color == "FF6B6B")
        #expect(await taskError { try await opened.tasks.createList(" \n") } == .emptyName)
        #expect(await taskError { try await opened.tasks.createList("Home") } == .duplicateList)
        for color in ["FFF", "GG0000", "#FF6B6", "FF6B6B0", ""] {
            #expect(await taskError { try await opened.tasks.createList("x", color: color) } == .badColor)
            #expect(await taskError { try await opened.tasks.colorList(list.id, color) } == .badColor)
        }
        #expect(await taskError { try await opened.tasks.renameList(uuid(9), to: "x") } == .noSuchList)
        let task = try await opened.tasks.create("a")
        #expect(await taskError { try await opened.tasks.move([task.id], toList: uuid(9)) } == .noSuchList)
        // Another case is another name.
        try await opened.tasks.createList("HOME")
        #expect(try opened.tasks.lists().lists.map(\.list.name) == ["Home", "HOME"])
        #expect(try opened.tasks.lists().lists[0].list == list)
    }

    @Test("A list is found by its id, its name, its name but for case, and the beginning of one name")
    func names() async throws {
        let opened = try TestTasks()
        let home = try await opened.tasks.createList("Home")
        let work = try await opened.tasks.createList("Work")
        let workshop = try await opened.tasks.createList("Workshop")
        #expect(try opened.tasks.findList(home.id.lowercased) == home)
        #expect(try opened.tasks.findList("Work") == work)
        #expect(try opened.tasks.findList("WORKSHOP") == workshop)
        #expect(try opened.tasks.findList("hö") == home)
        #expect(try opened.tasks.findList(String(workshop.id.lowercased.suffix(12))) == workshop)
        #expect(throws: TaskError.ambiguousList(candidates: [work, workshop].map(\.id.lowercased))) {
            try opened.tasks.findList("wor")
        }
        #expect(throws: TaskError.noSuchList) { try opened.tasks.findList("garden") }
    }

    @Test(
        "Tasks that were never placed, as those of an earlier version, are in the order of their ids until one is moved"
    )
    func unplaced() async throws {
        let opened = try TestTasks()
        let now = opened.clock.wall
        try await opened.store.write { transaction in
            for number in 1...5 { try transaction.put(TaskItem(id: uuid(number), text: "\(number)", createdAt: now)) }
        }
        func order() throws -> [String] { try opened.tasks.tasks(inList: nil).map(\.text) }
        #expect(try order() == ["1", "2", "3", "4", "5"])
        try await opened.tasks.reorder(uuid(5), inListTo: .after(uuid(2)))
        #expect(try order() == ["1", "2", "5", "3", "4"])
        try await opened.tasks.reorder(uuid(3), inListTo: .first)
        #expect(try order() == ["3", "1", "2", "5", "4"])
    }

    @Test("An import creates a list that the file names and does not describe, so that no task is lost")
    func imported() async throws {
        let opened = try TestTasks()
        var task = ImportedTask(id: uuid(1), text: "a", createdAt: opened.clock.wall, updatedAt: opened.clock.wall)
        task.listID = uuid(7)
        let imported = task
        _ = try await opened.tasks.merge([imported], [], continuing: nil)
        #expect(try opened.tasks.lists().lists.map(\.list.id) == [uuid(7)])
        #expect(try opened.tasks.tasks(inList: uuid(7)).map(\.id) == [uuid(1)])
        let described = CustomList(
            id: uuid(7), name: "Home", color: "FF6B6B", createdAt: opened.clock.wall, updatedAt: opened.clock.wall)
        #expect(try await opened.tasks.write { try $0.merge(described) })
        #expect(try opened.tasks.lists().lists.map(\.list.name) == ["Home"])
    }

    @Test("Settings keep their defaults and changes, are not undone, and forget a deleted list [L-DM5, L-FR34, L-FR42]")
    func settings() async throws {
        let opened = try TestTasks()
        #expect(try opened.tasks.settings() == TaskSettings())
        let list = try await opened.tasks.createList("Home")
        try await opened.tasks.changeSettings {
            $0.hasCompletedOnboarding = true
            $0.selectedListID = list.id
            $0.appearance = .dark
        }
        #expect(try await opened.tasks.undo() == .createList)
        let settings = try opened.tasks.settings()
        #expect(settings.hasCompletedOnboarding && settings.appearance == .dark && settings.selectedListID == nil)
    }
}
