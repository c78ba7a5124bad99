import Daybook
import FoundationEssentials
import Measuring

/// Measures what a single operation does not show: creates beside an import, an export and a loop of statistics; the first
/// of many creates against the last; every operation against a create; CPU time and memory; searches; rollover and expiry of many tasks; a
/// timeline; the deletion of a long list; journals, and the migration of one; sync; a scrub; a salvage; the commit log.
public struct RequirementRun {
    let folder: String
    let taskCount: Int
    let scale: Scale

    /// How much is done.
    public struct Scale: Sendable {
        /// The tasks of an import.
        public var imported = 10_000
        /// Successive creates.
        public var creates = 5000
        /// Creates, and changes, in a row through the commit log.
        public var stream = 10_000
        /// Creates beside other work.
        public var besides = 500
        /// The tasks of a list that is deleted.
        public var listed = 100_000
        /// The tasks of a rollover.
        public var carried = 10_000
        /// Threads of a journal.
        public var threads = 100
        /// The entries of each.
        public var entries = 1000
        /// The entries of a thread that is long.
        public var longThread = 200_000
        /// The entries of an older journal that is migrated.
        public var migrated = 100_000
        /// The tasks that go from one device to another.
        public var synced = 10_000
        /// How often each operation on a task is timed.
        public var rounds = 500
        /// The tasks of a store that is opened.
        public var opened = 5000
        /// How many nanoseconds nothing is done.
        public var idle: Int64 = 1_000_000_000

        /// That of `daybook bench`.
        public init() {}
    }

    /// The longest time that a create may take beside bulk work.
    static let createLimit = MeasuredRow.Value.time(.milliseconds(100))

    /// Measures in stores in a folder, which begin with a history of so many tasks.
    public init(in folder: String, taskCount: Int, scale: Scale = Scale()) {
        self.folder = folder
        self.taskCount = taskCount
        self.scale = scale
    }

    /// What is measured together, in the order of the rows, with the names of the requirements.
    private static let groups:
        [(names: [String], measure: @Sendable (RequirementRun, BenchStore) async throws -> [MeasuredRow])] = [
            (["F-13"], { try await $0.searches(in: $1.daybook) }),
            (["C-NFR7"], { try await $0.successiveCreates(in: $1.daybook) }),
            (["C-S6.6"], { try await $0.statistics(in: $1.daybook) }),
            (["C-S7.6"], { try await $0.exports(in: $1.daybook) }),
            (["C-NFR10"], { try await $0.cost(in: $1.daybook) }),
            (["L-NFR2"], { try await $0.operations(in: $1.daybook) }),
            (["L-NFR1"], { run, _ in try await run.opening() }),
            (["P-OP8", "P-OP9"], { try await $0.planner(at: $1.path) }),
            (["L-NFR23", "L-DM4"], { try await $0.lists(in: $1.daybook) }),
            (["J-PF2", "J-PF3", "J-PF4", "J-PF5", "J-PF6", "J-OP7"], { run, _ in try await run.journals() }),
            (["J-MG4"], { run, _ in try run.migration() }),
            (["sync"], { run, _ in try await run.sync() }),
            (["scrub"], { try $0.scrub(of: $1.daybook) }),
            (["salvage"], { run, _ in try await run.salvage() }),
            (["log"], { run, _ in try await run.commitLog() }),
            ([onlyByName], { run, _ in try await run.logSettings() }),
            (["compaction"], { try await $0.creates(duringCompactionOf: $1.path) }),
            (["background"], { try await $0.creates(besideBackgroundWorkIn: $1.path) }),
            (
                ["C-AD9"],
                { run, store in
                    // An import is measured with another clock, so the store is opened again.
                    store.close()
                    return [
                        try await run.creates(
                            duringImportInto: store.path, "into a store of \(run.taskCount) tasks"),
                        try await run.creates(
                            duringImportInto: "\(run.folder)/requirements-empty", "into an empty store"),
                    ]
                }
            ),
        ]

    /// What is measured only if it is asked for.
    private static let onlyByName = "log-settings"

    /// The names of the requirements that are measured, by group.
    public static let requirements = groups.map(\.names)

    /// Measures some requirements and those of their groups, or everything, in a minute or two.
    ///
    /// - Parameter only: the names of the requirements; empty for all.
    public func run(only: Set<String> = []) async throws -> [MeasuredRow] {
        let path = "\(folder)/requirements"
        try await BenchStore.make(at: path, .history(taskCount: taskCount, seed: 1))
        let store = try BenchStore(at: path)
        defer { store.close() }
        var rows: [MeasuredRow] = []
        for (names, measure) in Self.groups
        where only.isEmpty ? names != [Self.onlyByName] : !only.isDisjoint(with: names) {
            rows += try await measure(self, store)
        }
        return rows
    }

    // MARK: Creates

    /// Times durable creates one after another.
    func timeCreates(_ count: Int, in daybook: DaybookStore) async throws -> [Int64] {
        var times: [Int64] = []
        for number in 0..<count {
            times.append(
                try await Stopwatch.nanosecondsAwaiting {
                    _ = try await daybook.tasks.create("Task \(number) that is created on its own")
                })
        }
        return times
    }

    private func successiveCreates(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let times = try await timeCreates(scale.creates, in: daybook)
        let tenth = max(times.count / 10, 1)
        let (first, last) = (Timings(Array(times.prefix(tenth))), Timings(Array(times.suffix(tenth))))
        return [
            MeasuredRow(
                "C-NFR7", "p99 of the last tenth of \(times.count) creates against the first",
                .ratio(last.ratio(to: first)), limit: .ratio(2)),
            MeasuredRow(
                "C-NFR7", "p99 of \(times.count) successive creates", .time(Timings(times).percentile99),
                limit: Self.createLimit),
        ]
    }

    /// Times creates while other work is done again and again, until there are enough.
    func timeCreates(
        in daybook: DaybookStore, beside work: @escaping @Sendable () throws -> Void
    ) async throws -> Timings {
        let background = Task.detached {
            while !Task.isCancelled { try work() }
        }
        do {
            let times = try await timeCreates(scale.besides, in: daybook)
            background.cancel()
            try await background.value
            return Timings(times)
        } catch {
            background.cancel()
            throw error
        }
    }

    private func statistics(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let alone = Timings(try await timeCreates(scale.besides, in: daybook))
        let before = ProcessUse.memory
        let month = BenchStore.lastMonth
        let beside = try await timeCreates(in: daybook) {
            _ = try daybook.tasks.statistics()
            _ = try daybook.tasks.statistics(of: month)
        }
        let growth = max(ProcessUse.memory - before, 0)
        return [
            MeasuredRow(
                "C-S6.6", "p99 of a create beside a loop of statistics, against alone",
                .ratio(beside.ratio(to: alone))),
            MeasuredRow(
                "C-S6.6", "p99 of a create beside a loop of statistics", .time(beside.percentile99),
                limit: Self.createLimit),
            MeasuredRow(
                "C-S6.6", "growth of anonymous memory beside a loop of statistics", .bytes(growth),
                limit: .bytes(5 << 20)),
        ]
    }

    private func exports(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let beside = try await timeCreates(in: daybook) { try daybook.files.export(as: .json) { _ in } }
        return [
            MeasuredRow(
                "C-S7.6", "p99 of a create beside exports", .time(beside.percentile99), limit: Self.createLimit),
            MeasuredRow(
                "C-S7.6", "anonymous memory of the process beside exports", .bytes(ProcessUse.memory),
                limit: .bytes(100_000_000)),
        ]
    }

    // MARK: CPU time

    private func cost(in daybook: DaybookStore) async throws -> [MeasuredRow] {
        let rounds = max(scale.besides, 1)
        let creates = ProcessUse.cpuTime
        _ = try await timeCreates(rounds, in: daybook)
        let reads = ProcessUse.cpuTime
        for _ in 0..<rounds { _ = try daybook.tasks.today() }
        let idle = ProcessUse.cpuTime
        ProcessUse.wait(nanoseconds: scale.idle)
        let end = ProcessUse.cpuTime
        return [
            MeasuredRow("C-NFR10", "CPU time of a create", .time((reads - creates) / Int64(rounds))),
            MeasuredRow("C-NFR10", "CPU time of Today", .time((idle - reads) / Int64(rounds))),
            MeasuredRow(
                "C-NFR10", "CPU time of an idle process, of a second", .ratio(Double(end - idle) / Double(scale.idle)),
                limit: .ratio(0.01)),
        ]
    }
}
