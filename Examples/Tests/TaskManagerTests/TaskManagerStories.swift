import Daybook
import DaybookModels
import StorySupport
import Testing

@testable import TaskManager

@MainActor @Suite struct TaskManagerStories {
    @Test(
        "Story 1.1: ten tasks in rapid succession are all there, in their order, and the field is empty [C-S1.9]"
    )
    func capture() async throws {
        let app = TasksApp(try World().store)
        for number in 0..<10 {
            app.typed = "\(number)"
            await app.capture()
            #expect(app.typed.isEmpty)
        }
        await shown { app.inbox.tasks.count == 10 }
        #expect(app.inbox.tasks.texts == (0..<10).map { "\($0)" })
        #expect(app.message == nil)
    }

    @Test("Story 1.2: what cannot be saved is in the field again, with a message that says what to do [C-S1.12]")
    func noRoom() async throws {
        let world = try World(options: StoreOptions(sizeCeiling: 2 << 20, retries: .none))
        let app = TasksApp(world.store)
        while app.message == nil {
            app.typed = String(repeating: "word ", count: 2000)
            await app.capture()
        }
        #expect(app.typed.hasPrefix("word word"))
        #expect(app.message == "Could not save. The device is full: free up some space and try again.")
    }

    @Test("Story 2.1: a tap advances a task, and what is done is at the end of today [C-S4.2, C-S4.6]")
    func states() async throws {
        let app = TasksApp(try World().store)
        app.view = .today
        for text in ["a", "b"] {
            app.typed = text
            await app.capture()
        }
        await shown { app.today.tasks.count == 2 }
        let first = app.today.tasks[0]
        await app.cycle(first)
        await shown { app.today.tasks.first?.state == .active }
        await app.cycle(first)
        await shown { app.today.tasks.texts == ["b", "a"] && app.today.completedCount == 1 }
    }

    @Test(
        "Story 3.1: a task is dragged between views, to a place, and back by undo within three seconds [C-S3.11]"
    )
    func drag() async throws {
        let world = try World()
        let app = TasksApp(world.store)
        for text in ["a", "b"] {
            app.typed = text
            await app.capture()
        }
        await shown { app.inbox.tasks.count == 2 }
        await app.drop(app.inbox.tasks[0], on: .today)
        await shown {
            app.today.tasks.texts == ["a"] && app.inbox.tasks.texts == ["b"] && app.undo.secondsLeft == 3
        }
        let second = app.inbox.tasks[0]
        await app.drop(second, on: .today, at: .first)
        await shown { app.today.tasks.texts == ["b", "a"] && app.undo.offer?.tasks == [second.id] }
        #expect(await app.undo.undo())
        await shown { app.today.tasks.texts == ["a"] && app.inbox.tasks.texts == ["b"] && app.undo.offer == nil }
        await app.drop(app.today.tasks[0], on: .past)
        #expect(app.message == "Could not save. This day is in the past. Choose today or a later day.")
        #expect(app.today.tasks.texts == ["a"])
    }

    @Test("Story 4.1: the application is open at midnight, and tomorrow becomes today [C-S2.4, N-8]")
    func midnight() async throws {
        let world = try World(at: "2026-02-11T20:59:00Z")
        let app = TasksApp(world.store)
        app.view = .upcoming
        app.typed = "for tomorrow"
        await app.capture()
        await shown { app.upcoming.sections.count == 1 }
        world.advance(seconds: 60)
        await shown { app.today.tasks.texts == ["for tomorrow"] && app.upcoming.sections.isEmpty }
    }

    @Test(
        "Story 5.1: a task is edited and deleted; a story 6.1 counts what was done, also after that [C-S5.1]"
    )
    func edit() async throws {
        let app = TasksApp(try World().store)
        app.view = .today
        app.typed = "a"
        await app.capture()
        await shown { app.today.tasks.count == 1 }
        let task = app.today.tasks[0]
        await app.rename(task, to: "b")
        await shown { app.today.tasks.texts == ["b"] }
        await app.rename(task, to: " ")
        #expect(app.message == "Could not save. There is no text. Write something first.")
        await app.cycle(task)
        await app.cycle(task)
        await shown { app.statistics.statistics?.today == 1 }
        await app.delete(task)
        await shown { app.today.tasks.isEmpty }
        #expect(app.statistics.statistics?.today == 1)
        #expect(app.message == nil)
    }

    @Test("Story 7.1: an export has every task, a name with today's date, and a type [C-S7.1, C-S7.3]")
    func export() async throws {
        let app = TasksApp(try World(at: "2026-02-11T21:30:00Z").store)
        app.typed = "a"
        await app.capture()
        let file = app.export()
        // In Istanbul it is the next day already.
        #expect(file.name == "daybook-tasks-2026-02-12.json" && file.mediaType == "application/json")
        #expect(String(decoding: try await file.data(), as: UTF8.self).contains("\"text\""))
    }
}
