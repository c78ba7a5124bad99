import Daybook
import DaybookModels
import StorySupport
import Testing

@testable import ReminderLists

@MainActor @Suite struct ReminderListsStories {
    @Test("A list is made, filled, and deleted after a question that says with how many tasks [L-FR6, N-8]")
    func lists() async throws {
        let app = ReminderListsApp(try World().store)
        for line in ["list Home", "Call the dentist", "Water the plants"] { await app.enter(line) }
        await shown { app.open.tasks.count == 2 && app.lists.overview?.lists.first?.open == 2 }
        let list = try #require(app.open.id)
        #expect(app.question(list)?.contains("2") == true)
        await app.delete(list)
        await shown { app.lists.overview?.lists.isEmpty == true && app.open.id == nil }
        #expect(app.search.tasks.isEmpty)
    }

    @Test("Two lists of one name are refused with words that a person understands")
    func duplicate() async throws {
        let app = ReminderListsApp(try World().store)
        await app.create("Home")
        #expect(await app.create("Home") == nil)
        #expect(app.message == "Could not save. There is one of this name already. Choose another name.")
    }

    @Test("A reminder is delivered at its time, once, and its link completes the task [L-FR19]")
    func reminder() async throws {
        let world = try World()
        let app = ReminderListsApp(world.store)
        await app.add("Call the dentist", remindAt: world.clock.wall.advanced(bySeconds: 600))
        await shown { app.open.tasks.count == 1 }
        let scheduler = ReminderScheduler(world.store.tasks)
        #expect(try await scheduler.deliverDue { _ in Issue.record("too early") } != nil)
        world.advance(seconds: 600)
        let delivered = Delivered()
        _ = try await scheduler.deliverDue { await delivered.add($0.identifier) }
        _ = try await scheduler.deliverDue { await delivered.add($0.identifier) }
        let identifiers = await delivered.identifiers
        #expect(identifiers.count == 1)
        let id = try #require(identifiers.first.flatMap { ScheduledReminder.taskID(ofNotification: $0) })
        #expect(id == app.open.tasks.first?.id)
    }

    @Test("An assistant creates a task and says so; a search finds it while it is typed [L-FR28]")
    func assistant() async throws {
        let app = ReminderListsApp(try World().store)
        #expect(await app.assistantCreates("Buy milk") == "Added 'Buy milk'.")
        for text in ["m", "mi", "milk"] { app.search.text = text }
        await shown { app.search.tasks.texts == ["Buy milk"] }
    }

    @Test("A widget shows what is due now and says until when that holds [L-FR24, L-PR1]")
    func widget() async throws {
        let world = try World()
        let app = ReminderListsApp(world.store)
        await app.add("soon", remindAt: world.clock.wall.advanced(bySeconds: 3600))
        let timeline = try world.store.tasks.timeline()
        #expect(!timeline.entries.isEmpty && timeline.refreshAfter > world.clock.wall)
    }
}

private actor Delivered {
    private(set) var identifiers: [String] = []
    func add(_ identifier: String) { identifiers.append(identifier) }
}
