import Daybook
import DaybookModels
import Foundation
import TestSupport
import Testing

@MainActor @Suite struct TodayModelTests {
    @Test("A model starts empty, loads, and follows what a person does [C-S4.6, C-S4.7, N-7]")
    func following() async throws {
        let world = try World()
        let made = try await world.tasks.create(["a", "b", "c"].map { NewTask($0, on: world.store.context.today) })
        let model = TodayModel(world.tasks)
        #expect(model.phase == .loading)
        #expect(model.tasks.isEmpty)
        await shown { model.phase == .ready }
        #expect(model.tasks.texts == ["a", "b", "c"])
        #expect(model.today == world.store.context.today)
        var steps: [ViewUpdate.Step] = []
        model.onUpdate = { steps += $0.steps }
        await model.perform { try await world.tasks.complete(made[0].id) }
        await shown { model.completedCount == 1 }
        #expect(model.tasks.texts == ["b", "c", "a"])
        #expect(steps == [.moved(try #require(model.tasks.last), from: 0, to: 2)])
        await model.perform(as: .delete) { try await world.tasks.delete(made[1].id) }
        await shown { model.tasks.count == 2 }
        #expect(model.failure == nil)
    }

    @Test("What is due and planned for another day is an additional part [C-S2.4]")
    func due() async throws {
        let world = try World()
        let today = world.store.context.today
        let made = try await world.tasks.create([NewTask("planned", on: today), NewTask("in the Inbox")])
        let model = TodayModel(world.tasks)
        await shown { model.phase == .ready }
        #expect(model.due.isEmpty)
        try await world.tasks.due(made.map(\.id), .day(today))
        await shown { !model.due.isEmpty }
        #expect(model.due.texts == ["in the Inbox"])
        #expect(model.tasks.texts == ["planned"])
    }

    @Test("At midnight, and where another zone has another day, Today is another day [C-S2.4]")
    func midnight() async throws {
        // 23:59:30 in Istanbul.
        let world = try World(at: "2026-02-11T20:59:30Z")
        try await world.tasks.create("today", in: .today)
        try await world.tasks.create("tomorrow", in: .upcoming)
        let (today, past, upcoming) = (
            TodayModel(world.tasks), PastModel(world.tasks), UpcomingModel(world.tasks)
        )
        await shown { [today, past, upcoming].allSatisfy { $0.phase == .ready } }
        #expect(today.validUntil == (try Instant("2026-02-11T21:00:00Z")))
        await world.wait { world.clock.sleeperCount >= 5 }
        world.advance(seconds: 30)
        await shown { today.tasks.texts == ["tomorrow"] && past.tasks.texts == ["today"] && upcoming.tasks.isEmpty }
        #expect(today.today == (try Day("2026-02-12")))
        // In New York it is still the day before.
        world.zone.set(try Zone("America/New_York"))
        await shown { today.tasks.texts == ["today"] && past.tasks.isEmpty && upcoming.tasks.texts == ["tomorrow"] }
    }

    #if os(Linux) || os(macOS)
        @Test("What another process writes is shown [S-6, S-7]")
        func otherProcess() async throws {
            let world = try World()
            let model = InboxModel(world.tasks)
            await shown { model.phase == .ready }
            await world.wait { world.clock.sleeperCount > 0 }
            let path = world.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                try await DaybookStore.open(at: path).tasks.create("elsewhere")
            }
            await shown { model.tasks.texts == ["elsewhere"] }
        }
    #endif

    @Test("A store that is closed ends a model with what can be done; what it showed stays [C-S1.12]")
    func closed() async throws {
        let world = try World()
        try await world.tasks.create("x")
        let model = InboxModel(world.tasks)
        await shown { model.phase == .ready }
        world.store.close()
        await shown { model.phase != .ready }
        guard case .failed(let failure) = model.phase else {
            Issue.record("the model does not know it")
            return
        }
        #expect(failure.attempt == .load && failure.code == "closed" && failure.remedy == .restart)
        #expect(model.tasks.texts == ["x"])
        model.retry()
        #expect(model.phase == .loading)
        await shown { model.phase == .failed(failure) }
    }

    @Test("A store without room hands back what was typed, and says what to do [C-S1.8, C-S1.12]")
    func full() async throws {
        let world = try World(options: StoreOptions(sizeCeiling: 4 << 20, retries: .none))
        let model = InboxModel(world.tasks)
        await shown { model.phase == .ready }
        let long = String(repeating: "word ", count: 2000)
        var typed = "short"
        while model.failure == nil {
            typed = "\(model.tasks.count) \(long)"
            let (text, count) = (typed, model.tasks.count)
            guard await model.perform({ try await world.tasks.create(text) }) != nil else { break }
            await shown { model.tasks.count > count }
        }
        let failure = try #require(model.failure)
        #expect(failure.attempt == .save && failure.reason == .full && failure.remedy == .freeSpace)
        #expect(
            EnglishTexts().text(for: failure) == "Could not save. The device is full: free up some space and try again."
        )
        // What was shown at once is taken back, and what was there is intact.
        let count = try world.store.tasks.inbox().count
        await shown { model.tasks.count == count }
        #expect(model.tasks.texts.allSatisfy { $0 != typed })
        #expect(try world.store.verify().isClean)
        model.failure = nil
        await model.perform(as: .delete) { try await world.tasks.delete(model.tasks[0].id) }
    }

    @Test("A change of one of ten thousand records decodes a few, and is one step [S-53]")
    func cost() async throws {
        let world = try World(records: Schema().adding(Counted.collection))
        try await world.store.write { transaction in
            for number in 0..<10_000 { try transaction.insert(Counted(id: UUID(), number: Int64(number))) }
        }
        let model = LiveList(world.session.observe(Counted.byNumber))
        await shown { model.phase == .ready }
        #expect(model.records.count == 10_000)
        var updates: [RangeUpdate<Counted>] = []
        model.onUpdate = { updates.append($0) }
        var record = model.records[5000]
        Counted.decoded.withLock { $0 = 0 }
        record.number = -1
        let changed = record
        try await world.store.write { try $0.put(changed) }
        await shown { model.records.first?.number == -1 }
        #expect(updates.map(\.steps) == [[.moved(changed, from: 5000, to: 0)]])
        #expect(Counted.decoded.withLock { $0 } <= 4)
    }

    @Test("A model that nothing changes does nothing, and one that is released leaves nothing behind")
    func idle() async throws {
        let world = try World()
        try await world.tasks.create("x", in: .today)
        var model: TodayModel? = TodayModel(world.tasks)
        weak let released = model
        await shown { released?.phase == .ready }
        // One timer for each of its two sequences, for midnight.
        await world.wait { world.clock.sleeperCount == 2 }
        let counter = Counter()
        counter.count { _ = (released?.phase, released?.update, released?.due) }
        world.advance(seconds: 3600)
        try await world.tasks.create("in the Inbox")
        for _ in 0..<100 { await Task.yield() }
        #expect(counter.changes == 0)
        #expect(world.clock.wakeCount == 0)
        model?.stop()
        await world.wait { world.clock.sleeperCount == 0 }
        model?.retry()
        await world.wait { world.clock.sleeperCount == 2 }
        model = nil
        #expect(released == nil)
        await world.wait { world.clock.sleeperCount == 0 }
    }
}
