import KeyValue
import Testing

struct CursorTests {
    @Test("A cursor over an empty table has no current entry")
    func anEmptyTableHasNoEntryToStandOn() async throws {
        let store = try TestStore()
        try store.environment.read { transaction in
            try transaction.withCursor(over: store.table) { cursor in
                #expect(throws: KeyValueError.transactionEnded) { try cursor.key() }
                try #expect(!cursor.moveToFirst())
                try #expect(!cursor.moveToLast())
                try #expect(!cursor.seek([1]))
                try #expect(!cursor.seek([]))
                try #expect(!cursor.seekBefore([1]))
                #expect(throws: KeyValueError.transactionEnded) { try cursor.key() }
            }
        }
    }

    @Test("Moves agree with a sorted array", arguments: 1...4 as ClosedRange<UInt64>)
    func movesAgreeWithASortedArray(seed: UInt64) async throws {
        let store = try TestStore()
        let table = store.table
        var dice = Dice(seed)
        let entries = (0..<300).map { _ in (dice.bytes(1...3, alphabet: 8), dice.bytes(0...60)) }
        try await store.environment.write { transaction in
            for (key, value) in entries { try transaction.put(key, value, in: table) }
        }
        try store.environment.read { transaction in
            try transaction.withCursor(over: table) { cursor in
                var model = try CursorModel(entries: store.contents())
                try model.walk(&cursor, steps: 2000, with: &dice)
            }
        }
    }

    /// The position is a key: whatever is put or deleted around it, the next entry is the first after that key.
    @Test("Moves agree with a sorted array that changes between moves", arguments: 1...8 as ClosedRange<UInt64>)
    func movesAgreeWithASortedArrayThatChangesMeanwhile(seed: UInt64) async throws {
        let store = try TestStore()
        let table = store.table
        try await store.environment.write { transaction in
            var dice = Dice(seed)
            var model = CursorModel(entries: [:])
            for _ in 0..<300 { try model.change(transaction, table, with: &dice, near: nil) }
            let reads = transaction.reads
            for _ in 0..<5 {
                try reads.withCursor(over: table) { cursor in
                    for _ in 0..<300 {
                        for _ in 0..<dice.below(6) {
                            try model.change(transaction, table, with: &dice, near: model.position)
                        }
                        try model.walk(&cursor, steps: 3, with: &dice)
                    }
                }
                model.position = nil
            }
            try #expect(reads.contents(of: table) == model.entries)
        }
    }

    @Test("Every entry can be deleted under the cursor")
    func everyEntryCanBeDeletedUnderTheCursor() async throws {
        let store = try TestStore()
        let table = store.table
        try await store.environment.write { transaction in
            for number in 0..<2000 { try transaction.put(bytes("key \(number)"), bytes("\(number)"), in: table) }
        }
        let deleted = try await store.environment.write { transaction in
            try transaction.reads.withCursor(over: table) { cursor in
                var count = 0
                var found = try cursor.moveToFirst()
                while found {
                    try transaction.delete(cursor.key(), in: table)
                    #expect(throws: KeyValueError.transactionEnded) { try cursor.key() }
                    count += 1
                    found = try cursor.moveToNext()
                }
                return count
            }
        }
        #expect(deleted == 2000)
        try #expect(store.contents().isEmpty)
    }
}

/// A model of a cursor: the entries and the current key.
struct CursorModel {
    private(set) var entries: [[UInt8]: [UInt8]]
    var position: [UInt8]?

    init(entries: [[UInt8]: [UInt8]]) {
        self.entries = entries
    }

    private func last(before key: [UInt8]) -> [UInt8]? {
        entries.keys.filter { $0.lexicographicallyPrecedes(key) }.max { $0.lexicographicallyPrecedes($1) }
    }

    private func first(where isIncluded: ([UInt8]) -> Bool) -> [UInt8]? {
        entries.keys.filter(isIncluded).min { $0.lexicographicallyPrecedes($1) }
    }

    mutating func change(
        _ transaction: borrowing RawWriteTransaction, _ table: Table, with dice: inout Dice, near: [UInt8]?
    ) throws {
        var key = dice.bytes(1...3, alphabet: 6)
        if let near, dice.below(2) == 0 { key = dice.below(2) == 0 ? near : near.dropLast() + [key[0]] }
        if dice.below(2) == 0 {
            try #expect(transaction.delete(key, in: table) == (entries[key] != nil))
            entries[key] = nil
        } else {
            let value = dice.bytes(dice.below(10) == 0 ? 2500...5000 : 0...90)
            try transaction.put(key, value, in: table)
            entries[key] = value
        }
    }

    /// Moves the cursor and the model at random, and compares them.
    mutating func walk(_ cursor: inout Cursor, steps: Int, with dice: inout Dice) throws {
        for _ in 0..<steps {
            let key = dice.bytes(0...3, alphabet: 8)
            let found: Bool
            switch (dice.below(8), position) {
            case (0, _):
                found = try cursor.moveToFirst()
                position = first { _ in true }
            case (1, _):
                found = try cursor.moveToLast()
                position = last(before: [0xFF])
            case (2, _), (_, nil):
                found = try cursor.seek(key)
                position = first { !$0.lexicographicallyPrecedes(key) }
            case (3, _):
                found = try cursor.seekBefore(key)
                position = last(before: key)
            case (4, let place?), (5, let place?):
                found = try cursor.moveToPrevious()
                position = last(before: place)
            case (_, let place?):
                found = try cursor.moveToNext()
                position = first { place.lexicographicallyPrecedes($0) }
            }
            try #require(found == (position != nil))
            guard let position else { continue }
            let (foundKey, value) = try cursor.withEntry { ($0.copied, $1.copied) }
            try #require(foundKey == position)
            try #require(value == entries[position])
        }
    }
}
