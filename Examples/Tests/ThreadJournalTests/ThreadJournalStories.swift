import Daybook
import DaybookModels
import Foundation
import StorySupport
import Testing

@testable import ThreadJournal

@MainActor @Suite struct ThreadJournalStories {
    @Test("A thread is begun, and entries are written in it [J-OP1, N-8]")
    func write() async throws {
        let app = ThreadJournalApp(try World().store)
        for line in ["new Garden", "The first tomatoes", "It rained"] { await app.enter(line) }
        await shown { app.open?.thread.entries.map(\.content) == ["The first tomatoes", "It rained"] }
        await shown { app.threads.threads.map(\.entries) == [2] }
        #expect(app.open?.draft.text == "")
    }

    @Test("A draft survives the end of the application, and is there when the thread is opened again [J-OP9]")
    func draft() async throws {
        let world = try World()
        let app = ThreadJournalApp(world.store)
        let thread = try #require(await app.create("Garden"))
        await app.open(thread.id)
        app.open?.draft.text = "It rai"
        // Five seconds later the system ends the application.
        while world.clock.sleeperCount == 0 || app.open?.draft.saving == .saved { await Task.yield() }
        world.advance(seconds: 5)
        await shown { app.open?.draft.saving == .saved }
        let again = ThreadJournalApp(world.store)
        await again.open(thread.id)
        #expect(again.open?.draft.text == "It rai")
    }

    @Test("Nothing is shown while the journal is locked, and all of it after its owner was recognized [J-OP12]")
    func locked() async throws {
        let app = ThreadJournalApp(try World().store)
        await app.enter("new Garden")
        await app.enter("secret")
        await shown { app.open?.thread.entries.count == 1 }
        await app.lock.setLock(true, isAvailable: true)
        await app.resign()
        await shown { app.threads.threads.isEmpty && app.open?.thread.entries.isEmpty == true }
        #expect(app.screen == "Locked")
        app.lock.unlock(.recognized)
        await shown { app.threads.threads.count == 1 && app.open?.thread.entries.count == 1 }
    }

    @Test("A thread is deleted after a question, and comes back by undo within five seconds [J-OP5]")
    func delete() async throws {
        let world = try World()
        let app = ThreadJournalApp(world.store)
        await app.enter("new Garden")
        await app.enter("one")
        await shown { app.threads.threads.first?.entries == 1 }
        let summary = try #require(app.threads.threads.first)
        #expect(app.question(summary).contains("1 entry"))
        await app.delete(summary.thread.id)
        await shown { app.threads.threads.isEmpty && app.undo.secondsLeft == 5 }
        #expect(await app.undo.undo())
        await shown { app.threads.threads.count == 1 }
    }

    @Test("A thread is handed over as a file with a name and a type [J-EX1]")
    func export() async throws {
        let world = try World()
        let app = ThreadJournalApp(world.store)
        await app.enter("new Garden")
        await app.enter("one")
        let thread = try #require(app.open?.thread.id)
        let file = try world.store.files.exportThread(thread, as: .csv)
        #expect(file.mediaType == "text/csv" && file.name.hasSuffix(".csv"))
        #expect(String(decoding: try await file.data(), as: UTF8.self).contains("one"))
    }
}
