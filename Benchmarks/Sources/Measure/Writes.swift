import CRawLMDB
import Daybook
import FoundationEssentials
import Glibc

/// Measures durable writes against plain LMDB that commits the same keys and values, and the effect of group commit.
struct Writes {
    let stores: Stores

    func run(into report: inout Report) async throws {
        try await against(
            "create", into: &report, limit: 1.15
        ) { daybook, round in
            let text = "Review chapter \(round) of the thesis before the meeting"
            _ = try await daybook.tasks.create(text, on: daybook.context.today)
        }
        try await against(
            "create without a context switch", into: &report, limit: nil
        ) { daybook, round in
            try Self.create("Review chapter \(round) of the thesis before the meeting", in: daybook)
        }
        try await against(
            "change of state", into: &report, limit: nil
        ) { daybook, round in
            let view = try daybook.tasks.today()
            _ = try await daybook.tasks.cycle(view[round % view.count].id)
        }
        let ids = try stores.open("small").tasks.today().filter(\.isNotStarted).map(\.id)
        try await against(
            "change of state without a context switch", into: &report, limit: 1.2
        ) { daybook, round in
            try Self.write(in: daybook) { try $0.cycle(ids[round % ids.count]) }
        }
        try await against(
            "reorder without a context switch", into: &report, limit: 1.2
        ) { daybook, round in
            // Each task moves to the place before the previously moved one, so that every move changes something.
            let other = ids[(round + ids.count - 1) % ids.count]
            try Self.write(in: daybook) { try $0.reorder(ids[round % ids.count], to: .before(other)) }
        }
        try await together(into: &report)
    }

    private static func write(in daybook: DaybookStore, _ body: (TaskTransaction) throws -> Void) throws {
        try daybook.write { try body($0.tasks) }
    }

    /// Creates a task on the calling thread. A separate function, since overload resolution prefers `await` where it is
    /// allowed.
    static func create(_ text: String, in daybook: DaybookStore) throws {
        try daybook.write { _ = try $0.tasks.create(text, on: daybook.context.today) }
    }

    /// Measures one writer; each operation is followed by its keys and values through plain LMDB in a copy of the
    /// store.
    private func against(
        _ name: String, into report: inout Report, limit: Double?,
        _ operation: (DaybookStore, Int) async throws -> Void
    ) async throws {
        try stores.remove("write")
        try stores.copy("small", to: "write")
        try FileManager.default.copyItem(
            atPath: stores.path("small") + "/store.json", toPath: stores.path("write") + "/store.json")
        try stores.copy("small", to: "raw")
        let daybook = try stores.open("write")
        defer { daybook.close() }
        guard let original = raw_open(stores.path("write"), 1), let copy = raw_open(stores.path("raw"), 0) else {
            throw BenchmarkError.raw("open the copies")
        }
        defer {
            raw_close(original)
            raw_close(copy)
        }
        let flushed = open(stores.path("flushed"), O_RDWR | O_CREAT, 0o600)
        defer { close(flushed) }
        let clock = ContinuousClock()
        var paired = Paired()
        var flushes = Samples()
        var bytes = Samples()
        var puts = Samples()
        var deletes = Samples()
        let rounds = 400
        for round in 0..<(rounds + 20) {
            // Both follow a comparison of the two stores, which loads the same pages into the CPU caches.
            raw_free_changes(raw_difference(original, copy))
            let ours = try await clock.measure { try await operation(daybook, round) }
            guard let changes = raw_difference(original, copy) else { throw BenchmarkError.raw("compare") }
            defer { raw_free_changes(changes) }
            var code: Int32 = 0
            let theirs = clock.measure { code = raw_apply(copy, changes) }
            guard code == 0 else { throw BenchmarkError.raw("commit: \(code)") }
            let flush = clock.measure { code = raw_flush(flushed) }
            guard code == 0 else { throw BenchmarkError.raw("flush: \(code)") }
            guard round >= 20 else { continue }
            paired.add(ours: ours, theirs: theirs)
            flushes.add(flush)
            puts.add(Double(raw_put_count(changes)))
            deletes.add(Double(raw_delete_count(changes)))
            bytes.add(Double(raw_byte_count(changes)))
        }
        report.add(
            "durable \(name), one writer, against plain LMDB in C committing the same"
                + " \(Int(puts.median)) puts, \(Int(deletes.median)) deletes, \(Int(bytes.median)) bytes",
            target: limit.map { "at most \($0)x" } ?? "-",
            measured: "\(shown(paired.ours.median)) / \(shown(paired.theirs.median)) = \(rounded(paired.ratio))x"
                + " (one 4 KiB write and flush: \(shown(flushes.median)))",
            holds: limit.map { paired.ratio <= $0 })
    }

    /// Measures 64 concurrent writers against one.
    private func together(into report: inout Report) async throws {
        let daybook = try stores.open("write")
        defer { daybook.close() }
        var one: [Double] = []
        var many: [Double] = []
        for _ in 0..<5 {
            one.append(try await throughput(writers: 1, each: 100, daybook))
            many.append(try await throughput(writers: 64, each: 40, daybook))
        }
        let single = one.sorted()[2]
        let shared = many.sorted()[2]
        report.add(
            "durable creates a second: 64 writers against one", target: "at least 8x",
            measured: "\(Int(shared)) / \(Int(single)) = \(rounded(shared / single))x", holds: shared / single >= 8)
    }

    private func throughput(writers: Int, each: Int, _ daybook: DaybookStore) async throws -> Double {
        let elapsed = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<each {
                            _ = try await daybook.tasks.create(
                                "Task \(number) of writer \(writer), to be done some day")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var samples = Samples()
        samples.add(elapsed)
        return Double(writers * each) / (samples.median / 1e9)
    }
}
