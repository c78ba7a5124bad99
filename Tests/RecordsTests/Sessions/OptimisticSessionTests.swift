import CivilTime
import Foundation
import Injection
import KeyValue
import Synchronization
import Testing

@testable import Records

/// What happens to writes that have come to the store: they fail as if it was busy, until they may pass or shall fail.
private final class Faults: Sendable {
    struct Final: Error, Equatable {}

    private let state = Mutex((passing: 0, failing: 0))

    func pass(_ count: Int) { state.withLock { $0.passing = count } }
    func fail(_ count: Int) { state.withLock { $0.failing = count } }

    /// To be called by every closure. A draft comes through.
    func check(_ transaction: WriteTransaction) throws {
        guard transaction.draft == nil else { return }
        try state.withLock { state in
            if state.failing > 0 {
                state.failing -= 1
                throw Final()
            }
            guard state.passing > 0 else { throw KeyValueError.busy(operation: "commit", code: 11) }
            state.passing -= 1
        }
    }
}

/// What one write does, to records and to a plain dictionary.
private enum Step: Sendable {
    struct Missing: Error {}

    case set(UInt64, Int64)
    case increment(UInt64)
    case remove(UInt64)
    case swap(UInt64, UInt64)

    static func random(_ dice: inout Dice) -> Step {
        let number = UInt64(dice.below(6))
        switch dice.below(6) {
        case 0, 1: return .set(number, Int64(dice.below(50)))
        case 2, 3: return .increment(number)
        case 4: return .remove(number)
        default: return .swap(number, UInt64(dice.below(6)))
        }
    }

    func apply(to model: inout [UInt64: Int64]) throws {
        func value(_ number: UInt64) throws -> Int64 {
            guard let value = model[number] else { throw Missing() }
            return value
        }
        switch self {
        case .set(let number, let value): model[number] = value
        case .increment(let number): model[number] = try value(number) + 1
        case .remove(let number):
            _ = try value(number)
            model[number] = nil
        case .swap(let one, let other): (model[one], model[other]) = (try value(other), try value(one))
        }
    }

    /// Reads by the index and by the id, so that both have to show what is pending.
    func apply(to transaction: WriteTransaction) throws {
        func sample(_ number: UInt64) throws -> Sample {
            guard let sample = try transaction[Sample.self].get(uuid(1_000_000 + number)) else { throw Missing() }
            let found = try transaction[Sample.newest].records(in: .prefix(Descending(sample.takenAt)))
            guard found.contains(sample) else { throw RecordsError.damagedEntry(table: "newest", key: "") }
            return sample
        }
        switch self {
        case .set(let number, let value): try transaction.put(Sample(number, of: 1, second: value, value: value))
        case .increment(let number):
            let value = try sample(number).value + 1
            try transaction.put(Sample(number, of: 1, second: value, value: value))
        case .remove(let number):
            _ = try sample(number)
            try transaction.delete(Sample.self, id: uuid(1_000_000 + number))
        case .swap(let one, let other):
            let (first, second) = (try sample(one).value, try sample(other).value)
            try transaction.put(Sample(one, of: 1, second: second, value: second))
            try transaction.put(Sample(other, of: 1, second: first, value: first))
        }
    }
}

/// A session beside a plain model of it.
private final class Trial {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private struct Pending {
        let step: Step
        let task: Task<Void, any Error>
        /// What it changes: nil for a record that it removes.
        var changes: [UInt64: Int64?] = [:]
    }

    let opened: TestStore
    let session: OptimisticSession
    private let faults = Faults()
    private var dice: Dice
    private var committed: [UInt64: Int64] = [:]
    private var pending: [Pending] = []
    private var lives: [(live: LiveRange<Sample, Descending<Instant>>.Iterator, shown: [Sample], limit: Int)] = []

    /// How long other threads may take: hundreds of tests share them, and some keep them for seconds.
    private let patience: Duration

    init(_ seed: UInt64, _ point: InjectionPoint?, patience: Duration = .seconds(400)) async throws {
        self.patience = patience
        var options = StoreOptions()
        options.injectionPoint = ArmedInjectionPoints(point)
        opened = try TestStore(schema: Garden.schema, options: options)
        session = opened.store.session()
        dice = Dice(seed)
        try await opened.store.write { try $0.put(Sensor(1, "roof")) }
        lives = [
            (session.observe(Sample.newest).makeAsyncIterator(), [], .max),
            (session.observe(Sample.newest, limit: 3).makeAsyncIterator(), [], 3),
        ]
    }

    /// Waits for what other threads do.
    private func wait(for condition: () -> Bool) async throws {
        let start = ContinuousClock.now
        while !condition() {
            guard ContinuousClock.now - start < patience else { throw Difference(description: "no progress") }
            await Task.yield()
        }
    }

    private func settle() async throws {
        // A write that has become impossible fails at its first try.
        while let first = pending.first, !isPossible(first.step) {
            guard case .failure(is Step.Missing) = await first.task.result else {
                throw Difference(description: "\(first.step) did not fail")
            }
            pending.removeFirst()
            predictAgain()
        }
        let count = pending.count
        // The first one waits for its next try.
        try await wait { session.pendingCount == count && opened.clock.sleeperCount == min(count, 1) }
    }

    private func isPossible(_ step: Step) -> Bool {
        var after = committed
        return (try? step.apply(to: &after)) != nil
    }

    private var shown: [UInt64: Int64] {
        var shown = committed
        for write in pending {
            for (number, value) in write.changes { shown[number] = value }
        }
        return shown
    }

    private func changes(of step: Step, in model: [UInt64: Int64]) throws -> [UInt64: Int64?] {
        var after = model
        try step.apply(to: &after)
        var changes: [UInt64: Int64?] = [:]
        for number in Set(model.keys).union(after.keys) where model[number] != after[number] {
            changes[number] = .some(after[number])
        }
        return changes
    }

    private func predictAgain() {
        let writes = pending
        pending = []
        for var write in writes {
            write.changes = (try? changes(of: write.step, in: shown)) ?? [:]
            pending.append(write)
        }
    }

    private func begin() async throws {
        let step = Step.random(&dice)
        let (session, faults) = (session, faults)
        let task = Task {
            try await session.write { transaction in
                try step.apply(to: transaction)
                try faults.check(transaction)
            }
        }
        do {
            let changes = try changes(of: step, in: shown)
            pending.append(Pending(step: step, task: task, changes: changes))
            try await settle()
        } catch is Step.Missing {
            // It fails at once, and shows nothing.
            guard case .failure(let error) = await task.result, error is Step.Missing else {
                throw Difference(description: "\(step) did not fail")
            }
        }
    }

    /// Lets the first pending write have its next try.
    private func proceed(failing: Bool) async throws {
        guard !pending.isEmpty else { return }
        let first = pending.removeFirst()
        // Others may have written since it was tried.
        let isPossible = isPossible(first.step)
        if isPossible { failing ? faults.fail(1) : faults.pass(1) }
        opened.clock.advance(byMicroseconds: 1_500_000)
        let result = await first.task.result
        switch result {
        case .success where isPossible && !failing: try first.step.apply(to: &committed)
        case .failure(is Step.Missing) where !isPossible: break
        case .failure(is Faults.Final) where failing && isPossible: break
        default: throw Difference(description: "\(first.step): \(result)")
        }
        predictAgain()
        try await settle()
    }

    /// Lets the first pending write fail as often as it is tried.
    private func giveUp() async throws {
        guard !pending.isEmpty else { return }
        let first = pending.removeFirst()
        let count = session.pendingCount
        while session.pendingCount == count {
            opened.clock.advance(byMicroseconds: 1_500_000)
            try await wait { session.pendingCount < count || opened.clock.sleeperCount == 1 }
        }
        switch await first.task.result {
        case .failure(RecordsError.engine(.busy)), .failure(is Step.Missing): break
        case let result: throw Difference(description: "\(first.step): \(result)")
        }
        predictAgain()
        try await settle()
    }

    private func writeElsewhere() async throws {
        let step = Step.random(&dice)
        var after = committed
        guard (try? step.apply(to: &after)) != nil else { return }
        try await opened.store.write { try step.apply(to: $0) }
        committed = after
    }

    private func expect<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) throws {
        if found != expected { throw Difference(description: "\(what): \(found) instead of \(expected)") }
    }

    private func compare() throws {
        let records = shown.map { Sample($0.key, of: 1, second: $0.value, value: $0.value) }
            .sorted { ($0.takenAt, $1.id.lowercasedText) > ($1.takenAt, $0.id.lowercasedText) }
        try session.read { transaction in
            try expect("the index", transaction[Sample.newest].range(), records)
            try expect(
                "the index backwards", transaction[Sample.newest].records(in: .all, backwards: true), records.reversed()
            )
            var keys: [UUID] = []
            try transaction[Sample.newest].forEachKey { _, id in
                keys.append(id)
                return true
            }
            try expect("the keys", keys, records.map(\.id))
            let byID = records.sorted { $0.id.lowercasedText < $1.id.lowercasedText }
            try expect("the records", transaction[Sample.self].page(limit: 100), byID)
            try expect("the number of records", transaction[Sample.self].count(), records.count)
            try expect("ids", Set(transaction[Sample.self].ids(beginning: [0], limit: 99)), Set(records.map(\.id)))
            for sample in records { try expect("a record", transaction[Sample.self].get(sample.id), sample) }
        }
        for index in lives.indices {
            if let update = try lives[index].live.update() {
                update.apply(to: &lives[index].shown)
                try expect("the steps", lives[index].shown, Array(update.records))
            }
            try expect("a live range", lives[index].shown, Array(records.prefix(lives[index].limit)))
            try expect("an update", lives[index].live.update(), nil)
        }
        let stored = try opened.store.read { try $0[Sample.newest].range() }
        try expect("the store", stored.count, committed.count)
        for sample in stored {
            try expect("a stored value", sample.value, committed[sample.id.bigEndianHalves.low - 1_000_000])
        }
    }

    func run(steps: Int) async throws {
        defer { for write in pending { write.task.cancel() } }
        for _ in 0..<steps {
            switch dice.below(10) {
            case 0...4: try await begin()
            case 5, 6: try await proceed(failing: false)
            case 7: try await proceed(failing: true)
            case 8: try await giveUp()
            default: try await writeElsewhere()
            }
            try compare()
        }
        while !pending.isEmpty {
            try await proceed(failing: false)
            try compare()
        }
        try expect("a clean store", opened.store.verify().problems, [])
    }
}

@Suite(.timeLimit(.minutes(15))) struct OptimisticSessionTests {
    @Test(
        "A session shows its pending writes over what others commit, whatever fails [C-S1.8, C-AD8, X-27]",
        arguments: 1...12 as ClosedRange<UInt64>)
    func model(seed: UInt64) async throws {
        try await Trial(seed, nil).run(steps: 60)
    }

    @Test(
        "A session that hides pending writes or keeps failed ones is found",
        arguments: [InjectionPoint.hidesPendingWrites, .keepsFailedWrites])
    func control(point: InjectionPoint) async throws {
        await #expect(throws: Trial.Difference.self) { try await Trial(1, point, patience: .seconds(3)).run(steps: 60) }
    }

    @Test("A write has the same ids and the same time when it is durable, so nothing changes again")
    func sameTerms() async throws {
        let opened = try TestStore()
        let session = opened.store.session()
        let faults = Faults()
        var live = session.observe(Reading.byTime).makeAsyncIterator()
        #expect(try live.update()?.records.isEmpty == true)
        let task = Task {
            try await session.write { transaction in
                let ids = [transaction.identifiers.next(), transaction.identifiers.next()]
                for id in ids {
                    var reading = Reading(id.bigEndianHalves.low >> 2)
                    reading.takenAt = transaction.context.clock.wall
                    try transaction.put(reading)
                }
                try faults.check(transaction)
                return ids
            }
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        let shown = try #require(try live.update())
        #expect(shown.records.count == 2)
        #expect(try opened.readings().isEmpty)
        faults.pass(1)
        opened.clock.advance(byMicroseconds: 500_000)
        _ = try await task.value
        #expect(try live.update() == nil)
        #expect(try Set(opened.readings().keys) == Set(shown.records.map(\.id)))
        #expect(session.pendingCount == 0)
    }

    @Test("An undo shows when it is durable, and a deletion's cascade, too")
    func notPredicted() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let session = opened.store.session()
        let faults = Faults()
        try await opened.store.write { transaction in
            try transaction.put(Sensor(1, "roof"))
            try transaction.put(Sample(1, of: 1))
        }
        try await opened.store.write { try $0.put(Sample(2, of: 1)) }
        func count() throws -> Int { try session.read { try $0[Sample.self].count() } }
        let undo = Task {
            try await session.write { transaction in
                try transaction.undo()
                try faults.check(transaction)
            }
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        #expect(try count() == 2)
        faults.pass(1)
        opened.clock.advance(byMicroseconds: 500_000)
        try await undo.value
        #expect(try count() == 1)
        let sensor = Sensor(1, "roof")
        let deletion = Task {
            try await session.write { transaction in
                try transaction.delete(Sensor.self, id: sensor.id)
                try faults.check(transaction)
            }
        }
        while opened.clock.sleeperCount == 0 { await Task.yield() }
        #expect(try session.read { try $0[Sensor.self].get(sensor.id) } == nil)
        #expect(try count() == 1)
        faults.pass(1)
        opened.clock.advance(byMicroseconds: 500_000)
        try await deletion.value
        #expect(try count() == 0)
    }

    @Test("A cancelled write is taken back, wherever it is in the queue")
    func cancelled() async throws {
        let opened = try TestStore()
        let session = opened.store.session()
        let faults = Faults()
        let tasks = (0..<3 as Range<UInt64>).map { number in
            Task {
                try await session.write { transaction in
                    try transaction.put(Reading(number))
                    try faults.check(transaction)
                }
            }
        }
        while session.pendingCount < 3 { await Task.yield() }
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(try session.read { try $0[Reading.self].count() } == 2)
        faults.pass(2)
        while session.pendingCount > 0 {
            opened.clock.advance(byMicroseconds: 1_500_000)
            await Task.yield()
        }
        for number in [0, 2] { try await tasks[number].value }
        #expect(try opened.readings().count == 2)
    }

    @Test("Writes of many tasks become durable one after the other, in the order in which they showed")
    func order() async throws {
        let opened = try TestStore()
        let session = opened.store.session()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await session.write { transaction in
                        var reading = try transaction[Reading.self].get(uuid(1)) ?? Reading(1)
                        reading.level += 1
                        try transaction.put(reading)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try opened.readings()[uuid(1)]?.level == 200)
        #expect(try session.read { try $0[Reading.self].get(uuid(1))?.level } == 200)
    }
}

extension UUID {
    fileprivate var lowercasedText: String { uuidString.lowercased() }
}
