import Foundation
import KeyValue
import Synchronization
import Testing

private struct Refusal: Error, Equatable {
    let number: Int
}

struct GroupCommitTests {
    @Test("Queued closures share a commit")
    func closuresThatQueueUpShareACommit() async throws {
        let store = try TestStore()
        let before = store.lastTransaction
        let blocked = await BlockedWriter(store)
        let tasks = (0..<50 as Range<UInt8>).map { number in Task { try await store.put([number], [number]) } }
        await blocked.waitForQueue(of: 50)
        blocked.release()
        for task in tasks { try await task.value }
        // The closure that held the writer wrote nothing and took none.
        #expect(store.lastTransaction == before + 1)
        try #expect(store.contents().count == 50)
    }

    @Test(
        "A closure that throws leaves nothing, and the others of its group commit",
        arguments: [[0], [25], [49], [0, 1, 2], [48, 49], [0, 7, 8, 30, 49], Array(0..<50)])
    func aClosureThatThrowsLeavesNothingAndItsNeighboursCommit(throwing: [Int]) async throws {
        let store = try TestStore()
        let table = store.table
        var model: [[UInt8]: [UInt8]] = [:]
        for number in 0..<40 as Range<UInt8> { model[[number]] = [number, number] }
        let start = model
        try await store.environment.write { transaction in
            for (key, value) in start { try transaction.put(key, value, in: table) }
        }
        let blocked = await BlockedWriter(store)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<50 {
            var dice = Dice(UInt64(number))
            let steps = (0..<30).map { _ in
                (key: [UInt8(dice.below(60))], value: dice.below(3) == 0 ? nil : dice.bytes(0...3000))
            }
            let throwsAtEnd = throwing.contains(number)
            if !throwsAtEnd { for step in steps { model[step.key] = step.value } }
            let clears = throwsAtEnd && number % 8 == 0
            tasks.append(
                Task {
                    try await store.environment.write { transaction in
                        for (key, value) in steps {
                            if let value {
                                try transaction.put(key, value, in: table)
                            } else {
                                try transaction.delete(key, in: table)
                            }
                        }
                        if clears { try transaction.removeAll(in: table) }
                        if throwsAtEnd { throw Refusal(number: number) }
                    }
                })
            await blocked.waitForQueue(of: number + 1)
        }
        blocked.release()
        for (number, task) in tasks.enumerated() {
            let result = await task.result
            if throwing.contains(number) {
                #expect(throws: Refusal(number: number)) { try result.get() }
            } else {
                try result.get()
            }
        }
        try #expect(store.contents() == model)
    }

    @Test("A closure that throws in a group of one commits no transaction")
    func aClosureThatThrowsAloneLeavesNoTransaction() async throws {
        let store = try TestStore()
        let table = store.table
        let before = store.lastTransaction
        await #expect(throws: Refusal(number: 1)) {
            try await store.environment.write { transaction in
                try transaction.put([1], [1], in: table)
                throw Refusal(number: 1)
            }
        }
        #expect(store.lastTransaction == before)
        try #expect(store.contents().isEmpty)
    }

    @Test("Cancellation before the start removes the closure from the queue")
    func cancellationBeforeTheStartTakesTheClosureOut() async throws {
        let store = try TestStore()
        let table = store.table
        let blocked = await BlockedWriter(store)
        let hasRun = Flag()
        let cancelled = Task {
            try await store.environment.write { transaction in
                hasRun.raise()
                try transaction.put([1], [1], in: table)
            }
        }
        await blocked.waitForQueue(of: 1)
        let neighbour = Task { try await store.put([2], [2]) }
        await blocked.waitForQueue(of: 2)
        cancelled.cancel()
        // It leaves the queue, and its caller is resumed while the writer is still held.
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(store.environment.queuedWrites == 1)
        blocked.release()
        try await neighbour.value
        #expect(!hasRun.isRaised)
        try #expect(store.contents() == [[2]: [2]])
    }

    @Test("A task that is already cancelled writes nothing")
    func aTaskThatIsCancelledAlreadyWritesNothing() async throws {
        let store = try TestStore()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.put([1], [1])
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try #expect(store.contents().isEmpty)
    }

    @Test("Cancellation after the start has no effect")
    func cancellationAfterTheStartHasNoEffect() async throws {
        let store = try TestStore()
        let table = store.table
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let cancelled = Flag()
        let task = Task {
            try await store.environment.write { transaction in
                begin.finish()
                while !cancelled.isRaised {}
                try transaction.put([1], [1], in: table)
                return 7
            }
        }
        for await _ in begun {}
        task.cancel()
        cancelled.raise()
        try await #expect(task.value == 7)
        try #expect(store.contents() == [[1]: [1]])
    }

    @Test("Random cancellation resumes each caller once")
    func cancellingAtRandomResumesEachCallerOnce() async throws {
        let store = try TestStore()
        let table = store.table
        var dice = Dice(5)
        for round in 0..<20 {
            let tasks = (0..<16).map { number in
                let key = [UInt8(round), UInt8(number)]
                return Task { try await store.environment.write { try $0.put(key, [1], in: table) } }
            }
            for task in tasks where dice.below(2) == 0 { task.cancel() }
            for (number, task) in tasks.enumerated() {
                let isStored: Bool
                switch await task.result {
                case .success: isStored = true
                case .failure(let error):
                    #expect(error is CancellationError)
                    isStored = false
                }
                try #expect(store.value(of: [UInt8(round), UInt8(number)]) == (isStored ? [1] : nil))
            }
        }
    }

    @Test("A caller is resumed when a fresh read sees its write")
    func aCallerIsResumedWhenAFreshReadSeesItsWrite() async throws {
        let store = try TestStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 as Range<UInt8> {
                group.addTask {
                    for round in 0..<20 as Range<UInt8> {
                        try await store.put([number], [round])
                        try #expect(store.value(of: [number]) == [round])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Observers are notified of each commit until they end")
    func observersHearOfEachCommitUntilTheyEnd() async throws {
        let store = try TestStore()
        let table = store.table
        let (commits, commit) = AsyncStream<[UInt8]?>.makeStream()
        var observation: CommitObservation? = try store.environment.observeCommits {
            commit.yield((try? store.environment.read { try $0.value(of: [1], in: table) }) ?? nil)
        }
        var notifications = commits.makeAsyncIterator()
        for number in 0..<5 as Range<UInt8> {
            try await store.put([1], [number])
            // Calls may repeat, but one must come that sees this commit.
            while let value = await notifications.next(), value != [number] {}
        }
        #expect(observation != nil)
        observation = nil
        let hasHeard = Flag()
        let second = try store.environment.observeCommits { hasHeard.raise() }
        _ = await error {
            try await store.environment.write { _ in throw KeyValueError.closed }
        }
        #expect(!hasHeard.isRaised)
        withExtendedLifetime(second) {}
    }

    @Test("When an awaited write returns, its observers have been notified in order")
    func whoHasAwaitedAWriteKnowsThatObserversWereToldOfItInTheirOrder() async throws {
        let store = try TestStore()
        let writer = try await store.environment.write { _ in pthread_self() }
        let notified = Numbers()
        var observations: [CommitObservation] = []
        for number in 0..<20 {
            let environment = store.environment
            observations.append(
                try environment.observeCommits {
                    // The thread that watches the file may report the same commit as well, at any moment.
                    guard pthread_self() == writer else { return }
                    // The first is slow: time enough for a caller that is resumed too early.
                    if number == 0 { for _ in 0..<200 { _ = environment.statistics } }
                    notified.all.withLock { $0.append(number) }
                })
        }
        for number in 0..<50 as Range<UInt8> {
            try await store.put([number], [number])
            #expect(notified.all.withLock { $0 } == Array(0..<20))
            notified.all.withLock { $0 = [] }
        }
        withExtendedLifetime(observations) {}
    }
}

/// Numbers in order of arrival.
private final class Numbers: Sendable {
    let all = Mutex<[Int]>([])
}
