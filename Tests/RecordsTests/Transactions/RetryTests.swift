import CivilTime
import Foundation
import KeyValue
import Synchronization
import TestSupport
import Testing

@testable import Records

private struct OwnError: Error, Equatable {}

private let busy = KeyValueError.busy(operation: "commit", code: 11)

/// Fails a number of times, then no more.
private final class Failures: Sendable {
    private let state: Mutex<(left: Int, tries: Int)>

    init(_ count: Int) { state = Mutex((count, 0)) }

    var tries: Int { state.withLock { $0.tries } }

    func next(_ error: any Error) throws {
        let fails = state.withLock { state in
            state.tries += 1
            state.left -= 1
            return state.left >= 0
        }
        if fails { throw error }
    }

    func refill(_ count: Int) { state.withLock { $0.left = count } }
}

@Suite(.timeLimit(.minutes(15))) struct RetryTests {
    let folder = TemporaryFolder(on: .memory)
    let clock = SkippingClock(TestStore.start)

    private func store(_ retries: RetryPolicy = .standard) throws -> RecordStore {
        let context = Context(
            clock: clock, random: SeededRandomSource(seed: 1), currentZone: { .utc }, weekStart: .monday)
        return try RecordStore(
            at: folder.store, schema: Reading.schema, context: context, options: StoreOptions(retries: retries))
    }

    /// Writes a record, then fails a given number of times.
    private func put(_ number: UInt64, in store: RecordStore, failing failures: Failures, with error: any Error)
        async throws
    {
        try await store.write { transaction in
            try transaction.put(Reading(number))
            try failures.next(error)
        }
    }

    private func ids(_ store: RecordStore) throws -> Set<UInt64> {
        var ids: Set<UInt64> = []
        try store.read { transaction in
            try transaction[Reading.self].forEach { reading in
                ids.insert(reading.id.bigEndianHalves.low)
                return true
            }
        }
        return ids
    }

    @Test("Up to three failures are retried, and a fourth is reported after 3 seconds [S-41]", arguments: 0...4)
    func failures(count: Int) async throws {
        let store = try store()
        let failures = Failures(count)
        let error = await recordsError { try await put(1, in: store, failing: failures, with: busy) }
        let waits: [Int64] = [0, 500_000, 1_500_000, 3_000_000, 3_000_000]
        #expect(clock.monotonic.microseconds == waits[count])
        #expect(failures.tries == min(count + 1, 4))
        if count <= 3 {
            #expect(error == nil)
            #expect(try ids(store) == [1])
        } else {
            #expect(error == .engine(busy))
            #expect(error?.description.contains("Try again") == true)
            #expect(try ids(store).isEmpty)
            #expect(try store.information().lastSequence == 0)
        }
    }

    @Test("Each write has three retries, independent of the one before [S-41]")
    func counterResets() async throws {
        let store = try store()
        let failures = Failures(0)
        for number in 1...5 as ClosedRange<UInt64> {
            failures.refill(3)
            try await put(number, in: store, failing: failures, with: busy)
            #expect(clock.monotonic.microseconds == Int64(number) * 3_000_000)
        }
        #expect(try ids(store).count == 5)
    }

    static let passing: [any Error] = [
        busy, RecordsError.engine(busy), KeyValueError.tooManyReaders, KeyValueError.storeGrew,
        KeyValueError.storageFull(detail: "the disk"), RecordsError.engine(.storageFull(detail: "the disk")),
    ]

    static let lasting: [any Error] = [
        KeyValueError.commitFailed(code: 5), KeyValueError.commitUnknown(code: 5), KeyValueError.writingStopped,
        KeyValueError.damaged(path: "p", detail: "d"), KeyValueError.storageFull(detail: "the store's ceiling"),
        KeyValueError.system(operation: "o", code: 5), KeyValueError.permissionDenied(path: "p"), KeyValueError.closed,
        RecordsError.damagedRecord(collection: "c", key: "k"), RecordsError.duplicate(collection: "c", key: "k"),
        RecordsError.nothingToUndo, OwnError(), CancellationError(),
    ]

    @Test("Transient errors and a full disk are retried; other errors are reported at once [X-13]")
    func whatIsTriedAgain() async throws {
        let store = try store()
        for error in Self.passing {
            let failures = Failures(1)
            try await put(1, in: store, failing: failures, with: error)
            #expect(failures.tries == 2, "\(error)")
        }
        let before = clock.monotonic
        for error in Self.lasting {
            let failures = Failures(1)
            await #expect(throws: (any Error).self) { try await put(2, in: store, failing: failures, with: error) }
            #expect(failures.tries == 1, "\(error)")
        }
        #expect(clock.monotonic == before)
        #expect(try ids(store) == [1])
    }

    @Test("A policy can have another schedule, or none")
    func otherPolicies() async throws {
        for delays in [[], [7], [1, 2, 3, 4, 5]] as [[Int64]] {
            let store = try store(RetryPolicy(delaysInMicroseconds: delays))
            let failures = Failures(.max)
            let before = clock.monotonic
            let error = await recordsError { try await put(1, in: store, failing: failures, with: busy) }
            #expect(error == .engine(busy))
            #expect(failures.tries == delays.count + 1)
            #expect(clock.monotonic.microseconds(since: before) == delays.reduce(0, +))
            store.close()
        }
        #expect(RetryPolicy.none.delaysInMicroseconds.isEmpty)
        #expect(StoreOptions().retries == .standard)
    }

    @Test("Synchronous writes and writes in one commit report the first failure")
    func synchronous() throws {
        let store = try store()
        let failures = Failures(.max)
        func put() throws {
            try store.write { transaction in
                try transaction.put(Reading(1))
                try failures.next(busy)
            }
        }
        #expect(throws: RecordsError.engine(busy)) { try put() }
        #expect(throws: RecordsError.engine(busy)) {
            try store.writeTogether([(ChangeLabel(), { @Sendable _ in try failures.next(busy) })])[0].get()
        }
        #expect(failures.tries == 2)
        #expect(clock.monotonic.microseconds == 0)
    }

    @Test("Other writes proceed while one waits, and stepping the wall clock does not change the wait")
    func othersGoOn() async throws {
        let opened = try TestStore()
        let failures = Failures(1)
        let waiting = Task { try await put(1, in: opened.store, failing: failures, with: busy) }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        try await opened.put(Reading(2))
        for seconds in [1_000_000, 0] as [Int64] {
            opened.clock.setWall(Instant(secondsSince1970: seconds))
            #expect(opened.clock.sleeperCount == 1)
        }
        opened.clock.advance(byMicroseconds: 499_999)
        #expect(opened.clock.sleeperCount == 1)
        #expect(failures.tries == 1)
        opened.clock.advance(byMicroseconds: 1)
        try await waiting.value
        #expect(try ids(opened.store) == [1, 2])
        #expect(try opened.store.verify().isClean)
    }

    @Test("Cancellation ends the wait, and nothing was written")
    func cancelled() async throws {
        let opened = try TestStore()
        let failures = Failures(1)
        let waiting = Task { try await put(1, in: opened.store, failing: failures, with: busy) }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(opened.clock.sleeperCount == 0)
        #expect(failures.tries == 1)
        #expect(try ids(opened.store).isEmpty)
    }

    /// Saves records, each try failing with a chance in percent. Returns the share that was saved, after it has checked
    /// that the store holds those and no other.
    private func shareSaved(of saves: Int, failing percent: Int, _ retries: RetryPolicy) async throws -> Double {
        let store = try store(retries)
        let dice = Mutex(Dice(2026))
        var saved: Set<UInt64> = []
        for number in 0..<UInt64(saves) {
            let error = await recordsError {
                try await store.write { transaction in
                    try transaction.put(Reading(number))
                    if dice.withLock({ $0.chance(percent) }) { throw busy }
                }
            }
            if error == nil { saved.insert(number) } else { #expect(error == .engine(busy)) }
        }
        #expect(try ids(store) == saved)
        #expect(try store.information().lastSequence == UInt64(saved.count))
        #expect(try store.verify().isClean)
        return Double(saved.count) / Double(saves)
    }

    @Test("Of 10,000 saves whose attempts fail 5 times in 100, at least 99.99 % succeed [J-SLO2]")
    func saveSuccess() async throws {
        let share = try await withTaskExecutorPreference(OwnThread()) {
            try await shareSaved(of: 10_000, failing: 5, .standard)
        }
        #expect(share >= 0.9999)
    }

    @Test("Without retries, or with a disk that mostly fails, fewer saves succeed [J-SLO2]")
    func saveFailure() async throws {
        #expect(try await shareSaved(of: 1_000, failing: 5, .none) < 0.97)
        try FileManager.default.removeItem(atPath: folder.store)
        let share = try await shareSaved(of: 1_000, failing: 60, .standard)
        #expect(share > 0.8 && share < 0.95)
    }
}

/// A clock on which a wait for a monotonic time is over at once: it moves there, so that the waits can be added up.
final class SkippingClock: TimeSource {
    private let clock: SettableClock

    init(_ wall: Instant) {
        clock = SettableClock(wall)
    }

    var wall: Instant { clock.wall }
    var monotonic: MonotonicTime { clock.monotonic }

    func sleep(while range: Range<Instant>) async throws { try await clock.sleep(while: range) }

    func sleep(until time: MonotonicTime) async throws {
        try Task.checkCancellation()
        clock.advance(byMicroseconds: time.microseconds(since: clock.monotonic))
    }
}
