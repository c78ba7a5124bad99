import CivilTime
import Foundation
import Records
import TestSupport
import Testing

@testable import Tasks

@Suite struct SearchTests {
    @Test("A search finds words and beginnings of words in texts and notes, whole words first, then the newest [F-13]")
    func ranking() async throws {
        let opened = try TestTasks()
        for text in ["Call Ada", "Ask the caller", "Buy milk", "Recall", "CALL Bob", "Café"] {
            try await opened.tasks.create(text)
            opened.clock.advance(byMicroseconds: 1_000_000)
        }
        try await opened.tasks.create("Plan", notes: "A cally thing: call Ada's mother")
        let found = { (text: String) in try opened.tasks.search(text).records.map(\.text) }
        #expect(try found("call") == ["Plan", "CALL Bob", "Call Ada", "Ask the caller"])
        #expect(try found("ada CALL") == ["Plan", "Call Ada"])
        #expect(try found("cal") == ["Plan", "CALL Bob", "Ask the caller", "Call Ada"])
        #expect(try found("cafe") == ["Café"])
        #expect(try found("CAFÉ") == ["Café"])
        #expect(try found("") == [])
        #expect(try found(" … ") == [])
        #expect(try found("zebra") == [])
        try await opened.store.write { transaction in
            let task = try transaction.tasks.create("zebra")
            #expect(try transaction.tasks.reading.search("zebra").records == [task])
        }
    }

    @Test("A task is found by what it says now: edits, deletion, purge and undo change what is found [F-13]")
    func changes() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("alpha", notes: "beta")
        let count = { (text: String) in try opened.tasks.search(text).records.count }
        try await opened.tasks.edit(task.id) { $0.notes = nil }
        #expect(try [count("alpha"), count("beta")] == [1, 0])
        try await opened.tasks.undo()
        #expect(try count("beta") == 1)
        try await opened.tasks.delete(task.id)
        #expect(try count("alpha") == 0)
        try await opened.tasks.undo()
        #expect(try count("alpha") == 1)
        try await opened.tasks.purge(task.id)
        #expect(try count("alpha") == 0)
        let words = try opened.store.information().tables.first { $0.name == "tasks.byWord" }
        #expect(words?.entries == 0)
        try opened.expectSound()
    }

    @Test("A search can be limited to open tasks, a category and days, and leaves archived tasks out [F-13]")
    func filters() async throws {
        let opened = try TestTasks()
        let day = opened.today
        let made = try await opened.tasks.create([
            NewTask("word a"), NewTask("word b", on: day), NewTask("word c", on: day.advanced(by: 1)),
            NewTask("word d", on: day.advanced(by: 2)), NewTask("word e"),
        ])
        try await opened.tasks.complete(made[1].id)
        try await opened.tasks.edit(made[0].id) { $0.category = "Häuser" }
        try await opened.tasks.edit(made[4].id) { $0.archivedAt = opened.clock.wall }
        func found(_ filter: SearchFilter) throws -> Set<String> {
            Set(try opened.tasks.search("word", filter).records.map { String($0.text.suffix(1)) })
        }
        #expect(try found(SearchFilter()) == ["a", "b", "c", "d"])
        #expect(try found(SearchFilter(openOnly: true)) == ["a", "c", "d"])
        #expect(try found(SearchFilter(category: "HAUSER")) == ["a"])
        #expect(try found(SearchFilter(from: day)) == ["b", "c", "d"])
        #expect(try found(SearchFilter(to: day.advanced(by: 1))) == ["b", "c"])
        #expect(try found(SearchFilter(from: day.advanced(by: 1), to: day.advanced(by: 1))) == ["c"])
        #expect(try found(SearchFilter(listID: uuid(1))) == [])
        #expect(try found(SearchFilter(includesArchived: true)).count == 5)
    }

    @Test(
        "An empty text finds what the filter asks for, the newest first, in pages; an empty filter nothing [N-3, P-OP9]"
    )
    func withoutWords() async throws {
        let opened = try TestTasks()
        var new = (0..<6).map { NewTask("task \($0)") }
        for index in [0, 2, 4, 5] { new[index].tags = ["home"] }
        new[4].tags = ["home", "Café"]
        new[1].priority = .high
        var made: [TaskItem] = []
        for task in new {
            made += try await opened.tasks.create([task])
            opened.clock.advance(byMicroseconds: 1_000_000)
        }
        try await opened.tasks.edit(made[5].id) { $0.archivedAt = opened.clock.wall }
        func found(_ filter: SearchFilter) throws -> [String] {
            var (texts, token): ([String], PageToken?) = ([], nil)
            repeat {
                let page = try opened.tasks.search("", filter, after: token, limit: 2)
                texts += page.records.map { String($0.text.suffix(1)) }
                token = page.next
            } while token != nil
            return texts
        }
        #expect(try found(SearchFilter(tags: ["HOME"])) == ["4", "2", "0"])
        #expect(try found(SearchFilter(tags: ["home", "cafe"])) == ["4"])
        #expect(try found(SearchFilter(tags: ["hom"])) == [])
        #expect(try found(SearchFilter(priority: .high)) == ["1"])
        #expect(try found(SearchFilter(includesArchived: true)) == ["5"])
        #expect(try found(SearchFilter(includesArchived: true, tags: ["home"])) == ["5", "4", "2", "0"])
        #expect(try found(SearchFilter()) == [] && found(SearchFilter(openOnly: true)) == [])
        #expect(try opened.tasks.search("…", SearchFilter(tags: ["home"])).records == [])
    }

    @Test("A change of state, a move and an edit of something else do not touch the words [F-13]")
    func costOfChanges() async throws {
        let opened = try TestTasks()
        let task = try await opened.tasks.create("five words for one task")
        let create = opened.store.lastWriteCounters.puts
        // Record, days, list, states, creation, the row of the words, open tasks of the list, count, change.
        #expect(create == 9)
        try await opened.tasks.start(task.id)
        #expect(opened.store.lastWriteCounters.puts == 5)
    }

    /// What a task says, as the words and the runs without blanks that it was put together from.
    private struct Said {
        var words: Set<String> = []
        var runs: [[Character]] = []

        /// 0 if it has the term as a whole word, 1 as a beginning of one, nil if not at all.
        func kind(of term: String) -> Int? {
            let characters = Array(term)
            if SearchTests.han.contains(characters[0]) {
                if characters.count == 1 {
                    if runs.contains(where: { $0.last == characters[0] }) { return 0 }
                    return runs.contains { $0.contains(characters[0]) } ? 1 : nil
                }
                return runs.contains { run in zip(run, run.dropFirst()).contains { [$0, $1] == characters } } ? 0 : nil
            }
            if words.contains(term) { return 0 }
            return words.contains { $0.hasPrefix(term) } ? 1 : nil
        }
    }

    private static let han: [Character] = ["买", "牛", "奶", "糖", "茶"]
    private static let vocabulary = [
        "ada", "ad", "call", "caller", "calls", "cafe", "milk", "17", "1", "молоко", "мол", "елка", "звонок", "σισυφοσ",
        "σισ", "καλημερα", "שלום", "काम", "काज", "a", "b",
    ]
    /// Letters as people type them.
    private static let variants: [Character: [String]] = [
        "a": ["A", "á", "Ä", "a\u{30A}"], "e": ["E", "é", "Ê"], "i": ["I", "ï", "İ"], "k": ["K"], "l": ["L", "ľ"],
        "е": ["Ё", "ё", "Е"], "о": ["О"], "и": ["И", "й"], "σ": ["Σ", "ς"], "ι": ["ί", "Ϊ"], "α": ["ά", "Α"],
        "л": ["Л"],
    ]

    private static func typed(_ word: String, _ dice: inout Dice) -> String {
        word.map { letter in
            guard let others = variants[letter], dice.chance(40) else { return String(letter) }
            return dice.pick(others)
        }.joined()
    }

    private static func text(_ dice: inout Dice, into said: inout Said) -> String {
        var parts: [String] = []
        for _ in 0..<(1 + dice.below(5)) {
            if dice.chance(25) {
                let run = (0..<(1 + dice.below(4))).map { _ in dice.pick(han) }
                said.runs.append(run)
                parts.append(String(run))
            } else {
                let word = dice.pick(vocabulary)
                said.words.insert(word)
                parts.append(typed(word, &dice))
            }
        }
        return parts.joined(separator: dice.pick([" ", ", ", " — ", "\n", "-", "/", "🎉"]))
    }

    private static func query(_ dice: inout Dice) -> [String] {
        (0..<(1 + dice.below(3))).map { _ in
            if dice.chance(25) { return String((0..<(1 + dice.below(2))).map { _ in dice.pick(han) }) }
            let word = dice.pick(vocabulary)
            // Not in the middle of a character.
            return dice.chance(50) ? word : String(word.prefix(1 + dice.below(word.count)))
        }
    }

    @Test(
        "What is found equals a search of every text by hand, in several scripts, whatever was changed before [F-13]",
        arguments: 1...8 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        let opened = try TestTasks(seed: seed)
        var dice = Dice(seed)
        var said: [UUID: (text: Said, notes: Said)] = [:]
        for _ in 0..<25 {
            for _ in 0..<6 {
                let old = said.keys.sorted { $0.uuidString < $1.uuidString }
                var (text, notes) = (Said(), Said())
                let (newText, newNotes) = (Self.text(&dice, into: &text), Self.text(&dice, into: &notes))
                let choice = old.isEmpty ? 0 : dice.below(10)
                if choice < 5 {
                    let day = dice.chance(50) ? opened.today.advanced(by: dice.below(4)) : nil
                    let hasNotes = dice.chance(40)
                    let task = try await opened.tasks.create(newText, on: day, notes: hasNotes ? newNotes : nil)
                    said[task.id] = (text, hasNotes ? notes : Said())
                    if dice.chance(60) { opened.clock.advance(byMicroseconds: 1_000_000) }
                    continue
                }
                let id = dice.pick(old)
                switch choice {
                case 5:
                    try await opened.tasks.edit(id) { $0.text = newText }
                    said[id]?.text = text
                case 6:
                    try await opened.tasks.edit(id) { $0.notes = newNotes }
                    said[id]?.notes = notes
                case 7:
                    try await opened.tasks.delete(id)
                    if dice.chance(50) { try await opened.tasks.undo() } else { said[id] = nil }
                case 8: try await opened.tasks.cycle(id)
                default: try await opened.tasks.edit(id) { $0.archivedAt = $0.archivedAt == nil ? $0.createdAt : nil }
                }
            }
            try Self.compare(opened, said, &dice)
        }
        try opened.expectSound()
        _ = try await opened.store.rebuild()
        try opened.expectSound()
        try Self.compare(opened, said, &dice)
    }

    private static func compare(
        _ opened: TestTasks, _ said: [UUID: (text: Said, notes: Said)], _ dice: inout Dice
    ) throws {
        let terms = query(&dice)
        var filter = SearchFilter(openOnly: dice.chance(30), includesArchived: dice.chance(30))
        if dice.chance(20) { filter.from = opened.today.advanced(by: dice.below(3)) }
        if dice.chance(20) { filter.to = opened.today.advanced(by: dice.below(3)) }
        try opened.tasks.read { reading in
            var expected: [(kind: Int, task: TaskItem)] = []
            for (id, says) in said {
                let task = try #require(try reading.get(id))
                let all = Said(words: says.text.words.union(says.notes.words), runs: says.text.runs + says.notes.runs)
                let kinds = terms.map(all.kind)
                guard !kinds.contains(nil) else { continue }
                if filter.openOnly, task.isCompleted { continue }
                if !filter.includesArchived, task.archivedAt != nil { continue }
                if let from = filter.from, task.scheduledDate.map({ $0 < from }) ?? true { continue }
                if let to = filter.to, task.scheduledDate.map({ $0 > to }) ?? true { continue }
                expected.append((kinds.compactMap(\.self).max() ?? 0, task))
            }
            expected.sort { left, right in
                if left.kind != right.kind { return left.kind < right.kind }
                if left.task.createdAt != right.task.createdAt { return left.task.createdAt > right.task.createdAt }
                return left.task.id.uuidString < right.task.id.uuidString
            }
            let typed = terms.map { Self.typed($0, &dice) }.joined(separator: " ")
            let size = 1 + dice.below(6)
            var found: [TaskItem] = []
            var token: PageToken?
            repeat {
                let page = try reading.search(typed, filter, after: token, limit: size)
                found += page.records
                token = page.next
            } while token != nil
            #expect(found.map(\.id) == expected.map(\.task.id), "\(terms)")
        }
    }
}
