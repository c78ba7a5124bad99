import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@_exported import func TestSupport.uuid  // for every file of the target

@testable import Journals

typealias Dice = TestSupport.Dice

/// Journals with a settable clock, a settable zone and seeded random numbers.
final class TestJournal: Sendable {
    let folder: TemporaryFolder
    let clock: SettableClock
    let context: Context
    let store: RecordStore
    let journal: Journal

    init(
        at now: String = "2026-02-11T10:00:00Z", seed: UInt64 = 1,
        folder: TemporaryFolder = TemporaryFolder(on: .memory),
        retries: RetryPolicy = .none
    ) throws {
        let clock = SettableClock(try Instant(now))
        self.folder = folder
        self.clock = clock
        context = Context(
            clock: clock, random: SeededRandomSource(seed: seed),
            zones: SettableZone(try Zone("Europe/Berlin")), weekStart: .monday)
        store = try RecordStore(
            at: "\(folder.path)/store", schema: Journal.schema, context: context,
            options: StoreOptions(retries: retries))
        journal = Journal(store: store)
    }

    deinit {
        store.close()
    }

    /// Closes the store and opens its folder again, at the same time: what a restart does.
    func reopened() throws -> TestJournal {
        store.close()
        return try TestJournal(at: clock.wall.description, folder: folder)
    }

    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var problems = try store.verify().problems
        try journal.checkInvariants { problems.append($0) }
        try #require(problems == [], sourceLocation: sourceLocation)
    }

    /// Every record of the collections, which a refused operation must not change.
    func dump() throws -> [String] {
        try store.read { transaction in
            var lines: [String] = []
            func add<R: Record>(_ type: R.Type) throws {
                try transaction[type].forEach {
                    lines.append("\($0)")
                    return true
                }
            }
            try add(JournalThread.self)
            try add(JournalEntry.self)
            try add(CustomField.self)
            try add(CustomFieldGroup.self)
            try add(EntryFieldValue.self)
            try add(JournalDraft.self)
            try add(JournalSettings.self)
            return lines
        }
    }

    func contents(of thread: UUID) throws -> [String] { try journal.entries(of: thread).map(\.content) }

    /// Waits until tasks sleep on the clock, so that moving it wakes them.
    func waitForSleepers(_ count: Int = 1) async throws {
        for _ in 0..<100_000 where clock.sleeperCount < count { await Task.yield() }
        try #require(clock.sleeperCount >= count)
    }
}

/// Returns the error of this module that a closure throws, if any.
func journalError(of work: () async throws -> Void) async -> JournalError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? JournalError
    }
}

extension SettableClock {
    /// Sets the wall clock forward or back; the monotonic clock goes on.
    func stepWall(byMicroseconds step: Int64) { setWall(wall.advanced(byMicroseconds: step)) }
}
