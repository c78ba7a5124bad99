import Daybook
import FoundationEssentials
import Measuring

extension RequirementRun {
    /// Searches for words that fifty tasks have, spread over the store, and for frequent words and beginnings of words in a
    /// store of 5,000 tasks.
    func searches(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let hits = min(taskCount, 50)
        var ids: [UUID] = []
        var number = 0
        try daybook.read { transaction in
            try transaction[TaskItem.self].forEach { task in
                if number % max(taskCount / hits, 1) == 0, ids.count < hits { ids.append(task.id) }
                number += 1
                return true
            }
        }
        let chosen = ids
        try await daybook.tasks.write { tasks in
            for id in chosen { try tasks.edit(id) { $0.notes = "Wordwithfiftyhits, and a few others" } }
        }
        let rare = try Timings(rounds: scale.besides) {
            _ = try daybook.tasks.search("wordwithfiftyhits", limit: hits)
        }
        let small = min(scale.imported, 5000)
        let path = "\(folder)/requirements-search"
        try await BenchStore.make(at: path, .history(taskCount: small, seed: 3))
        let store = try BenchStore(at: path)
        defer { store.close() }
        var words: [String] = []
        try store.daybook.read { transaction in
            try transaction[TaskItem.self].forEach { task in
                words += Word.all(in: [task.text]).map(\.text)
                return words.count < 400
            }
        }
        var any: [Int64] = []
        for (place, word) in words.enumerated() {
            let typed = [word, String(word.prefix(2)), "\(word) \(words[words.count - 1 - place])"][place % 3]
            any.append(try Stopwatch.nanoseconds { _ = try store.daybook.tasks.search(typed, limit: 100) })
        }
        return [
            MeasuredRow(
                "F-13", "median of a search for a word that \(hits) of \(taskCount) tasks have",
                .time(rare.median), limit: .time(.milliseconds(1))),
            MeasuredRow(
                "F-13", "p99 of searches of \(small) tasks for words, beginnings and pairs",
                .time(Timings(any).percentile99), limit: .time(.milliseconds(50))),
        ]
    }
}
