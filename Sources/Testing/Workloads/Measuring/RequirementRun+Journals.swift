import Daybook
import FoundationEssentials
import Measuring

extension RequirementRun {
    /// Times the list of threads, the reading of a thread, an entry beside a task, CSV, and the first page of a long thread
    /// against that of a short one.
    func journals() async throws -> [MeasuredRow] {
        let context = BenchStore.context(at: BenchStore.plannedMoment)
        let store = try DaybookStore.open(at: "\(folder)/requirements-journals", context: context)
        defer { store.close() }
        let threads = try await fill(store)
        func median(_ work: () throws -> Void) throws -> Int64 { try Timings(rounds: scale.besides, work).median }
        let list = try median { _ = try store.journals.threads() }
        let whole = try median { _ = try store.journals.entries(of: threads[0]) }
        let page = try median { _ = try store.journals.page(of: threads[0], limit: 20) }
        let last = try median { _ = try store.journals.page(of: threads[0], at: .end, limit: 5) }
        let csv = try median { try store.files.exportThread(threads[0], as: .csv) { _, _ in } }
        let memory = ProcessUse.memory
        for thread in threads { try store.files.exportThread(thread, as: .csv) { _, _ in } }
        let growth = max(ProcessUse.memory - memory, 0)
        let pairs = try await pairs(in: store, thread: threads[0]).medians
        let long = try await longThread(in: store)
        let longPage = try median { _ = try store.journals.page(of: long, limit: 20) }
        return [
            MeasuredRow(
                "J-PF2", "median of the list of \(threads.count) threads with \(scale.entries) entries each",
                .time(list), limit: .time(.milliseconds(1))),
            MeasuredRow(
                "J-PF3", "median of reading a thread of \(scale.entries) entries", .time(whole),
                limit: .time(.milliseconds(3))),
            MeasuredRow("J-PF3", "median of the last five entries", .time(last)),
            MeasuredRow("J-PF4", "median of a durable entry", .time(pairs.ours), limit: .time(.milliseconds(50))),
            MeasuredRow(
                "J-PF4", "durable entry against a durable task of the same text, among as many, interleaved",
                .ratio(Double(pairs.ours) / Double(max(pairs.theirs, 1))), limit: .ratio(1)),
            MeasuredRow(
                "J-PF5", "median of CSV of \(scale.entries) entries, 20 fields on a tenth", .time(csv),
                limit: .time(.milliseconds(15))),
            MeasuredRow(
                "J-PF6", "growth of anonymous memory while all threads are exported", .bytes(growth),
                limit: .bytes(40_000_000)),
            MeasuredRow(
                "J-OP7", "first page of \(scale.longThread) entries against \(scale.entries)",
                .ratio(Double(longPage) / Double(max(page, 1))), limit: .ratio(1.5)),
        ]
    }

    /// Threads of entries of 250 bytes; a tenth of the first thread's have 20 fields.
    private func fill(_ store: DaybookStore) async throws -> [UUID] {
        let (entryCount, threadCount) = (scale.entries, scale.threads)
        var ids: [UUID] = []
        for number in 0..<threadCount {
            ids.append(
                try await store.journals.write { journals in
                    let thread = try journals.createThread("Thread \(number)").id
                    let fields = try (0..<20).map { try journals.createField("Field \($0)", in: thread).id }
                    for entry in 0..<entryCount {
                        var new = NewEntry(Self.text(entry, words: 40))
                        if number == 0, entry % 10 == 0 {
                            new.values = Dictionary(uniqueKeysWithValues: fields.map { ($0, "value \(entry)") })
                        }
                        try journals.addEntry(new, to: thread)
                    }
                    return thread
                })
        }
        return ids
    }

    /// Times entries and tasks with the same texts, one after the other in turns. The store gets as many tasks as it
    /// has entries first: among fewer, a task would change fewer pages.
    private func pairs(in store: DaybookStore, thread: UUID) async throws -> PairedTimes {
        let count = scale.entries
        for _ in 0..<scale.threads {
            try await store.write { transaction in
                for number in 0..<count { try transaction.tasks.create(Self.text(number, words: 40)) }
            }
        }
        var times = PairedTimes()
        for number in 0..<max(scale.besides, 1) {
            let text = Self.text(number, words: 8)
            times.add(
                ours: try await Stopwatch.nanosecondsAwaiting {
                    _ = try await store.journals.addEntry(text, to: thread)
                },
                theirs: try await Stopwatch.nanosecondsAwaiting { _ = try await store.tasks.create(text) })
        }
        return times
    }

    private func longThread(in store: DaybookStore) async throws -> UUID {
        let thread = try await store.journals.createThread("A long thread").id
        for batch in stride(from: 0, to: scale.longThread, by: 10_000) {
            let end = min(batch + 10_000, scale.longThread)
            try await store.journals.write { journals in
                for number in batch..<end { try journals.addEntry(NewEntry(Self.text(number, words: 3)), to: thread) }
            }
        }
        return thread
    }

    /// A text of words with a distribution like that of a language: few words are frequent.
    static func text(_ number: Int, words: Int) -> String {
        var seed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        return (0..<words).map { _ in
            seed ^= seed << 13
            seed ^= seed >> 7
            seed ^= seed << 17
            let rank = 4000 / (1 + seed % 4000)
            return "word\(rank)"
        }.joined(separator: " ")
    }
}
