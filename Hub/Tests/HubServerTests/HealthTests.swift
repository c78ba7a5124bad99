import Daybook
import Foundation
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Sync
import Synchronization
import Testing

@testable import HubServer

@Suite("Health", .timeLimit(.minutes(2)))
struct HealthTests {
    /// Counts reads, and ends them when the test says so.
    private final class Storage: Sendable {
        private struct State {
            var reads = 0
            var waiting: [CheckedContinuation<Bool, Never>] = []
        }

        private let state = Mutex(State())

        var reads: Int { state.withLock { $0.reads } }

        func read() async -> Bool {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.reads += 1
                    $0.waiting.append(continuation)
                }
            }
        }

        func answer(_ isAvailable: Bool) async {
            while true {
                let waiting = state.withLock { state in
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for continuation in waiting { continuation.resume(returning: isAvailable) }
                if !waiting.isEmpty { return }
                await Task.yield()
            }
        }
    }

    @Test("Requests at the same time share one read, and its answer holds for a second", arguments: [true, false])
    func shared(_ isAvailable: Bool) async {
        let clock = SettableClock(TestHub.start)
        let storage = Storage()
        let health = HealthCheck(clock: clock) { await storage.read() }
        for round in 1...3 {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 { group.addTask { await health.isStorageAvailable() } }
                await storage.answer(isAvailable)
                for await answer in group { #expect(answer == isAvailable) }
            }
            #expect(storage.reads == round)
            clock.advance(byMicroseconds: 999_999)
            #expect(await health.isStorageAvailable() == isAvailable)
            #expect(storage.reads == round)
            clock.advance(byMicroseconds: 1)
        }
    }

    @Test("A request that is cancelled does not end the read for the others")
    func cancelled() async {
        let storage = Storage()
        let health = HealthCheck(clock: SettableClock(TestHub.start)) { await storage.read() }
        let first = Task { await health.isStorageAvailable() }
        while storage.reads == 0 { await Task.yield() }
        let second = Task { await health.isStorageAvailable() }
        first.cancel()
        await storage.answer(true)
        #expect(await second.value)
        #expect(storage.reads == 1)
    }

    /// Counts the reads of another storage.
    private struct CountedStorage: HubStorage {
        let base: any HubStorage
        let reads: Reads

        final class Reads: Sendable {
            let count = Atomic<Int>(0)
        }

        var isShared: Bool { base.isShared }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any HubReading) throws -> Result
        ) async throws -> Result {
            reads.count.add(1, ordering: .relaxed)
            return try await base.read(body)
        }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any HubWriting) throws -> Result
        ) async throws -> Result {
            try await base.write(body)
        }

        func close() async { await base.close() }
    }

    @Test("A flood of /health reads the storage once in a second, is limited, and leaves other limits alone")
    func flood() async throws {
        let reads = CountedStorage.Reads()
        try await ServerFixture.run(storage: { CountedStorage(base: $0, reads: reads) }) { fixture in
            let token = try await fixture.createSpace()
            let before = reads.count.load(ordering: .relaxed)
            for _ in 0..<60 {
                #expect(try await fixture.request(.get, "/health").json(Health.self).status == "ok")
            }
            #expect(reads.count.load(ordering: .relaxed) - before == 1)
            for _ in 0..<100 {
                let refused = try await fixture.request(.get, "/health")
                #expect(refused.refusal == .busy(retryAfter: 1) && refused.headers[.retryAfter] == "1")
            }
            #expect(try await fixture.openSession().isEmpty == false)
            #expect(try await fixture.push(1, number: 1, token: token).head == 1)
            fixture.clock.advance(byMicroseconds: 1_000_000)
            let later = reads.count.load(ordering: .relaxed)
            for _ in 0..<10 { #expect(try await fixture.request(.get, "/health").status == 200) }
            #expect(try await fixture.request(.get, "/health").status == 429)
            #expect(reads.count.load(ordering: .relaxed) - later == 1)
        }
    }
}
