import CommandSupport
import Daybook
import FoundationEssentials
import LabSupport
import Measuring
import Workloads

/// The stores of `measure`, each in a folder below one parent, and what is measured in them: views, counts and writes.
struct MeasuredStores {
    let folder: String
    /// The number of tasks in the large store.
    let large: Int
    /// The number of rounds of a comparison of views.
    let rounds: Int
    let progress: Progress

    /// The number of tasks in the small store.
    static let small = 1000

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Opens a store in a zone whose days are not those of the roll-ups, so that counts need parts of days.
    func open(_ name: String) throws -> BenchStore { try BenchStore(at: path(name), zone: try Zone("Europe/Berlin")) }

    /// Creates the stores that are missing.
    func prepare() async throws {
        for (name, taskCount) in [("small", Self.small), ("large", large)] where !exists(name) {
            try await BenchStore.make(
                at: path(name), .history(taskCount: taskCount, seed: 1), hasList: false
            ) { try progress.step("\($0) of \(taskCount) tasks") }
        }
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Returns the operation with a name.
    func operation(_ name: String) throws -> Workloads.Operation {
        guard let operation = Operation.measurable(name) else { throw CommandError.usage("No operation \(name).") }
        return operation
    }

    /// Compares views and counts with those of the small store, and views with plain LMDB.
    func measureReads(into table: inout [MeasuredRow]) async throws {
        let (few, many) = (try open("small"), try open("large"))
        defer {
            few.close()
            many.close()
        }
        let (today, statistics) = (try operation("today"), try operation("statistics"))
        for store in [few, many] where try today.rows(in: store) != BenchStore.todayLength {
            throw CommandError.unusable("\(store.path) was not made by 'measure'. Name another --folder.")
        }
        func growth(_ operation: Workloads.Operation) async throws -> PairedTimes {
            try progress.step(operation.title)
            return try await PairedTimes(
                rounds: rounds, ours: { try await operation.time(in: many, round: $0) },
                theirs: { try await operation.time(in: few, round: $0) })
        }
        table.add(
            "Today, 50 tasks decoded: of \(large) against of \(Self.small)", atMost: 2, try await growth(today))
        for (store, count) in [(many, large), (few, Self.small)] {
            guard case .scan(let scan) = today.floor else { continue }
            let raw = try RawStore(at: store.path)
            let times = try await PairedTimes(
                rounds: rounds, ours: { try await today.time(in: store, round: $0) },
                theirs: { _ in try Stopwatch.nanoseconds { _ = try raw.read(scan) } })
            table.add("Today, 50 of \(count), against plain LMDB in C reading the same bytes", atMost: 3, times)
        }
        let counts = try await growth(statistics)
        table.add(
            "all statistics: of \(large) against of \(Self.small)", atMost: 1.5, target: "at most 1.5x, under 100 µs",
            counts, alsoHolds: counts.medians.ours < 100_000)
    }

    /// Compares durable writes with plain LMDB that commits the same keys and values, and many writers with one.
    func measureWrites(into table: inout [MeasuredRow]) async throws {
        let limits: KeyValuePairs = [
            "create": 1.15, "create-here": nil, "change-state": nil, "change-state-here": 1.2, "reorder-here": 1.2,
        ]
        var flushes: [Int64] = []
        for (name, limit) in limits { flushes += try await compare(try operation(name), limit, into: &table) }
        table.append(MeasuredRow(nil, "one 4 KiB write and flush beside these", .time(Timings(flushes).median)))
        try await measureThroughput(into: &table)
    }

    /// Compares one writer; each operation is followed by its keys and values through plain LMDB in a copy of the store, and by a
    /// flush, whose times it returns.
    private func compare(
        _ operation: Workloads.Operation, _ limit: Double?, into table: inout [MeasuredRow]
    ) async throws -> [Int64] {
        try progress.step(operation.title)
        for copy in ["write", "raw"] { try ScratchFolder.copy(path("small"), to: path(copy)) }
        let store = try open("write")
        defer { store.close() }
        let floor = try CommitFloor(of: store.path, copy: path("raw"))
        let disk = try DiskProbe(besides: store.path)
        var times = PairedTimes()
        var flushes: [Int64] = []
        let rounds = rounds / 10
        for round in -rounds / 20..<rounds {
            try floor.commit()
            let ours = try await operation.time(in: store, round: round + rounds / 20)
            let commit = try floor.commit()
            let flush = try disk.timeFlush()
            guard round >= 0, let commit else { continue }
            times.add(ours: ours, theirs: commit)
            flushes.append(flush)
        }
        let kind = operation.title.replacing("create a task", with: "create").replacing(
            "change a task's state", with: "change of state")
        table.add("durable \(kind), against LMDB in C", atMost: limit, times)
        return flushes
    }

    /// Measures 64 concurrent writers against one.
    private func measureThroughput(into table: inout [MeasuredRow]) async throws {
        try progress.step("64 writers")
        let store = try open("write")
        defer { store.close() }
        var one: [Int64] = []
        var many: [Int64] = []
        for _ in 0..<5 {
            one.append(try await Self.throughput(writers: 1, each: max(rounds / 40, 1), store.daybook))
            many.append(try await Self.throughput(writers: 64, each: max(rounds / 100, 1), store.daybook))
        }
        let (single, shared) = (Timings(one).median, Timings(many).median)
        let factor = Double(shared) / Double(single)
        table.add(
            "durable creates a second: 64 writers against one", target: "at least 8x",
            measured: "\(shared) / \(single) = \(Figures.ratio(factor))x", holds: factor >= 8)
    }

    private static func throughput(writers: Int, each: Int, _ daybook: DaybookStore) async throws -> Int64 {
        let time = try await Stopwatch.nanosecondsAwaiting {
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
        return Int64(writers * each) * 1_000_000_000 / max(time, 1)
    }
}
