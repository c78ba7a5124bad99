import Daybook
import FoundationEssentials

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
    static let createLimit = RequirementRow.Value.time(.milliseconds(100))

    /// Measures in stores in a folder, which begin with a history of so many tasks.
    public init(in folder: String, taskCount: Int, scale: Scale = Scale()) {
        self.folder = folder
        self.taskCount = taskCount
        self.scale = scale
    }

    /// The requirements that are measured, in the order of the rows; those measured together are in one group.
    public static let requirements = [
        ["F-13"], ["C-NFR7"], ["C-S6.6"], ["C-S7.6"], ["C-NFR10"], ["L-NFR2"], ["L-NFR1"], ["P-OP8", "P-OP9"],
        ["L-NFR23", "L-DM4"], ["J-PF2", "J-PF3", "J-PF4", "J-PF5", "J-PF6", "J-OP7"], ["J-MG4"], ["sync"], ["scrub"],
        ["salvage"], ["log"], ["log-settings"], ["compaction"], ["background"], ["C-AD9"],
    ]

    /// Measures some requirements and those of their groups, or everything, in a minute or two.
    ///
    /// - Parameter only: the names of the requirements; empty for all.
    public func run(only: Set<String> = []) async throws -> [RequirementRow] {
        func isWanted(_ name: String) -> Bool {
            only.isEmpty || Self.requirements.contains { $0.contains(name) && !only.isDisjoint(with: $0) }
        }
        let path = "\(folder)/requirements"
        try await BenchStore.make(at: path, .history(taskCount: taskCount, seed: 1))
        let store = try BenchStore(at: path)
        let daybook = store.daybook
        defer { store.close() }
        var rows: [RequirementRow] = []
        if isWanted("F-13") { rows += try await searches(in: daybook) }
        if isWanted("C-NFR7") { rows += try await successiveCreates(in: daybook) }
        if isWanted("C-S6.6") { rows += try await statistics(in: daybook) }
        if isWanted("C-S7.6") { rows += try await exports(in: daybook) }
        if isWanted("C-NFR10") { rows += try await cost(in: daybook) }
        if isWanted("L-NFR2") { rows += try await operations(in: daybook) }
        if isWanted("L-NFR1") { rows.append(try await opening()) }
        if isWanted("P-OP8") { rows += try await planner(at: path) }
        if isWanted("L-DM4") { rows += try await lists(in: daybook) }
        if isWanted("J-PF4") { rows += try await journals() }
        if isWanted("J-MG4") { rows.append(try migration()) }
        if isWanted("sync") { rows += try await sync() }
        if isWanted("scrub") { rows += try scrub(of: daybook) }
        if isWanted("salvage") { rows += try await salvage() }
        if isWanted("log") { rows += try await commitLog() }
        if only.contains("log-settings") { rows += try await logSettings() }
        if isWanted("compaction") { rows += try await creates(duringCompactionOf: path) }
        if isWanted("background") { rows += try await creates(besideBackgroundWorkIn: path) }
        if isWanted("C-AD9") {
            // An import is measured with another clock, so the store is opened again.
            store.close()
            rows.append(try await creates(duringImportInto: path, "into a store of \(taskCount) tasks"))
            rows.append(try await creates(duringImportInto: "\(folder)/requirements-empty", "into an empty store"))
        }
        return rows
    }

    // MARK: Creates

    /// Times durable creates one after another.
    func timeCreates(_ count: Int, in daybook: DaybookStore) async throws -> [Int64] {
        let clock = ContinuousClock()
        var times: [Int64] = []
        for number in 0..<count {
            let elapsed = try await clock.measure {
                _ = try await daybook.tasks.create("Task \(number) that is created on its own")
            }
            times.append(elapsed.nanoseconds)
        }
        return times
    }

    private func successiveCreates(in daybook: DaybookStore) async throws -> [RequirementRow] {
        let times = try await timeCreates(scale.creates, in: daybook)
        let tenth = max(times.count / 10, 1)
        let (first, last) = (Timings(Array(times.prefix(tenth))), Timings(Array(times.suffix(tenth))))
        let ratio = Double(last.percentile99) / Double(max(first.percentile99, 1))
        return [
            RequirementRow(
                "C-NFR7", "p99 of the last tenth of \(times.count) creates against the first", .ratio(ratio),
                limit: .ratio(2)),
            RequirementRow(
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

    private func statistics(in daybook: DaybookStore) async throws -> [RequirementRow] {
        let alone = Timings(try await timeCreates(scale.besides, in: daybook))
        let before = ProcessUse.memory
        let month = BenchStore.lastMonth
        let beside = try await timeCreates(in: daybook) {
            _ = try daybook.tasks.statistics()
            _ = try daybook.tasks.statistics(of: month)
        }
        let growth = max(ProcessUse.memory - before, 0)
        let ratio = Double(beside.percentile99) / Double(max(alone.percentile99, 1))
        return [
            RequirementRow("C-S6.6", "p99 of a create beside a loop of statistics, against alone", .ratio(ratio)),
            RequirementRow(
                "C-S6.6", "p99 of a create beside a loop of statistics", .time(beside.percentile99),
                limit: Self.createLimit),
            RequirementRow(
                "C-S6.6", "growth of anonymous memory beside a loop of statistics", .bytes(growth),
                limit: .bytes(5 << 20)),
        ]
    }

    private func exports(in daybook: DaybookStore) async throws -> [RequirementRow] {
        let beside = try await timeCreates(in: daybook) { try daybook.files.export(as: .json) { _ in } }
        return [
            RequirementRow(
                "C-S7.6", "p99 of a create beside exports", .time(beside.percentile99), limit: Self.createLimit),
            RequirementRow(
                "C-S7.6", "anonymous memory of the process beside exports", .bytes(ProcessUse.memory),
                limit: .bytes(100_000_000)),
        ]
    }

    // MARK: CPU time

    private func cost(in daybook: DaybookStore) async throws -> [RequirementRow] {
        let rounds = max(scale.besides, 1)
        let creates = ProcessUse.cpuTime
        _ = try await timeCreates(rounds, in: daybook)
        let reads = ProcessUse.cpuTime
        for _ in 0..<rounds { _ = try daybook.tasks.today() }
        let idle = ProcessUse.cpuTime
        ProcessUse.wait(nanoseconds: scale.idle)
        let end = ProcessUse.cpuTime
        return [
            RequirementRow("C-NFR10", "CPU time of a create", .time((reads - creates) / Int64(rounds))),
            RequirementRow("C-NFR10", "CPU time of Today", .time((idle - reads) / Int64(rounds))),
            RequirementRow(
                "C-NFR10", "CPU time of an idle process, of a second", .ratio(Double(end - idle) / Double(scale.idle)),
                limit: .ratio(0.01)),
        ]
    }
}
