import CivilTime
import Foundation
import Records
import Synchronization
import Testing

@testable import Journals

/// A provider that knows no place.
private struct PlacelessProvider: PlaceProvider {
    func requestPermission() async -> Bool { true }
    func currentPlace() async throws(PlaceError) -> EntryPlace { throw .unavailable }
}

/// How many live views have ended.
private final class Ended: Sendable {
    let count = Atomic(0)
}

@Suite struct LockTests {
    @Test(
        "A locked journal is locked after a launch and after a suspension, until its owner is recognized [J-OP12, J-SE1, F-19, X-38]"
    )
    func states() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t")
        // Off: nothing locks it.
        opened.journal.lock.suspend()
        #expect(!opened.journal.lock.isLocked)
        #expect(await journalError { try await opened.journal.setLock(true, isAvailable: false) } == .lockUnavailable)
        #expect(try !opened.journal.settings().isLockEnabled)
        try await opened.journal.setLock(true, isAvailable: true)
        #expect(!opened.journal.lock.isLocked)
        opened.journal.lock.suspend()
        #expect(opened.journal.lock.isLocked)
        for result in [AuthenticationResult.failed, .cancelled, .failed] {
            #expect(!opened.journal.lock.unlock(result))
        }
        #expect(await journalError { try await opened.journal.setLock(false, isAvailable: true) } == .locked)
        #expect(opened.journal.lock.unlock(.recognized))
        #expect(try opened.journal.threads().count == 1)
        // No grace period: the next launch is locked again.
        let again = try opened.reopened()
        #expect(again.journal.lock.isLocked)
        #expect(again.journal.lock.unlock(.recognized))
        try await again.journal.setLock(false, isAvailable: false)
        again.journal.lock.suspend()
        #expect(!again.journal.lock.isLocked)
        let third = try again.reopened()
        #expect(try third.journal.thread(thread.id) != nil)
    }

    @Test(
        "A locked journal is neither read nor changed, but a draft is saved [J-OP12, J-SE4]", arguments: [false, true])
    func refuses(inSession: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t", firstEntry: "x")
        let entry = try #require(try opened.journal.entries(of: thread.id).first)
        try await opened.journal.setLock(true, isAvailable: true)
        _ = try await opened.journal.turnOnPlaces(PlacelessProvider())
        try await opened.journal.changeSettings { $0.lastPlace = EntryPlace("Berlin, Germany") }
        let deleted = try await opened.journal.createThread("deleted")
        try await opened.journal.deleteThread(deleted.id)
        let notice = try #require(opened.journal.undoNotice)
        let journal =
            inSession ? Journal(session: opened.store.session(), of: opened.journal) : opened.journal
        let saver = try DraftSaver(journal, thread: thread.id)
        saver.edit("in the middle of a sen")
        opened.journal.lock.suspend()
        let refused: [(String, () async throws -> Void)] = [
            ("threads", { _ = try journal.threads() }), ("thread", { _ = try journal.thread(thread.id) }),
            ("findThread", { _ = try journal.findThread("t") }),
            ("entries", { _ = try journal.entries(of: thread.id) }), ("page", { _ = try journal.page(of: thread.id) }),
            ("entry", { _ = try journal.entry(entry.id) }), ("filled", { _ = try journal.filled([entry]) }),
            ("fields", { _ = try journal.fields(of: thread.id) }), ("draft", { _ = try journal.draft(of: thread.id) }),
            ("search", { _ = try journal.search("x") }), ("read", { _ = try journal.read { _ in } }),
            ("observeThreads", { for try await _ in journal.observeThreads() {} }),
            ("observeEntries", { _ = try journal.observeEntries(of: thread.id) }),
            ("DraftSaver", { _ = try DraftSaver(journal, thread: thread.id) }),
            ("write", { try await journal.write { _ in } }), ("createThread", { try await journal.createThread("u") }),
            ("renameThread", { try await journal.renameThread(thread.id, to: "u") }),
            ("deleteThread", { try await journal.deleteThread(thread.id) }),
            ("restoreThread", { try await journal.restoreThread(deleted.id) }),
            ("purgeThread", { try await journal.purgeThread(thread.id) }),
            ("undo", { try await opened.journal.undo(notice) }),
            ("addEntry", { try await journal.addEntry("y", to: thread.id) }),
            (
                "addEntry with a place later",
                { _ = try await journal.addEntry(NewEntry("y"), to: thread.id, placeFrom: PlacelessProvider()) }
            ),
            (
                "addEntry with a place",
                {
                    _ = try await journal.addEntry(
                        NewEntry("y"), to: thread.id, waitingForPlaceFrom: PlacelessProvider())
                }
            ),
            ("editEntry", { try await journal.editEntry(entry.id, "y") }),
            ("deleteEntries", { try await journal.deleteEntries([entry.id]) }),
            ("deleteEntry", { try await journal.deleteEntry(entry.id) }),
            ("createField", { try await journal.createField("f", in: thread.id) }),
            ("saveCustomFields", { try await journal.saveCustomFields([], of: thread.id) }),
            ("editFields", { try await journal.editFields { _ in } }),
            ("clearDraft", { try await journal.clearDraft(of: thread.id) }), ("send", { _ = try await saver.send() }),
            ("send with a place later", { _ = try await saver.send(placeFrom: PlacelessProvider()) }),
            ("send after the place", { _ = try await saver.send(waitingForPlaceFrom: PlacelessProvider()) }),
            ("changeSettings", { try await journal.changeSettings { _ in } }),
            ("turnOnPlaces", { _ = try await journal.turnOnPlaces(PlacelessProvider()) }),
            ("turnOffPlaces", { try await journal.turnOffPlaces() }),
            ("setLock", { try await journal.setLock(false, isAvailable: true) }),
        ]
        for (name, call) in refused { #expect(await journalError(of: call) == .locked, "\(name)") }
        let settings = try journal.settings()
        #expect(settings.isLockEnabled && settings.lastPlace == nil)
        #expect(try await saver.flush())
        journal.lock.unlock(.recognized)
        #expect(try journal.settings().lastPlace != nil)
        #expect(try journal.draft(of: thread.id)?.content == "in the middle of a sen")
        #expect(try journal.entries(of: thread.id) == [entry])
    }

    @Test("Every reading that runs throws when the journal is locked meanwhile [J-OP12]", arguments: [false, true])
    func readingsThatRun(inSession: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t", firstEntry: "one x")
        try await opened.journal.addEntry("two x", to: thread.id)
        let entries = try opened.journal.entries(of: thread.id)
        let field = try await opened.journal.editFields { try $0.createField("f", in: thread.id) }
        try await opened.journal.setLock(true, isAvailable: true)
        let journal =
            inSession ? Journal(session: opened.store.session(), of: opened.journal) : opened.journal
        let calls: [(String, (JournalReading) throws -> Void)] = [
            ("nothing more", { _ in }), ("threads", { _ = try $0.threads() }),
            ("summary", { _ = try $0.summary(of: thread) }), ("thread", { _ = try $0.thread(thread.id) }),
            ("deletionQuestion", { _ = try $0.deletionQuestion(of: thread) }),
            ("entries", { _ = try $0.entries(of: thread.id) }),
            ("forEachEntry", { try $0.forEachEntry(of: thread.id) { _ in true } }),
            ("page", { _ = try $0.page(of: thread.id) }), ("entry", { _ = try $0.entry(entries[0].id) }),
            ("findThread", { _ = try $0.findThread("t") }), ("fields", { _ = try $0.fields(of: thread.id) }),
            ("findEntry", { _ = try $0.findEntry(entries[0].id.lowercased) }),
            ("findField", { _ = try $0.findField(field.name, in: thread.id) }),
            ("shortIDs of threads", { _ = try $0.shortIDs(ofThreads: [thread.id]) }),
            ("filled", { _ = try $0.filled(entries) }), ("draft", { _ = try $0.draft(of: thread.id) }),
            ("settings", { _ = try $0.settings() }), ("search", { _ = try $0.search("x") }),
        ]
        for (name, call) in calls {
            journal.lock.unlock(.recognized)
            var isReached = false
            let error = await journalError {
                try journal.read { reading in
                    _ = try reading.threads()
                    journal.lock.suspend()
                    try call(reading)
                    isReached = name != "nothing more"
                }
            }
            #expect(error == .locked && !isReached, "\(name)")
        }
        journal.lock.unlock(.recognized)
        var seen: [String] = []
        let error = await journalError {
            try journal.read { reading in
                try reading.forEachEntry(of: thread.id) { entry in
                    seen.append(entry.content)
                    journal.lock.suspend()
                    return true
                }
            }
        }
        #expect(error == .locked && seen == ["one x"])
    }

    @Test("Whoever follows the lock gets its state first, then each other one [J-OP12, J-SE4]")
    func followed() async throws {
        let opened = try TestJournal()
        try await opened.journal.setLock(true, isAvailable: true)
        var states = opened.journal.lock.states.makeAsyncIterator()
        #expect(try await states.next() == .open)
        opened.journal.lock.suspend()
        #expect(try await states.next() == .locked)
        // The same once more is nothing to follow.
        opened.journal.lock.suspend()
        opened.journal.lock.unlock(.failed)
        let ended = Ended()
        let seen = await withTaskGroup(of: JournalLock.State?.self) { group in
            group.addTask { [states] in
                var states = states
                defer { ended.count.add(1, ordering: .relaxed) }
                return try? await states.next()
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(ended.count.load(ordering: .relaxed) == 0)
            opened.journal.lock.unlock(.recognized)
            for _ in 0..<100_000 where ended.count.load(ordering: .relaxed) < 1 { await Task.yield() }
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(seen == .open)
        var again = try opened.reopened().journal.lock.states.makeAsyncIterator()
        #expect(try await again.next() == .locked)
    }

    @Test(
        "A live view that waits ends with the lock at once, and delivers nothing that is written afterwards [J-OP12]",
        arguments: [false, true])
    func liveViews(inSession: Bool) async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t", firstEntry: "x")
        try await opened.journal.setLock(true, isAvailable: true)
        let journal =
            inSession ? Journal(session: opened.store.session(), of: opened.journal) : opened.journal
        for isWritten in [true, false] {
            journal.lock.unlock(.recognized)
            var threads = journal.observeThreads().makeAsyncIterator()
            var entries = try journal.observeEntries(of: thread.id).makeAsyncIterator()
            var last = try journal.observeEntries(of: thread.id, limit: 1).makeAsyncIterator()
            #expect(try await threads.next()?.value.count == 1)
            #expect(try await entries.next()?.records.isEmpty == false)
            #expect(try await last.next()?.records.count == 1)
            if isWritten {
                journal.lock.suspend()
                try await opened.store.write { _ = try $0.journals.addEntry(NewEntry("secret"), to: thread.id) }
                #expect(await journalError { _ = try await threads.next() } == .locked)
                #expect(await journalError { _ = try await entries.next() } == .locked)
                #expect(await journalError { _ = try await last.next() } == .locked)
            } else {
                let ended = Ended()
                let errors = await withTaskGroup(of: JournalError?.self) { group in
                    group.addTask { [threads] in
                        var threads = threads
                        defer { ended.count.add(1, ordering: .relaxed) }
                        return await journalError { _ = try await threads.next() }
                    }
                    for entries in [entries, last] {
                        group.addTask {
                            var entries = entries
                            defer { ended.count.add(1, ordering: .relaxed) }
                            return await journalError { _ = try await entries.next() }
                        }
                    }
                    for _ in 0..<100 { await Task.yield() }
                    journal.lock.suspend()
                    // Whoever is not woken is cancelled, so that a failure is no hang.
                    for _ in 0..<100_000 where ended.count.load(ordering: .relaxed) < 3 { await Task.yield() }
                    group.cancelAll()
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors == [.locked, .locked, .locked])
            }
        }
    }

    @Test("The size of texts is limited to 80 to 150 percent, and settings survive a restart [J-DM7]")
    func settings() async throws {
        var opened = try TestJournal()
        #expect(try opened.journal.settings() == JournalSettings())
        #expect(JournalSettings().textSizePercentage == 100 && !JournalSettings().isLocationEnabled)
        for (set, expected) in [(79, 80), (80, 80), (151, 150), (150, 150), (-1, 80), (100, 100), (.max, 150)] {
            try await opened.journal.changeSettings { $0.textSizePercentage = set }
            opened = try opened.reopened()
            #expect(try opened.journal.settings().textSizePercentage == expected)
        }
        // They are not undone.
        #expect(
            await journalError { _ = try await opened.journal.write { try $0.transaction.undo() } } == .nothingToUndo)
    }
}
