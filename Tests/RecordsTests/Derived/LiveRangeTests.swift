import CivilTime
import Foundation
import Testing

@testable import Records

@Suite(.timeLimit(.minutes(15))) struct LiveRangeTests {
    enum Shape: CaseIterable { case all, backwards, limited, prefix, severalKeys, untracked }

    @Test(
        "Updates lead from any state of a range to the next, and are as few as possible [C-AD7]",
        arguments: Shape.allCases, 1...6 as ClosedRange<UInt64>)
    func model(shape: Shape, seed: UInt64) async throws {
        let opened = try TestStore(schema: Garden.schema)
        switch shape {
        case .untracked:
            try await follow(opened, seed, opened.store.observe(Draft.byText)) { try $0[Draft.byText].range() }
        case .severalKeys:
            try await follow(opened, seed, opened.store.observe(Sensor.byTag, in: .prefix(TextPrefix("d")))) {
                try $0[Sensor.byTag].records(in: .prefix(TextPrefix("d")))
            }
        case .prefix:
            try await follow(opened, seed, opened.store.observe(Sample.ofSensor.index, in: .prefix(uuid(1)))) {
                try $0[Sample.ofSensor].prefix(uuid(1))
            }
        case .all:
            try await follow(opened, seed, opened.store.observe(Sample.newest)) { try $0[Sample.newest].range() }
        case .backwards:
            try await follow(opened, seed, opened.store.observe(Sample.newest, backwards: true)) {
                try $0[Sample.newest].records(in: .all, backwards: true)
            }
        case .limited:
            try await follow(opened, seed, opened.store.observe(Sample.newest, limit: 4)) {
                try $0[Sample.newest].range(limit: 4)
            }
        }
    }

    private func follow<R: Record & Equatable, Key>(
        _ opened: TestStore, _ seed: UInt64, _ live: LiveRange<R, Key>,
        _ expected: @escaping @Sendable (ReadTransaction) throws -> [R]
    ) async throws {
        let store = opened.store
        var dice = Dice(seed)
        var iterator = live.makeAsyncIterator()
        var shown: [R] = []
        try await store.write { transaction in
            for number in 0..<4 as Range<UInt64> { try transaction.put(Sensor(number, "s\(number)")) }
        }
        var last: RangeUpdate<R>?
        for step in 0..<80 {
            let before = shown
            if dice.chance(10), let last {
                iterator = LiveRange(
                    store: store, index: live.index, range: live.range, isBackwards: live.isBackwards,
                    limit: live.limit, shown: last
                ).makeAsyncIterator()
            }
            if let update = try store.read({ try iterator.update(in: $0) }) {
                update.apply(to: &shown)
                #expect(Array(update.records) == shown)
                #expect(last.map { Array($0.records) } ?? [] == before)
                expectFew(update.steps, from: before, to: shown)
                last = update
            }
            let now = try store.read(expected)
            #expect(shown == now, "step \(step)")
            if before == now { #expect(try store.read { try iterator.update(in: $0) } == nil) }
            for _ in 0..<(1 + dice.below(3)) { try await Self.change(store, &dice) }
        }
    }

    /// A step for each record that came, went or changed, and moves only for others than the most that can stay.
    private func expectFew<R: Record & Equatable>(_ steps: [RangeUpdate<R>.Step], from old: [R], to new: [R]) {
        let places = Dictionary(uniqueKeysWithValues: new.enumerated().map { ($0.element.id, $0.offset) })
        let kept = old.compactMap { places[$0.id] }
        #expect(steps.count(where: \.isMove) == kept.count - OrderedDifference.unmoved(kept).count)
        for case .updated(let record, let index) in steps {
            #expect(new[index] == record)
            #expect(!old.contains(record))
        }
        for case .moved(let record, let origin, let index) in steps {
            #expect(new[index] == record && old[origin].id == record.id)
        }
        for case .removed(let record, let index) in steps {
            #expect(old[index] == record && places[record.id] == nil)
        }
        for case .inserted(let record, let index) in steps {
            #expect(new[index] == record && !old.contains { $0.id == record.id })
        }
    }

    @Test("The steps between two lists lead from any to any other [C-AD7]", arguments: 1...4 as ClosedRange<UInt64>)
    func steps(seed: UInt64) throws {
        var dice = Dice(seed)
        let origin = RecordList<Draft>.Origin(table: "t", lower: nil, upper: nil, isBackwards: false, limit: nil)
        func list(_ drafts: [Draft]) -> RecordList<Draft> {
            let entries = drafts.enumerated().map { place, draft in
                var key = UInt64(place).keyBytes
                key.append(contentsOf: draft.id.keyBytes)
                return RecordList.Entry(key: key, hash: UInt64(draft.text.utf8.count), record: draft)
            }
            return RecordList(origin: origin, entries)
        }
        for _ in 0..<400 {
            let pool = (0..<(1 + dice.below(14))).map { Draft(UInt64($0), "a") }
            let old = pool.filter { _ in dice.chance(70) }.shuffled(using: &dice)
            var new = (dice.chance(40) ? old : pool).filter { _ in dice.chance(80) }
            if dice.chance(70) { new.shuffle(using: &dice) }
            for index in new.indices where dice.chance(20) { new[index].text += " edited" }
            let steps = list(old).steps(to: list(new))
            var applied = old
            RangeUpdate.apply(steps, to: &applied)
            #expect(applied == new)
            if old == new { #expect(steps.isEmpty) }
            expectFew(steps, from: old, to: new)
        }
    }

    @Test("A list of records finds, inserts and removes at every position, and shares nothing that changes")
    func list() {
        var dice = Dice(3)
        let origin = RecordList<Draft>.Origin(table: "t", lower: nil, upper: nil, isBackwards: false, limit: nil)
        var list = RecordList<Draft>(origin: origin)
        var model: [UInt64] = []
        var kept: [(list: RecordList<Draft>, model: [UInt64])] = []
        for step in 0..<4_000 {
            let number = UInt64(dice.below(3_000))
            let entry = RecordList.Entry(key: number.keyBytes, hash: number, record: Draft(number, "d"))
            let place = model.firstIndex { $0 >= number } ?? model.count
            if place < model.count, model[place] == number {
                #expect(list.position(of: number.keyBytes) == place)
                #expect(list.update(entry) == nil)
                list.remove(number.keyBytes)
                model.remove(at: place)
            } else {
                #expect(list.position(of: number.keyBytes) == nil)
                #expect(list.insert(entry) == place)
                model.insert(number, at: place)
            }
            if step % 500 == 0 { kept.append((list, model)) }
        }
        for (list, model) in kept + [(list, model)] {
            #expect(list.count == model.count)
            #expect(list.entries.map(\.record.id) == model.map { uuid($0) })
            // The most that the balance allows: 2.41 levels for each doubling.
            #expect(list.height <= 27)
            #expect(list.map(\.id) == model.map { uuid($0) })
            #expect(model.indices.allSatisfy { list[$0].id == uuid(model[$0]) })
        }
    }

    private static func change(_ store: RecordStore, _ dice: inout Dice) async throws {
        let number = UInt64(dice.below(20))
        let tags = (0..<dice.below(3)).map { _ in dice.pick(["dry", "dark", "wet"]) }
        let sample = Sample(
            number, of: UInt64(dice.below(4)), second: Int64(dice.below(6)), value: Int64(dice.below(3)))
        let draft = Draft(UInt64(dice.below(6)), dice.pick(["a", "b", "c", "d"]))
        // Undo may have removed the sensor: a sample is refused then.
        switch dice.below(9) {
        case 0, 1, 2: try? await store.write { try $0.put(sample) }
        case 3:
            try? await store.write { transaction in
                try transaction.put(sample)
                try transaction.delete(Sample.self, id: uuid(1_000_000 + (number + 1) % 20))
            }
        case 4: _ = try await store.write { try $0.delete(Sample.self, id: sample.id) }
        case 5: try await store.write { try $0.put(Sensor(number % 4, "s\(number % 4)", tags: tags)) }
        case 6: try await store.write { try $0.put(draft) }
        case 7: _ = try? await store.write { _ = try $0.undo() }
        default:
            // The log cannot tell what was there before.
            try await store.write { transaction in
                try transaction.delete(Sample.self, id: sample.id)
                try transaction.purgeHistory(of: Sample.self, id: sample.id)
            }
        }
    }

    @Test("A change costs the same in a range of thousands as in one of ten")
    func cost() async throws {
        var costs: [Int] = []
        for count in [10, 5_000] as [UInt64] {
            let opened = try TestStore(schema: Garden.schema)
            try await opened.store.write { transaction in
                try transaction.put(Sensor(1, "roof"))
                for number in 0..<count { try transaction.put(Sample(number, of: 1, second: Int64(number))) }
            }
            var iterator = opened.store.observe(Sample.newest).makeAsyncIterator()
            #expect(try await iterator.next()?.records.count == Int(count))
            try await opened.store.write { try $0.put(Sample(3, of: 1, second: 5)) }
            try opened.store.read { transaction in
                let update = try #require(try iterator.update(in: transaction))
                #expect(update.steps.count == 1)
                costs.append(transaction.counters.gets + transaction.counters.cursorSteps)
            }
        }
        #expect(costs[0] == costs[1])
        #expect(costs[0] < 12)
    }

    @Test("A live query reports each value once, and resumes after the change that was shown last")
    func query() async throws {
        let opened = try TestStore(schema: Garden.schema)
        let store = opened.store
        try await store.write { try $0.put(Sensor(1, "roof")) }
        var live = store.observe { try $0[Sample.perSensor].count(of: uuid(1)) }.makeAsyncIterator()
        #expect(try await live.next()?.value == 0)
        // Not of this sensor.
        try await store.write { try $0.put(Sensor(2, "cellar")) }
        try await store.write { try $0.put(Sample(1, of: 1)) }
        let second = try #require(try await live.next())
        #expect(second.value == 1)
        var resumed = store.observe(after: second.sequence) { try $0[Sample.perSensor].count(of: uuid(1)) }
            .makeAsyncIterator()
        try await store.write { try $0.put(Sample(2, of: 1)) }
        #expect(try await resumed.next()?.value == 2)
        #expect(try await live.next()?.value == 2)
    }

    @Test("A longest ascending subsequence stays", arguments: 1...20 as ClosedRange<UInt64>)
    func unmoved(seed: UInt64) {
        var dice = Dice(seed)
        let numbers = (0..<dice.below(9)).shuffled(using: &dice)
        let stays = OrderedDifference.unmoved(numbers)
        let kept = numbers.indices.filter(stays.contains).map { numbers[$0] }
        #expect(kept == kept.sorted())
        var longest = 0
        for mask in 0..<(1 << numbers.count) {
            let chosen = numbers.indices.filter { mask >> $0 & 1 == 1 }.map { numbers[$0] }
            if chosen == chosen.sorted() { longest = max(longest, chosen.count) }
        }
        #expect(kept.count == longest)
    }
}
