import CivilTime
import Foundation
import Records
import Testing

@testable import Journals

@Suite struct LockTests {
    @Test("A locked journal is locked after a launch and after a suspension, until its owner is recognized [J-OP12]")
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

    @Test("A locked journal is neither read nor changed, but a draft is saved [J-OP12, J-SE4]")
    func refuses() async throws {
        let opened = try TestJournal()
        let thread = try await opened.journal.createThread("t", firstEntry: "x")
        let entry = try #require(try opened.journal.entries(of: thread.id).first)
        try await opened.journal.setLock(true, isAvailable: true)
        let saver = try DraftSaver(opened.journal, thread: thread.id)
        saver.edit("in the middle of a sen")
        opened.journal.lock.suspend()
        let journal = opened.journal
        let refused: [() async throws -> Void] = [
            { _ = try journal.threads() }, { _ = try journal.thread(thread.id) },
            { _ = try journal.entries(of: thread.id) },
            { _ = try journal.page(of: thread.id) }, { _ = try journal.entry(entry.id) },
            { _ = try journal.search("x") },
            { _ = try journal.draft(of: thread.id) }, { _ = try journal.fields(of: thread.id) },
            { _ = try journal.filled([entry]) }, { _ = try journal.findThread("t") }, { _ = try journal.read { _ in } },
            { try await journal.write { _ in } }, { try await journal.createThread("u") },
            { try await journal.addEntry("y", to: thread.id) }, { try await journal.editEntry(entry.id, "y") },
            { try await journal.deleteEntries([entry.id]) }, { try await journal.deleteThread(thread.id) },
            { try await journal.purgeThread(thread.id) }, { try await journal.editFields { _ in } },
            { try await journal.clearDraft(of: thread.id) }, { _ = try journal.observeEntries(of: thread.id) },
        ]
        for (number, call) in refused.enumerated() { #expect(await journalError(of: call) == .locked, "\(number)") }
        await #expect(throws: JournalError.locked) {
            for try await _ in journal.observeThreads() {}
        }
        #expect(try await saver.flush())
        journal.lock.unlock(.recognized)
        #expect(try journal.draft(of: thread.id)?.content == "in the middle of a sen")
        #expect(try journal.entries(of: thread.id) == [entry])
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
