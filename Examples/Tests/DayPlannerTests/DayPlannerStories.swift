import Daybook
import DaybookModels
import StorySupport
import Testing

@testable import DayPlanner

@MainActor @Suite struct DayPlannerStories {
    @Test("What was left yesterday is there on launch, once, with its place [P-DM3, N-8]")
    func rollover() async throws {
        let world = try World()
        let first = DayPlannerApp(world.store)
        await first.add("carried", to: .morning, .must)
        await first.add("stays", carries: false)
        world.advance(seconds: 86_400)
        let app = DayPlannerApp(world.store)
        await app.beginDay()
        await app.beginDay()
        await shown { app.plan.plan?[.morning, .must].texts == ["carried"] }
        #expect(app.plan.plan?[.backlog, .none].isEmpty == true)
    }

    @Test("A bucket that is full refuses another task, and says so until one is done [P-OP15]")
    func full() async throws {
        let app = DayPlannerApp(try World().store)
        #expect(await app.add("first", to: .morning, .must))
        #expect(await !app.add("second", to: .morning, .must))
        #expect(
            app.message
                == "Could not save. There is no room left there. Complete something first, or choose another place.")
        await shown { app.plan.plan?[.morning, .must].count == 1 }
        let first = try #require(app.plan.plan?[.morning, .must].first)
        await app.complete(first)
        #expect(await app.add("second", to: .morning, .must))
        #expect(app.message == nil)
    }

    @Test("A task is moved between parts of the day, and back by undo [P-OP6, X-20]")
    func move() async throws {
        let app = DayPlannerApp(try World().store)
        await app.add("a")
        await shown { app.plan.plan?[.backlog, .none].count == 1 }
        let task = try #require(app.plan.plan?[.backlog, .none].first)
        await app.place(task, in: .evening, .misc)
        await shown { app.plan.plan?[.evening, .misc].texts == ["a"] && app.undo.offer != nil }
        #expect(await app.undo.undo())
        await shown { app.plan.plan?[.backlog, .none].texts == ["a"] }
    }

    @Test("Sticky tasks are first in their bucket")
    func sticky() async throws {
        let app = DayPlannerApp(try World().store)
        for text in ["a", "b"] { await app.add(text, to: .morning, .misc) }
        await shown { app.plan.plan?[.morning, .misc].count == 2 }
        let second = try #require(app.plan.plan?[.morning, .misc].last)
        await app.stick(second)
        await shown { app.plan.plan?[.morning, .misc].texts == ["b", "a"] }
    }
}
