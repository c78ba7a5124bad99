import Daybook
import DaybookModels
import Testing

@MainActor @Suite struct TaskModelTests {
    @Test("Upcoming has a section for each day, with what is due on it [C-S2.3]")
    func upcoming() async throws {
        let world = try World()
        let today = world.store.context.today
        let made = try await world.tasks.create([
            NewTask("tomorrow", on: today.advanced(by: 1)), NewTask("also", on: today.advanced(by: 1)),
            NewTask("later", on: today.advanced(by: 9)), NewTask("inbox"), NewTask("another"),
        ])
        let model = UpcomingModel(world.tasks)
        await shown { model.phase == .ready }
        func rows() -> [String] {
            model.sections.map {
                "\($0.heading(EnglishTexts())): \($0.tasks.texts.joined(separator: ", ")); \($0.due.texts.joined(separator: ", "))"
            }
        }
        #expect(rows() == ["Tomorrow: tomorrow, also; ", "Feb 20: later; "])
        try await world.tasks.due([made[3].id], .day(today.advanced(by: 5)))
        try await world.tasks.due([made[4].id, made[0].id], .day(today.advanced(by: 9)))
        await shown { model.sections.count == 3 && model.sections[2].due.count == 2 }
        #expect(
            rows() == ["Tomorrow: tomorrow, also; ", "Feb 16: ; inbox", "Feb 20: later; another, tomorrow"]
                || rows() == ["Tomorrow: tomorrow, also; ", "Feb 16: ; inbox", "Feb 20: later; tomorrow, another"])
    }

    @Test(
        "Sections are those of the days of the tasks, whatever is planned [C-S2.3]", arguments: 0..<20 as Range<UInt64>)
    func sections(seed: UInt64) async throws {
        let world = try World()
        let today = world.store.context.today
        let random = SeededRandomSource(seed: seed)
        try await world.tasks.create(
            (0..<Int(random.next() % 60)).map {
                NewTask("\($0)", on: today.advanced(by: 1 + Int(random.next() % 12)))
            })
        let model = UpcomingModel(world.tasks)
        await shown { model.phase == .ready }
        let days = try world.store.tasks.upcoming()
        #expect(model.sections.map(\.day) == days.map(\.day))
        #expect(model.sections.map(\.tasks.texts) == days.map(\.tasks.texts))
    }

    @Test("Lists show what is open in them, and a list follows its tasks, its name and its end [L-FR6]")
    func lists() async throws {
        let world = try World()
        let list = try await world.tasks.createList("Home")
        let lists = ListsModel(world.tasks)
        let (home, rest) = (ListModel(world.tasks, id: list.id), ListModel(world.tasks, id: nil))
        await shown { [lists, home, rest].allSatisfy { $0.phase == .ready } }
        #expect(home.record?.name == "Home")
        let made = try await world.tasks.create([NewTask("a"), NewTask("b")])
        await shown { rest.tasks.count == 2 }
        try await world.tasks.move([made[1].id], toList: list.id)
        await shown { home.tasks.texts == ["b"] && rest.tasks.texts == ["a"] }
        await shown { lists.overview?.lists.first?.open == 1 && lists.overview?.unlisted == 1 }
        try await world.tasks.renameList(list.id, to: "House")
        await shown { home.record?.name == "House" }
        _ = try await world.tasks.deleteList(list.id)
        await shown { home.record == nil && home.tasks.isEmpty && lists.overview?.lists.isEmpty == true }
        #expect(home.phase == .ready)
    }

    @Test(
        "The plan of today has its rooms, refuses what does not fit, and is another at midnight [P-DM3, P-OP15]")
    func plan() async throws {
        let world = try World(at: "2026-02-11T20:59:30Z")
        let today = world.store.context.today
        let made = try await world.tasks.create(["a", "b"].map { NewTask($0, on: today) })
        let model = PlanModel(world.tasks)
        #expect(model.room(in: .morning, .must) == nil)
        await shown { model.phase == .ready }
        #expect(model.room(in: .morning, .must) == 1)
        await model.perform { try await world.tasks.place(made[0].id, region: .morning, bucket: .must) }
        await shown { model.plan?[.morning, .must].texts == ["a"] }
        #expect(model.room(in: .morning, .must) == 0)
        #expect(model.room(in: .morning, TaskBucket.none) == nil)
        #expect(await model.perform { try await world.tasks.place(made[1].id, region: .morning, bucket: .must) } == nil)
        #expect(model.failure?.reason == .bucketFull)
        await world.wait { world.clock.sleeperCount > 0 }
        world.advance(seconds: 30)
        await shown { model.plan?.day == today.advanced(by: 1) }
        #expect(model.plan?[.morning, .must].isEmpty == true)
    }

    @Test("Statistics count at once, and the days of whichever month is shown [C-S6.4]")
    func statistics() async throws {
        let world = try World()
        let task = try await world.tasks.create("a", in: .today)
        let today = world.store.context.today
        let model = StatisticsModel(world.tasks, month: today.monthOfYear)
        await shown { model.phase == .ready }
        #expect(model.statistics?.today == 0)
        try await world.tasks.complete(task.id)
        await shown { model.statistics?.today == 1 && model.days?.completed == 1 }
        model.month = today.monthOfYear.previous
        await shown { model.days?.month == today.monthOfYear.previous }
        #expect(model.days?.completed == 0)
    }

    @Test("A search follows what is typed and what changes, in pages; an old one leaves nothing [P-PF2]")
    func search() async throws {
        let world = try World()
        try await world.tasks.create((0..<30).map { NewTask("review \($0)") } + [NewTask("call home")])
        let model = SearchModel(world.tasks)
        await shown { model.phase == .ready }
        #expect(model.tasks.isEmpty)
        for text in ["r", "re", "review", "call"] { model.text = text }
        await shown { model.phase == .ready }
        #expect(model.tasks.texts == ["call home"])
        model.text = "rev"
        await shown { model.phase == .ready }
        #expect(model.tasks.count == 20 && model.hasMore)
        model.showMore()
        await shown { model.tasks.count == 30 && !model.hasMore }
        world.advance(seconds: 1)
        try await world.tasks.create("review again")
        await shown { model.tasks.first?.text == "review again" }
        model.filter.openOnly = true
        try await world.tasks.complete(model.tasks[0].id)
        await shown { model.tasks.count == 20 && !model.tasks.texts.contains("review again") }
    }
}
