import CivilTime
import Foundation
import Injection
import Testing

@testable import Records

/// The check of a store a portion at a time.
struct ScrubTests {
    private static let tables = [
        "readings", "readings.byTime", "readings.byLevel", "readings.perDay", "changes", "meta",
    ]

    private func filledStore(_ count: UInt64 = 60, options: StoreOptions = StoreOptions()) async throws -> TestStore {
        let opened = try TestStore(options: options)
        var dice = Dice(7)
        for number in 0..<count {
            var reading = Reading.random(number, &dice)
            reading.takenAt = .random(&dice)
            try await opened.put(reading)
        }
        return opened
    }

    /// Scrubs to the end in portions.
    private func pass(over store: RecordStore, bytes: Int = 500) throws -> [String] {
        var problems: [String] = []
        while true {
            let report = try store.scrub(bytes: bytes)
            problems += report.problems
            if report.isAtEnd { return problems }
        }
    }

    @Test("A pass checks every entry once, whatever its portions are", arguments: [1, 90, 700, 5_000, 1 << 20])
    func everyEntry(bytes: Int) async throws {
        let opened = try await filledStore()
        let store = opened.store
        // The note of the scrub is an entry itself, from the end of the first portion on.
        try store.scrub(bytes: 1)
        #expect(try pass(over: store, bytes: bytes).isEmpty)
        let entries = try Self.tables.reduce(0) { try $0 + store.rawEntries($1).count }
        let progress = try store.scrubProgress()
        #expect(progress.entries == entries)
        #expect(progress.problems == 0)
        #expect(progress.endedAt == TestStore.start)
        #expect(!progress.isUnderWay)
    }

    @Test("A damaged entry of any table is found within a pass, and named", arguments: tables)
    func damagedEntry(table: String) async throws {
        let opened = try await filledStore()
        let count = try opened.store.rawEntries(table).count
        try await opened.store.flip(table, entry: count / 2)
        let problems = try pass(over: opened.store)
        #expect(problems.contains { $0.contains("damaged") })
        #expect(try opened.store.scrubProgress().problems == problems.count)
        // The next pass finds it again.
        #expect(try pass(over: opened.store) == problems)
    }

    @Test("Without its checksums a damaged entry would not be found")
    func negativeControl() async throws {
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(.ignoresChecksums)
        let opened = try await filledStore(options: options)
        try await opened.store.flip("readings.perDay")
        #expect(try pass(over: opened.store).isEmpty)
    }

    @Test("A missing entry of an index is found, and one that belongs to no record", arguments: [true, false])
    func entriesOfIndexes(isMissing: Bool) async throws {
        let opened = try await filledStore()
        let entry = try opened.store.rawEntries("readings.byTime")[30]
        try await opened.store.rawDelete("readings.byTime", entry.key)
        if !isMissing {
            try await opened.store.checksummedPut("readings.byTime", entry.key.dropLast() + [entry.key[23] ^ 0x80], [])
        }
        let problems = try pass(over: opened.store)
        #expect(problems.contains { $0.contains("not in readings.byTime") })
        #expect(problems.contains { $0.contains("belongs to no record") } == !isMissing)
    }

    @Test("It goes on after the store was closed where it stopped, and reads nothing twice")
    func reopened() async throws {
        let opened = try await filledStore()
        let before = try opened.store.scrub(bytes: 2_000).progress
        #expect(before.isUnderWay)
        let again = try opened.reopened()
        #expect(try again.store.scrubProgress() == before)
        #expect(try pass(over: again.store).isEmpty)
        let entries = try Self.tables.reduce(0) { try $0 + again.store.rawEntries($1).count }
        #expect(try abs(again.store.scrubProgress().entries - entries) <= 1)
    }

    @Test("What others write between two portions is no problem", arguments: 0..<4 as Range<UInt64>)
    func writesBetween(seed: UInt64) async throws {
        let opened = try await filledStore()
        var dice = Dice(seed)
        var problems: [String] = []
        while true {
            let report = try opened.store.scrub(bytes: 400)
            problems += report.problems
            if report.isAtEnd { break }
            for _ in 0..<3 {
                let number = UInt64(dice.below(90))
                let reading = Reading.random(number, &dice)
                if dice.chance(30) {
                    try await opened.store.write { try $0.delete(Reading.self, id: uuid(number)) }
                } else {
                    try await opened.put(reading)
                }
            }
            // A pass ends although the store grows behind it and before it.
            if try opened.store.scrubProgress().entries > 5_000 { break }
        }
        #expect(problems.isEmpty)
        #expect(try opened.store.scrubProgress().endedAt != nil)
    }

    @Test("Change feeds report damage once a portion, and undo resumes with the change before")
    func changeFeed() async throws {
        let opened = try await filledStore(3)
        try await opened.put(Reading(99))
        try await opened.store.flip("readings.perDay")
        let last = try opened.store.read { try $0.lastSequence() }
        _ = try pass(over: opened.store, bytes: 1 << 20)
        let feed = opened.store.changes(after: last).makeAsyncIterator()
        let change = try #require(try await feed.next())
        #expect(change.label == ChangeLabel(operation: "store.scrub", origin: .scrub))
        #expect(change.entries.isEmpty)
        #expect(try opened.store.read { try $0.lastSequence() } == last + 1)
        try await opened.store.write { _ = try $0.undo() }
        #expect(try opened.readings()[uuid(99)] == nil)
        let problems = try opened.store.verify().problems
        #expect(problems.allSatisfy { $0.contains("readings.perDay") })
    }

    @Test("A valid store gets no change")
    func noChange() async throws {
        let opened = try await filledStore(3)
        let last = try opened.store.read { try $0.lastSequence() }
        _ = try pass(over: opened.store)
        #expect(try opened.store.read { try $0.lastSequence() } == last)
    }

    @Test(
        "In the background it reads no faster than it was told, and what it has read is not lost when it is cancelled")
    func rate() async throws {
        let opened = try await filledStore()
        let store = opened.store
        let task = Task { try await store.scrub(rate: 1_000) }
        var seconds = 0
        // Portions of 4,096 bytes: each is followed by more than four seconds.
        while seconds < 12 {
            if opened.clock.sleeperCount == 0 {
                await Task.yield()
                continue
            }
            opened.clock.advance(byMicroseconds: 1_000_000)
            seconds += 1
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let progress = try store.scrubProgress()
        #expect(progress.isUnderWay)
        let sizes = try Self.tables.sorted().flatMap { table in
            try store.rawEntries(table).map { $0.key.count + $0.value.count }
        }
        let read = sizes.prefix(progress.entries).reduce(0, +)
        #expect((8_000...20_200).contains(read))
        #expect(read < sizes.reduce(0, +))
    }

    @Test("A note of another version begins a new pass")
    func unknownNote() async throws {
        let opened = try await filledStore(3)
        try await opened.store.checksummedPut("meta", Array("scrub".utf8), [9, 9, 9])
        #expect(try opened.store.scrubProgress() == ScrubProgress())
        #expect(try pass(over: opened.store).isEmpty)
    }
}
