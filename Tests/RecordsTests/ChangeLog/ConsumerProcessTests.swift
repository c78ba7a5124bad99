import CivilTime
import Foundation
import Injection
import TestSupport
import Testing

@testable import Records

#if os(Linux) || os(macOS)
    /// Another process is a child of the test: an exit test runs its closure in one.
    @Suite struct ConsumerProcessTests {
        /// Writes beyond any retention, as another program with its own limits.
        private static func write(
            _ count: Int, into path: String, at seconds: Int64 = 0, _ retention: ChangeLogRetention,
            _ point: InjectionPoint? = nil
        ) async throws {
            var options = StoreOptions(retention: retention)
            options.injectionPoint = ArmedInjectionPoints(point)
            let clock = SettableClock(TestStore.start.advanced(bySeconds: seconds))
            let store = try RecordStore(
                at: path, schema: Reading.schema, context: .test(clock: clock, seed: 9), options: options)
            for number in 0..<count {
                try await store.write { try $0.put(Reading(UInt64(number), level: Int32(truncatingIfNeeded: seconds))) }
            }
            store.close()
        }

        /// A store with 5 changes, and a consumer in this process that has read them and waits.
        private func waitingConsumer() async throws -> (TestStore, ChangeConsumer) {
            let opened = try TestStore()
            for number in 0..<5 { try await opened.put(Reading(1000 + UInt64(number))) }
            return (opened, try await opened.store.consumer("index", after: 5))
        }

        @Test("Another process trims nothing that a sleeping consumer needs [D7, S-7, S-13]")
        func sleeps() async throws {
            let (opened, consumer) = try await waitingConsumer()
            let reader = Task {
                var sequences: [UInt64] = []
                for try await change in consumer.changes() {
                    sequences.append(change.sequence)
                    if change.sequence == 405 { break }
                }
                return sequences
            }
            await #expect(processExitsWith: .success) { [path = opened.folder.store as String] in
                try await Self.write(400, into: path, ChangeLogRetention(maximumBytes: 0))
            }
            #expect(try await reader.value == Array(6...405))
            #expect(try opened.store.information().firstSequence == 6)
            // The same for one that begins to read only now.
            let changes = consumer.changes().makeAsyncIterator()
            for expected in 6...UInt64(405) { #expect(try await changes.next()?.sequence == expected) }
        }

        @Test("Beyond its limits of size or age a consumer gets changesTrimmed, and resumes when it advances [D7]")
        func expires() async throws {
            let (opened, consumer) = try await waitingConsumer()
            let path = opened.folder.store
            await #expect(processExitsWith: .success) { [path = path as String] in
                try await Self.write(
                    200, into: path, at: 1, ChangeLogRetention(maximumBytes: 0, maximumBytesForConsumers: 0))
            }
            let oldest = try opened.store.information().firstSequence
            #expect(oldest > 6)
            await #expect(throws: RecordsError.changesTrimmed(oldest: oldest)) {
                try await consumer.changes().makeAsyncIterator().next()
            }
            #expect(try opened.store.consumers.map(\.hasMissedChanges) == [true])
            try await consumer.advance(to: 205)

            // Moved at the start, so by that clock it is not abandoned for 90 days.
            await #expect(processExitsWith: .success) { [path = path as String] in
                try await Self.write(200, into: path, at: 89 * 86_400, ChangeLogRetention(maximumBytes: 0))
            }
            #expect(try opened.store.information().firstSequence == 206)
            await #expect(processExitsWith: .success) { [path = path as String] in
                try await Self.write(200, into: path, at: 180 * 86_400, ChangeLogRetention(maximumBytes: 0))
            }
            let trimmed = await recordsError { _ = try await consumer.changes().makeAsyncIterator().next() }
            #expect(trimmed?.code == "changes-trimmed")
            #expect(try consumer.position == 205)
        }

        @Test("A process that ignores registered consumers is found: the sleeping one misses changes")
        func negativeControl() async throws {
            let (opened, consumer) = try await waitingConsumer()
            await #expect(processExitsWith: .success) { [path = opened.folder.store as String] in
                try await Self.write(200, into: path, ChangeLogRetention(maximumBytes: 0), .ignoresConsumers)
            }
            let error = await recordsError { _ = try await consumer.changes().makeAsyncIterator().next() }
            #expect(error?.code == "changes-trimmed")
        }

        // MARK: Crashes

        /// Where the process is killed.
        enum Place: Int, CaseIterable {
            case afterDeriving, afterAdvancing, afterCommit
        }

        /// Derives a record from each change of others, whose level counts how often, and advances. The process is killed
        /// at one of the changes.
        private static func consume(
            _ store: RecordStore, upTo last: UInt64, together: Bool, killing: (change: Int, place: Place)? = nil
        ) async throws {
            let consumer = try await store.consumer("index")
            var number = 0
            guard try consumer.position < last else { return }
            for try await change in consumer.changes() {
                number += 1
                let dies = killing.flatMap { $0.change == number ? $0.place : nil }
                let sequence = change.sequence
                let ids = try change.entries.map { try $0.id(as: UUID.self) }
                let derive = { @Sendable (transaction: WriteTransaction) in
                    for id in ids where id.highAndLow.low < 1000 {
                        let derived = 1000 + id.highAndLow.low
                        let level = try transaction[Reading.self].get(uuid(derived))?.level ?? 0
                        try transaction.put(Reading(derived, level: level + 1))
                    }
                    if dies == .afterDeriving, together { kill(getpid(), SIGKILL) }
                }
                if together {
                    try await store.write { transaction in
                        try derive(transaction)
                        try transaction.advance(consumer, to: sequence)
                        if dies == .afterAdvancing { kill(getpid(), SIGKILL) }
                    }
                } else {
                    try await store.write { try derive($0) }
                    if dies == .afterDeriving { kill(getpid(), SIGKILL) }
                    try await consumer.advance(to: sequence)
                    if dies == .afterAdvancing { kill(getpid(), SIGKILL) }
                }
                if dies == .afterCommit { kill(getpid(), SIGKILL) }
                if sequence >= last { break }
            }
        }

        private static func open(_ path: String) throws -> RecordStore {
            try RecordStore(
                at: path, schema: Reading.schema, context: .test(clock: SettableClock(TestStore.start), seed: 3),
                options: StoreOptions(retention: ChangeLogRetention(maximumBytes: 0)))
        }

        @Test(
            "A crash between deriving and advancing repeats changes at most, and in one transaction not even that [S-3]",
            arguments: Place.allCases, [false, true])
        func crash(place: Place, together: Bool) async throws {
            let folder = TemporaryFolder(on: .memory)
            let store = try Self.open(folder.store)
            _ = try await store.consumer("index")
            for number in 0..<40 as Range<UInt64> { try await store.write { try $0.put(Reading(number)) } }
            store.close()
            for round in 0..<3 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = folder.store as String, place = place.rawValue as Int, together = together as Bool,
                        change = 3 + 5 * round as Int
                    ] in
                    let place = try #require(Place(rawValue: place))
                    try await Self.consume(Self.open(path), upTo: 40, together: together, killing: (change, place))
                }
            }
            let opened = try TestStore(folder: folder)
            let last = try opened.store.read { try $0.lastSequence() }
            try await Self.consume(opened.store, upTo: last, together: together)
            let levels = try opened.readings().filter { $0.key.highAndLow.low >= 1000 }.map(\.value.level)
            #expect(levels.count == 40)
            let repeated = levels.reduce(0) { $0 + Int($1) } - 40
            #expect(repeated == (place == .afterDeriving && !together ? 3 : 0))
            #expect(try opened.store.verify().problems == [])
        }
    }
#endif

extension UUID {
    fileprivate var highAndLow: (high: UInt64, low: UInt64) {
        let bytes = keyBytes.array
        let halves = [bytes[..<8], bytes[8...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return (halves[0], halves[1])
    }
}
