import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct DependencyTests {
    @Test("A task waits for another one while that one is open, and for no longer [F-10]")
    func blocking() async throws {
        let opened = try TestTasks()
        let tasks = opened.tasks
        let made = try await tasks.create(["a", "b", "c"].map { NewTask($0) })
        let (a, b, c) = (made[0].id, made[1].id, made[2].id)
        opened.clock.advance(byMicroseconds: 1_000_000)
        let blocked = try await tasks.block(a, by: b)
        #expect(blocked.id == a && blocked.updatedAt == opened.clock.wall)
        try await tasks.block(a, by: c)
        // Twice is once.
        let sequence = try opened.lastSequence()
        try await tasks.block(a, by: c)
        #expect(try opened.lastSequence() == sequence)
        #expect(try tasks.blockers(of: a).map(\.text) == ["b", "c"])
        #expect(try tasks.blockedTasks().map(\.text) == ["a"])
        #expect(try tasks.read { try $0.blocked(by: b) }.map(\.text) == ["a"])
        try await tasks.complete(b)
        #expect(try tasks.blockers(of: a, openOnly: true).map(\.text) == ["c"])
        #expect(try tasks.blockers(of: a).count == 2)
        try await tasks.edit(c) { $0.archivedAt = $0.createdAt }
        #expect(try tasks.read { try !$0.isBlocked(a) })
        #expect(try tasks.blockedTasks() == [])
        try await tasks.undo()
        #expect(try tasks.read { try $0.isBlocked(a) })
        try await tasks.unblock(a, by: c)
        #expect(try tasks.read { try !$0.isBlocked(a) })
        try await tasks.undo()
        #expect(try tasks.read { try $0.isBlocked(a) })
        #expect(await taskError { try await tasks.block(a, by: uuid(1)) } == .noSuchTask(id: uuid(1).lowercased))
        try opened.expectSound()
    }

    @Test("A circle is refused within one transaction, too, and nothing of it is kept [F-10]")
    func circleInOneTransaction() async throws {
        let opened = try TestTasks()
        let made = try await opened.tasks.create(["a", "b", "c"].map { NewTask($0) })
        let error = await taskError {
            try await opened.tasks.write { tasks in
                try tasks.block(made[0].id, by: made[1].id)
                try tasks.block(made[1].id, by: made[2].id)
                try tasks.block(made[2].id, by: made[0].id)
            }
        }
        #expect(error == .dependencyCycle)
        #expect(try opened.tasks.read { try !$0.hasLinks() })
        try opened.expectSound()
    }

    @Test("A purge leaves nothing of the links of a task, and what is undone afterwards does not need them [F-10]")
    func purge() async throws {
        let opened = try TestTasks()
        let tasks = opened.tasks
        let made = try await tasks.create(["a", "b", "c"].map { NewTask($0) })
        let (a, b) = (made[0].id, made[1].id)
        try await tasks.block(a, by: b)
        try await tasks.block(made[2].id, by: b)
        try await tasks.delete(b)
        try await tasks.purge(b)
        try await tasks.undo()
        #expect(try tasks.blockers(of: a) == [])
        var rest = 0
        for _ in 0..<10 {
            guard (try? await tasks.undo()) != nil else { break }
            rest += 1
        }
        #expect(rest >= 2)
        try opened.expectSound()
    }

    /// Links as a plain set.
    private struct Model: Equatable {
        var tasks: Set<UUID> = []
        var links: Set<TaskLinkID> = []

        func waits(_ id: UUID, for other: UUID) -> Bool {
            id == other || links.contains { $0.blocked == id && waits($0.blocker, for: other) }
        }
    }

    @Test(
        "Links equal a reference model: circles are refused, deletions cascade, undo and redo bring back [F-10]",
        arguments: 1...8 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        let tasks = opened.tasks
        var dice = Dice(seed)
        let ids = try await tasks.create((0..<9).map { NewTask("\($0)") }).map(\.id)
        var model = Model(tasks: Set(ids))
        var (undos, redos): ([Model], [Model]) = ([], [])
        for step in 0..<150 {
            let (left, right) = (dice.pick(ids), dice.pick(ids))
            var next = model
            switch dice.below(12) {
            case 0...5:
                let error = await taskError { try await tasks.block(left, by: right) }
                if !model.tasks.contains(left) || !model.tasks.contains(right) {
                    #expect(error == .noSuchTask(id: (model.tasks.contains(left) ? right : left).lowercased))
                } else if model.links.contains(TaskLinkID(blocked: left, blocker: right)) {
                    #expect(error == nil)
                } else if model.waits(right, for: left) {
                    #expect(error == .dependencyCycle)
                } else {
                    #expect(error == nil)
                    next.links.insert(TaskLinkID(blocked: left, blocker: right))
                }
            case 6, 7:
                guard let link = model.links.sorted(by: { "\($0)" < "\($1)" }).first else { continue }
                try await tasks.unblock(link.blocked, by: link.blocker)
                next.links.remove(link)
            case 8:
                guard model.tasks.contains(left) else { continue }
                try await tasks.delete(left)
                next.tasks.remove(left)
                next.links = next.links.filter { $0.blocked != left && $0.blocker != left }
            case 9, 10:
                guard let before = undos.popLast() else { continue }
                try await tasks.undo()
                redos.append(model)
                model = before
                try Self.compare(opened, model, "step \(step)")
                continue
            default:
                guard let after = redos.popLast() else { continue }
                try await tasks.redo()
                undos.append(model)
                model = after
                try Self.compare(opened, model, "step \(step)")
                continue
            }
            if next != model {
                undos.append(model)
                redos = []
                model = next
            }
            try Self.compare(opened, model, "step \(step)")
        }
        try opened.expectSound()
    }

    private static func compare(_ opened: TestTasks, _ model: Model, _ comment: Comment) throws {
        try opened.tasks.read { reading in
            var links: Set<TaskLinkID> = []
            try reading.transaction[TaskLink.self].forEach { links.insert($0.id).inserted }
            #expect(links == model.links, comment)
            for id in model.tasks {
                #expect(
                    Set(try reading.blockers(of: id).map(\.id))
                        == Set(model.links.filter { $0.blocked == id }.map(\.blocker)), comment)
                #expect(
                    Set(try reading.blocked(by: id).map(\.id))
                        == Set(model.links.filter { $0.blocker == id }.map(\.blocked)), comment)
            }
            #expect(Set(try reading.blockedTasks().map(\.id)) == Set(model.links.map(\.blocked)), comment)
        }
    }
}
