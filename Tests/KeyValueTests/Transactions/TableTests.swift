import KeyValue
import Testing

struct TableTests {
    @Test("Keys sort like their bytes")
    func keysSortAsTheirBytes() async throws {
        let store = try TestStore()
        let table = store.table
        var dice = Dice(3)
        let keys = Set((0..<500).map { _ in dice.bytes(1...5, alphabet: 4).map { $0 == 3 ? 0xFF : $0 } })
        let shuffled = keys.shuffled(using: &dice)
        try await store.environment.write { transaction in
            for key in shuffled { try transaction.put(key, [], in: table) }
        }
        let found = try store.environment.read { try $0.keys(of: table) }
        #expect(found == keys.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("Random work agrees with a dictionary", arguments: 1...6 as ClosedRange<UInt64>)
    func randomWorkAgreesWithADictionary(seed: UInt64) async throws {
        let store = try TestStore()
        let table = store.table
        var dice = Dice(seed)
        var model: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<40 {
            var steps: [(key: [UInt8], value: [UInt8]?)] = []
            for _ in 0..<dice.below(40) {
                let size = dice.below(20) == 0 ? 3000...30000 : 0...40
                let value = dice.below(3) == 0 ? nil : dice.bytes(size)
                steps.append((dice.bytes(1...2, alphabet: 12), value))
            }
            let planned = steps
            let deleted = try await store.environment.write { transaction in
                try planned.map { step in
                    guard let value = step.value else { return try transaction.delete(step.key, in: table) }
                    try transaction.put(step.key, value, in: table)
                    return false
                }
            }
            for (step, wasDeleted) in zip(planned, deleted) {
                #expect(wasDeleted == (step.value == nil && model[step.key] != nil))
                model[step.key] = step.value
            }
            try #require(store.contents() == model)
            try store.environment.read { transaction in
                try #expect(transaction.entryCount(of: table) == model.count)
                let key = dice.bytes(1...2, alphabet: 12)
                try #expect(transaction.value(of: key, in: table) == model[key])
                try #expect(transaction.contains(key.span.bytes, in: table) == (model[key] != nil))
            }
        }
    }

    @Test("Tables are independent, and removeAll empties only one")
    func tablesAreApartAndRemoveAllEmptiesOne() async throws {
        let store = try TestStore()
        let tables = try store.environment.openTables(["main", "other"])
        try await store.environment.write { transaction in
            for number in 0..<200 as Range<UInt8> {
                for table in tables { try transaction.put([number], [number], in: table) }
            }
        }
        try await store.environment.write { transaction in
            try transaction.removeAll(in: tables[0])
            try transaction.put([1], [2], in: tables[0])
        }
        try #expect(store.contents() == [[1]: [2]])
        try #expect(store.environment.read { try $0.entryCount(of: tables[1]) } == 200)
        try #expect(store.environment.openTables(["other"]) == [tables[1]])
    }

    @Test("Sizes outside the limits are refused without affecting other writes")
    func sizesOutsideTheLimitsAreRefusedAndHarmNoOneElse() async throws {
        let store = try TestStore()
        let table = store.table
        try await store.environment.write { transaction in
            #expect(throws: KeyValueError.tooLarge(byteCount: 0)) { try transaction.put([], [1], in: table) }
            let long = [UInt8](repeating: 1, count: 512)
            #expect(throws: KeyValueError.tooLarge(byteCount: 512)) { try transaction.put(long, [1], in: table) }
            try #expect(!transaction.delete([], in: table))
            try #expect(!transaction.delete(long, in: table))
            try transaction.put([UInt8](repeating: 1, count: 511), [], in: table)
        }
        try #expect(store.contents() == [[UInt8](repeating: 1, count: 511): []])
    }

    @Test("Work is counted exactly at any position in a group")
    func workIsCountedExactlyWhereverInAGroupItRuns() async throws {
        let store = try TestStore()
        let table = store.table
        let blocked = await BlockedWriter(store)
        let tasks = (0..<3).map { number in
            Task {
                try await store.environment.write { transaction in
                    try transaction.put([UInt8(number)], [1], in: table)
                    try transaction.put([UInt8(number)], [2], in: table)
                    try transaction.delete([99], in: table)
                    try transaction.delete([UInt8(number)], in: table)
                    _ = try transaction.reads.value(of: [1], in: table)
                    return transaction.counters
                }
            }
        }
        await blocked.waitForQueue(of: 3)
        blocked.release()
        var expected = OperationCounters()
        expected.puts = 2
        expected.deletes = 1
        expected.gets = 1
        for task in tasks { try await #expect(task.value == expected) }
    }
}

extension RawReadTransaction {
    func keys(of table: Table) throws -> [[UInt8]] {
        try withCursor(over: table) { cursor in
            var keys: [[UInt8]] = []
            var found = try cursor.moveToFirst()
            while found {
                keys.append(try cursor.key())
                found = try cursor.moveToNext()
            }
            return keys
        }
    }
}

struct BytesTests {
    @Test("Integers are read in both orders at any offset")
    func integersAreReadInBothOrdersAtAnyOffset() {
        var dice = Dice(1)
        for _ in 0..<200 {
            let value = UInt64.random(in: 0 ... .max, using: &dice)
            let padding = dice.bytes(0...9)
            let big = padding + withUnsafeBytes(of: value.bigEndian) { Array($0) }
            let little = padding + withUnsafeBytes(of: value.littleEndian) { Array($0) }
            #expect(big.span.bytes.bigEndian(at: padding.count, as: UInt64.self) == value)
            #expect(little.span.bytes.littleEndian(at: padding.count, as: UInt64.self) == value)
            #expect(big.span.bytes[byteAt: padding.count] == UInt8(value >> 56))
        }
    }

    @Test("Comparisons agree with those of arrays")
    func comparisonsAgreeWithThoseOfArrays() {
        var dice = Dice(2)
        for _ in 0..<2000 {
            let first = dice.bytes(0...4, alphabet: 3)
            let second = dice.bytes(0...4, alphabet: 3)
            #expect(first.span.bytes.isEqual(to: second.span.bytes) == (first == second))
            #expect(first.span.bytes.precedes(second.span.bytes) == first.lexicographicallyPrecedes(second))
            #expect(first.span.bytes.starts(with: second.span.bytes) == first.starts(with: second))
            #expect(first.span.bytes.copied == first)
        }
    }

    @Test("Invalid UTF-8 does not decode to text")
    func onlyValidTextIsText() {
        #expect(bytes("Äpfel 🍏").span.bytes.validatedText == "Äpfel 🍏")
        #expect([UInt8]().span.bytes.validatedText == "")
        #expect([0xC3, 0x28].span.bytes.validatedText == nil)
        #expect([0x61, 0xFF].span.bytes.validatedText == nil)
    }
}
