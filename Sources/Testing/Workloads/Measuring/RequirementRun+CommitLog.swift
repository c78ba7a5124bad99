import Daybook
import FoundationEssentials
import KeyValue
import Measuring

/// What committing through the log is worth, beside a store that commits directly.
extension RequirementRun {
    /// Times two streams of creates that alternate, one through the log; single operations both ways, beside a flush; the recovery
    /// of the longest log; and the size of the data file after a burst.
    func commitLog() async throws -> [MeasuredRow] {
        try await logStreams() + logOperations() + [logRecovery()] + logSize()
    }

    /// How many creates of one stream follow each other, so that both see the same disk.
    static let turn = 250

    func openStore(_ name: String, _ use: CommitLogUse) throws -> DaybookStore {
        var options = StoreOptions()
        options.commitLog = use
        return try DaybookStore.open(at: "\(folder)/\(name)", context: .system, options: options)
    }

    private func logStreams() async throws -> [MeasuredRow] {
        let stores = [
            try openStore("log-direct", .never), try openStore("log-logged", CommitLogUse(entering: .whenBusy)),
        ]
        defer { for store in stores { store.close() } }
        var times: [[Int64]] = [[], []]
        var bytes = [0, 0]
        for store in stores { try await store.tasks.create((0..<taskCount).map { NewTask("Task \($0) of before") }) }
        while times[1].count < scale.stream {
            for (number, store) in stores.enumerated() {
                let before = DiskProbe.bytesWritten(toDiskOf: folder)
                times[number] += try await timeCreates(min(Self.turn, scale.stream), in: store)
                bytes[number] += DiskProbe.bytesWritten(toDiskOf: folder) - before
            }
        }
        let (direct, logged) = (Timings(times[0]), Timings(times[1]))
        func ratio(_ time: (Timings) -> Int64) -> MeasuredRow.Value { .ratio(logged.ratio(to: direct, of: time)) }
        let title = "of \(logged.runs) creates through the log"
        return [
            MeasuredRow("log", "mean \(title), against direct ones", ratio(\.mean), limit: .ratio(0.7)),
            MeasuredRow("log", "median \(title), against direct ones", ratio(\.median)),
            MeasuredRow("log", "p99 \(title), against direct ones", ratio(\.percentile99), limit: .ratio(1)),
            MeasuredRow("log", "mean of the direct ones", .time(direct.mean)),
            MeasuredRow("log", "p99 of the direct ones", .time(direct.percentile99)),
            MeasuredRow("log", "p99.9 \(title)", .time(logged.percentile999)),
            MeasuredRow("log", "p99.9 of the direct ones", .time(direct.percentile999)),
        ] + diskRows(logged: bytes[1] / max(logged.runs, 1), direct: bytes[0] / max(direct.runs, 1))
    }

    /// None where the system does not say.
    private func diskRows(logged: Int, direct: Int) -> [MeasuredRow] {
        guard logged > 0, direct > 0 else { return [] }
        return [
            MeasuredRow(
                "log", "bytes to the disk for a create through the log, on a machine that does nothing else",
                .bytes(logged)),
            MeasuredRow("log", "the same for a direct one", .bytes(direct)),
        ]
    }

    /// Changes of a task: name, how many times a flushed write of 4 KiB they may take through the log, and the change.
    private static let logOperations:
        [(name: String, limit: Double, perform: @Sendable (DaybookStore, UUID) throws -> Void)] =
            [
                ("create", 2.8, { store, _ in try store.write { _ = try $0.tasks.create("A task that is timed") } }),
                (
                    "change of state", 3.5,
                    { store, id in try store.write { _ = try $0.tasks.setState(id, to: .completed) } }
                ),
                ("undo", 4.2, { store, _ in try store.write { _ = try $0.tasks.undo() } }),
                (
                    "schedule", 3.3, { store, id in try store.write { _ = try $0.tasks.schedule(id, on: .today) } }
                ),
                ("reorder", 3.3, { store, id in try store.write { _ = try $0.tasks.reorder(id, to: .first) } }),
                ("delete", 3.5, { store, id in try store.write { _ = try $0.tasks.delete(id) } }),
            ]

    /// Times each operation in a store through the log, in one without it, and a flushed write, in turns.
    private func logOperations() async throws -> [MeasuredRow] {
        let stores = [
            try openStore("log-operations-logged", CommitLogUse(entering: .whenBusy)),
            try openStore("log-operations-direct", .never),
        ]
        defer { for store in stores { store.close() } }
        for store in stores {
            try await store.tasks.create((0..<taskCount).map { NewTask("Task \($0) of before") })
            // What a task is moved before.
            try await store.tasks.create("Another one of today", on: store.context.today)
        }
        let probe = try DiskProbe(besides: "\(folder)/log-operations")
        var pairs = Self.logOperations.map { _ in (flush: PairedTimes(), direct: PairedTimes()) }
        for number in 0..<max(scale.rounds, 1) {
            let ids = try stores.map { store in
                try store.write { try $0.tasks.create("Task \(number) that is worked on").id }
            }
            for (index, operation) in Self.logOperations.enumerated() {
                let flush = try probe.timeFlush()
                let times = try zip(stores, ids).map { store, id in
                    try Stopwatch.nanoseconds { try operation.perform(store, id) }
                }
                pairs[index].flush.add(ours: times[0], theirs: flush)
                pairs[index].direct.add(ours: times[0], theirs: times[1])
            }
        }
        return zip(Self.logOperations, pairs).flatMap { operation, pair in
            [
                MeasuredRow(
                    "log", "\(operation.name) through the log, against one flushed write",
                    .ratio(pair.flush.ratio.median), limit: .ratio(operation.limit)),
                MeasuredRow(
                    "log", "\(operation.name) through the log, against a direct one", .ratio(pair.direct.ratio.median)),
            ]
        }
    }

    /// Opens a copy of a store that was left with the longest log, as after a kill.
    private func logRecovery() throws -> MeasuredRow {
        let killed = "\(folder)/log-killed"
        let records = try LongLog.leave(at: killed, from: "\(folder)/log-long", context: .system)
        let elapsed = try Stopwatch.nanoseconds { try openStore("log-killed", .never).close() }
        return MeasuredRow(
            "log", "opening a store with a log of \(records) records", .time(elapsed),
            limit: .time(.milliseconds(200)))
    }

    /// The files of 1,000 tasks during 10,000 changes in a row, and after a compaction, through the log and directly.
    private func logSize() async throws -> [MeasuredRow] {
        let (logged, direct) = try await (
            sizes(of: "log-burst", CommitLogUse(entering: .whenBusy)), sizes(of: "log-burst-direct", .never)
        )
        let title = "1,000 tasks during \(scale.stream) changes in a row, both files at their largest"
        return [
            MeasuredRow("log", "\(title), through the log", .bytes(logged.largest), limit: .bytes(10_000_000)),
            MeasuredRow("log", "\(title), directly", .bytes(direct.largest), limit: .bytes(10_000_000)),
            MeasuredRow(
                "log", "the files after a compaction, through the log against directly",
                .ratio(Double(logged.compacted) / Double(max(direct.compacted, 1))), limit: .ratio(1.2)),
            MeasuredRow("log", "the files after a compaction, through the log", .bytes(logged.compacted)),
        ]
    }

    private func sizes(of name: String, _ use: CommitLogUse) async throws -> (largest: Int, compacted: Int) {
        let store = try openStore(name, use)
        defer { store.close() }
        let tasks = try await store.tasks.create((0..<1000).map { NewTask("Task \($0) of a burst") })
        var largest = 0
        for number in 0..<scale.stream {
            try await store.tasks.setState(
                tasks[number * 7 % tasks.count].id, to: number / tasks.count % 2 == 0 ? .completed : .notStarted)
            if number % 50 == 0 { largest = max(largest, try bytes(of: name)) }
        }
        largest = max(largest, try bytes(of: name))
        try await store.compact()
        return (largest, try bytes(of: name))
    }

    /// Returns the lengths of the data file and the commit log of a store.
    func bytes(of name: String) throws -> Int {
        try ["data.mdb", CommitLogState.fileName].reduce(0) { sum, file in
            let path = "\(folder)/\(name)/\(file)"
            return sum + (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0)
        }
    }
}
