import Daybook
import DaybookModels
import Testing

@MainActor @Suite struct UndoModelTests {
    @Test("The notice counts down in simulated time and goes [C-S3.11, X-20]")
    func countdown() async throws {
        let world = try World()
        let task = try await world.tasks.create("x")
        let model = UndoModel(world.tasks)
        await shown { model.phase == .ready }
        #expect(model.offer == nil && model.secondsLeft == 0)
        #expect(world.clock.sleeperCount == 0)
        try await world.tasks.schedule(task.id, on: .today)
        await shown { model.offer != nil }
        #expect(model.offer?.tasks == [task.id])
        for left in [3, 2, 1] {
            await shown { model.secondsLeft == left }
            // The countdown, and the end of the offer.
            await world.wait { world.clock.sleeperCount == 2 }
            world.advance(seconds: 1)
        }
        await shown { model.secondsLeft == 0 }
        #expect(model.offer != nil)
        world.clock.advance(byMicroseconds: 1)
        await shown { model.offer == nil }
        #expect(world.clock.sleeperCount == 0)
    }

    @Test("A notice names the tasks that were changed, not those that were as they were to become [X-20]")
    func changedOnly() async throws {
        let world = try World()
        let day = world.store.context.today
        let made = try await world.tasks.create([NewTask("a", on: day), NewTask("b"), NewTask("c", on: day)])
        let ids = made.map(\.id)
        try await world.tasks.schedule(ids, on: .today)
        #expect(world.tasks.undoNotice?.tasks == [ids[1]])
        world.advance(seconds: 86_400)
        try await world.tasks.complete(ids[2])
        try await world.tasks.carry(ids, to: .today)
        #expect(world.tasks.undoNotice?.tasks == Array(ids[...1]))
    }

    @Test(
        "Whatever is offered can be taken back as one: several tasks, a carry, a list, a plan, a deletion [X-20]",
        arguments: ["states", "days", "carry", "list", "plan", "delete"])
    func kinds(kind: String) async throws {
        let world = try World()
        let today = world.store.context.today
        let made = try await world.tasks.create(["a", "b"].map { NewTask($0, on: today) })
        let list = try await world.tasks.createList("Home")
        try await world.tasks.changeSettings { $0.undoSecondsOfDeletion = 10 }
        world.advance(seconds: 86_400)
        let ids = made.map(\.id)
        let before = try ids.map { try world.store.tasks.get($0) }
        let model = UndoModel(world.tasks)
        await shown { model.phase == .ready }
        let action: UndoNotice.Action =
            switch kind {
            case "states": .changedState(.completed)
            case "days": .scheduled(.upcoming)
            case "carry": .carried
            case "list": .movedToList
            case "plan": .placed(.morning)
            default: .deleted
            }
        switch kind {
        case "states": try await world.tasks.setState(ids, to: .completed)
        case "days": try await world.tasks.schedule(ids, on: .tomorrow)
        case "carry": try await world.tasks.carry(ids, to: .today)
        case "list": try await world.tasks.move(ids, toList: list.id)
        case "plan": try await world.tasks.place(ids, region: .morning, bucket: nil)
        default: try await world.tasks.delete(ids)
        }
        await shown { model.offer != nil }
        #expect(model.offer?.action == action)
        #expect(model.offer?.tasks == ids)
        #expect(!EnglishTexts().undoNotice(for: action).isEmpty)
        #expect(EnglishTexts().undoNotice(for: action) != TurkishTexts().undoNotice(for: action))
        #expect(try ids.map { try world.store.tasks.get($0) } != before)
        #expect(await model.undo())
        #expect(try ids.map { try world.store.tasks.get($0) }.map { $0?.text } == ["a", "b"])
        #expect(try ids.map { try world.store.tasks.get($0)?.state } == before.map { $0?.state })
        #expect(try ids.map { try world.store.tasks.get($0)?.scheduledDate } == before.map { $0?.scheduledDate })
        #expect(try ids.map { try world.store.tasks.get($0)?.listID } == before.map { $0?.listID })
        await shown { model.offer == nil }
        #expect(await !model.undo())
        #expect(model.failure == nil)
    }

    @Test("For how long is a setting; deletions are offered only where it says so [X-20]")
    func settings() async throws {
        let world = try World()
        let made = try await world.tasks.create(["a", "b"].map { NewTask($0) })
        try await world.tasks.delete(made[0].id)
        #expect(world.tasks.undoNotice == nil)
        try await world.tasks.changeSettings { $0.undoSeconds = 8 }
        try await world.tasks.complete(made[1].id)
        let model = UndoModel(world.tasks)
        await shown { model.secondsLeft == 8 }
        try await world.tasks.changeSettings { $0.undoSeconds = 0 }
        try await world.tasks.reopen(made[1].id)
        await shown { model.offer == nil }
    }
}
