import CivilTime
import Foundation
import Testing

@testable import Records

/// A record that is found by its words, the one with the highest number first.
private struct Memo: Record, Equatable {
    var id: UUID
    var text: String
    var number: Int64

    static let byWord = Index<Memo, WordKey<Descending<Int64>>>(
        each: "byWord", hasPendingList: true, unless: { $0.text == $1.text && $0.number == $1.number }
    ) { memo in
        Word.all(in: [memo.text]).map { WordKey($0, Descending(memo.number)) }
    }

    static let collection = RecordCollection<Memo>("memos") {
        Field(1, "text", .text)
        Field(2, "number", .integer)
        byWord
    }

    init(_ id: UInt64, _ text: String, number: Int64) {
        self.id = uuid(id)
        self.text = text
        self.number = number
    }

    init(id: UUID, fields: inout FieldDecoder) throws(RecordsError) {
        self.id = id
        text = try fields.string(1)
        number = try fields.int64(2)
    }

    func encode(into fields: inout FieldEncoder) {
        fields.put(1, text)
        fields.put(2, number)
    }

    /// What a search must return, by comparing every word of every record.
    static func found(_ words: [Word], in memos: some Sequence<Memo>) -> [Memo] {
        var hits: [(kind: Int, memo: Memo)] = []
        for memo in memos where !words.isEmpty {
            let own = Set(Word.all(in: [memo.text]))
            if words.allSatisfy(own.contains) {
                hits.append((0, memo))
            } else if words.allSatisfy({ word in own.contains { $0.begins(with: word) } }) {
                hits.append((1, memo))
            }
        }
        hits.sort { left, right in
            (left.kind, -left.memo.number, left.memo.id.uuidString)
                < (right.kind, -right.memo.number, right.memo.id.uuidString)
        }
        return hits.map(\.memo)
    }
}

@Suite struct WordSearchTests {
    private static let schema = Schema().adding(Memo.collection)

    private static func options(pendingListLimit: Int) -> StoreOptions {
        var options = StoreOptions()
        options.pendingListLimit = pendingListLimit
        return options
    }

    private static let vocabulary = [
        "a", "ab", "abc", "abd", "b", "ba", "bab", "Äb", "жук", "жу", "牛奶", "奶", "牛奶糖", "c1", "c",
    ]

    private static func text(_ dice: inout Dice) -> String {
        (0..<dice.below(6)).map { _ in dice.pick(vocabulary) }.joined(separator: dice.pick([" ", ", ", "-"]))
    }

    @Test(
        "A search finds what comparing every record finds, in the same order and in pages, also in a session [F-13]",
        arguments: 1...12 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        let opened = try TestStore(schema: Self.schema, options: Self.options(pendingListLimit: Int(seed)))
        let store = opened.store
        var dice = Dice(seed)
        var memos: [UUID: Memo] = [:]
        for round in 0..<30 {
            for _ in 0..<8 {
                let memo = Memo(UInt64(dice.below(60)), Self.text(&dice), number: Int64(dice.below(20)))
                if dice.chance(20) {
                    memos[memo.id] = nil
                    _ = try await store.write { try $0.delete(Memo.self, id: memo.id) }
                } else {
                    memos[memo.id] = memo
                    try await store.write { try $0.put(memo) }
                }
            }
            let words = Word.searched(in: Self.text(&dice))
            let expected = Memo.found(words, in: memos.values)
            let pageSize = 1 + dice.below(5)
            let isIncluded = { (memo: Memo) in round % 3 > 0 || memo.number % 2 == 0 }
            try store.read { transaction in
                let all = try transaction[Memo.byWord].search(words, limit: 1000)
                #expect(all.records == expected)
                #expect(all.next == nil)
                try Self.comparePages(transaction, words, expected.filter(isIncluded), isIncluded, size: pageSize)
            }
        }
        #expect(try store.verify().problems == [])
        _ = try await store.rebuild()
        #expect(try store.verify().problems == [])

        // What a session has written and is not durable yet is found, too.
        var overlay = RecordOverlay()
        for number in 0..<20 as Range<UInt64> {
            let memo = Memo(number * 2, Self.text(&dice), number: Int64(dice.below(20)))
            let isDeleted = dice.chance(30)
            memos[memo.id] = isDeleted ? nil : memo
            var encoder = FieldEncoder()
            memo.encode(into: &encoder)
            encoder.finish()
            let edit = RecordOverlay.Edit(bytes: isDeleted ? nil : encoder.bytes, hash: number)
            overlay.set(edit, for: memo.id.keyBytes, in: Checksum.collectionNumber(of: "memos"))
        }
        for _ in 0..<20 {
            let words = Word.searched(in: Self.text(&dice))
            try store.read { transaction in
                transaction.overlay = overlay
                try Self.comparePages(transaction, words, Memo.found(words, in: memos.values), { _ in true }, size: 3)
            }
        }
    }

    private static func comparePages(
        _ transaction: ReadTransaction, _ words: [Word], _ expected: [Memo], _ isIncluded: (Memo) -> Bool, size: Int
    ) throws {
        var found: [Memo] = []
        var token: PageToken?
        repeat {
            let page = try transaction[Memo.byWord].search(words, after: token, limit: size, where: isIncluded)
            #expect(page.records.count == size || page.next == nil)
            found += page.records
            token = page.next
        } while token != nil
        #expect(found == expected)
    }

    @Test("A page continues at its place when records come and go in between")
    func stablePages() async throws {
        let opened = try TestStore(schema: Self.schema)
        try await opened.store.write { transaction in
            for number in 0..<10 as Range<UInt64> { try transaction.put(Memo(number, "word", number: Int64(number))) }
        }
        let words = Word.searched(in: "word")
        let first = try opened.store.read { try $0[Memo.byWord].search(words, limit: 4) }
        #expect(first.records.map(\.number) == [9, 8, 7, 6])
        try await opened.store.write { transaction in
            try transaction.delete(Memo.self, id: uuid(6))
            try transaction.delete(Memo.self, id: uuid(5))
            try transaction.put(Memo(20, "word", number: 20))
        }
        let second = try opened.store.read { try $0[Memo.byWord].search(words, after: first.next, limit: 4) }
        #expect(second.records.map(\.number) == [4, 3, 2, 1])
        // As text, and of another index.
        let token = try #require(first.next)
        #expect(PageToken(token.description) == token)
        let other = try opened.store.read { try $0[Memo.byWord].page(limit: 1) }.next
        #expect(throws: RecordsError.foreignPageToken) {
            try opened.store.read { _ = try $0[Memo.byWord].search(words, after: other) }
        }
    }

    @Test("A change that leaves the words alone does not touch their index, and a changed word costs its own entries")
    func costOfChanges() async throws {
        let opened = try TestStore(schema: Self.schema, options: Self.options(pendingListLimit: 2))
        let store = opened.store
        try await store.write { try $0.put(Memo(1, "buy milk and bread", number: 1)) }
        // The row of the words, the record, the count, the change.
        #expect(store.lastWriteCounters.puts == 4)
        try await store.write { try $0.put(Memo(2, "buy eggs", number: 2)) }
        // The same, and the words of both.
        #expect(store.lastWriteCounters.puts == 10)
        try await store.write { try $0.put(Memo(1, "buy MILK and bread!", number: 1)) }
        #expect(store.lastWriteCounters.puts == 3)
        try await store.write { try $0.put(Memo(1, "buy milk and butter", number: 1)) }
        #expect(store.lastWriteCounters.puts == 4)
        #expect(store.lastWriteCounters.deletes == 1)
    }

    @Test("A search reads what it returns, and skips what has only one of its words")
    func cost() async throws {
        let opened = try TestStore(schema: Self.schema, options: Self.options(pendingListLimit: 1))
        try await opened.store.write { transaction in
            for number in 0..<2000 as Range<UInt64> {
                let rare = number % 500 == 7 ? " rare" : ""
                try transaction.put(Memo(number, "common shared" + rare, number: Int64(number)))
            }
        }
        try opened.store.read { transaction in
            let found = try transaction[Memo.byWord].search(Word.searched(in: "common rare shared"), limit: 4).records
            #expect(found.map(\.number) == [1507, 1007, 507, 7])
            #expect(transaction.counters.gets + transaction.counters.cursorSteps <= 80)
        }
    }

    @Test("Damage of an entry is reported without the word")
    func damage() async throws {
        let opened = try TestStore(schema: Self.schema, options: Self.options(pendingListLimit: 1))
        try await opened.store.write { try $0.put(Memo(1, "secret", number: 1)) }
        try await opened.store.flip("memos.byWord")
        let error = #expect(throws: RecordsError.self) {
            try opened.store.read { _ = try $0[Memo.byWord].search(Word.searched(in: "secret")) }
        }
        let text = try #require(error).description
        #expect(text.contains("memos.byWord"))
        let hexadecimalWord = hexadecimal("secret".utf8)
        #expect(!text.contains("secret") && !text.contains(hexadecimalWord))
        for problem in try opened.store.verify().problems { #expect(!problem.contains(hexadecimalWord)) }
        _ = try await opened.store.rebuild()
        #expect(try opened.store.verify().problems == [])
    }
}
