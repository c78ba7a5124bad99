import Daybook
import FoundationEssentials
import Measuring

/// One run of `daybook bench`: budgets in one store, and the growth of queries over several.
public struct BenchRun {
    /// What is measured.
    public struct Plan: Sendable {
        /// The content of the measured store.
        public var content: BenchStore.Content
        /// The operations, in order.
        public var operations: [Operation]
        /// The largest store of the scale table; 0 for none.
        public var largest: Int
        /// The maximum number of runs of an operation, for a quick look.
        public var mostRounds = Int.max
        /// The size of the journal that is opened.
        public var journalSize = BenchStore.JournalSize()
        /// How many nanoseconds each run of an operation is delayed, to show that the gate detects it.
        public var delay: Int64 = 0

        /// Creates a plan that measures everything in stores of generated histories.
        public init(taskCount: Int, operations: [Operation] = Operation.all, largest: Int = 1_000_000) {
            content = .history(taskCount: taskCount, seed: 1)
            self.operations = operations
            self.largest = largest
        }
    }

    private let folder: String
    private let plan: Plan
    private let progress: (String) throws -> Void
    private let memory: (String) throws -> MemoryRun?

    /// Prepares to measure in stores below an existing folder.
    ///
    /// - Parameters:
    ///   - progress: called before each measurement; may throw to cancel.
    ///   - memory: runs `MemoryRun` for the store at a path in another process.
    public init(
        in folder: String, _ plan: Plan, progress: @escaping (String) throws -> Void = { _ in },
        memory: @escaping (String) throws -> MemoryRun? = { _ in nil }
    ) {
        self.folder = folder
        self.plan = plan
        self.progress = progress
        self.memory = memory
    }

    /// The path of the store with budgets.
    public var path: String { folder + "/budgets" }

    /// Measures budgets and growth.
    public func run(machine: Machine, date: String, program: String) async throws -> BenchReport {
        try progress("filling a store")
        let taskCount = try await BenchStore.make(at: path, plan.content)
        var report = BenchReport(machine: machine, date: date, program: program, size: taskCount)
        report.sizes.append(
            MeasuredSize.disk.row(
                "disk, allocated", try DiskProbe.allocatedBytes(of: path),
                budget: Self.diskBudgetPerThousand * max(taskCount / 1000, 1)))
        let store = try BenchStore(at: path, journalSize: plan.journalSize)
        defer { store.close() }
        report.sizes.append(
            MeasuredSize.snapshot.row(
                "snapshot", try store.snapshot(), budget: Self.snapshotBudgetPerThousand * max(taskCount / 1000, 1)))
        let budgets = try BudgetRun(in: store, taskCount: taskCount, mostRounds: plan.mostRounds, delay: plan.delay)
        for operation in plan.operations {
            try progress(operation.title)
            report.budgets.append(try await budgets.measure(operation))
        }
        store.close()
        if let memory = try memory(path) {
            report.sizes.append(
                MeasuredSize.residentMemory.row(
                    "memory with the store's pages, \(taskCount) tasks", memory.residentBytes,
                    budget: Self.residentMemoryBudget))
        }
        try await measureScale(into: &report)
        return report
    }

    private func measureScale(into report: inout BenchReport) async throws {
        var scale = ScaleRun()
        let steady = plan.operations.filter(\.isSteady)
        let steps = steady.isEmpty ? [] : ScaleRun.sizes.filter { $0 <= plan.largest }
        var smallest: BenchStore?
        defer { smallest?.close() }
        for size in steps {
            let path = folder + "/scale-\(size)"
            try await BenchStore.make(at: path, .history(taskCount: size, seed: 1)) { written in
                try progress("scale: \(written) of \(size) tasks")
            }
            let store = try BenchStore(at: path)
            try progress("scale: questions to \(size) tasks")
            try await scale.measure(steady, in: store, taskCount: size, beside: smallest, mostRounds: plan.mostRounds)
            guard smallest != nil else {
                smallest = store
                continue
            }
            store.close()
            if size == steps.last, let memory = try memory(path) {
                report.sizes.append(
                    MeasuredSize.privateMemory.row(
                        "memory that a process wrote itself, \(size) tasks", memory.privateBytes,
                        budget: Self.privateMemoryBudget))
            }
            try FileManager.default.removeItem(atPath: path)
        }
        report.scale = scale.rows
    }

    /// The budget of private memory of a process that shows Today and statistics and creates a thousand tasks.
    static let privateMemoryBudget = 40_000_000
    /// The budget of its resident memory, including pages of the store's file (C-NFR9).
    static let residentMemoryBudget = 100_000_000
    /// The budget of a snapshot for every thousand tasks (S-32).
    static let snapshotBudgetPerThousand = 10_000_000
    /// The budget of a store on disk for every thousand tasks (C-NFR11).
    static let diskBudgetPerThousand = 10_000_000
}

/// The memory of a process that shows Today and statistics and creates a thousand tasks. Run it in a process of its
/// own.
public struct MemoryRun: Sendable, Equatable, Codable {
    /// The maximum of the process's private memory in bytes. It excludes pages of files, the store's included, which
    /// the system can reclaim.
    public private(set) var privateBytes = 0
    /// The maximum of the pages of files in bytes, the store's included, that no other process has mapped and that the system
    /// can reclaim.
    package private(set) var cleanBytes = 0
    /// The maximum resident size in bytes, including the store's file.
    public private(set) var residentBytes = 0

    /// Runs in a store that `BenchStore.make` created. Returns nil if the system does not provide the figures.
    public static func run(in path: String) async throws -> MemoryRun? {
        var memory = MemoryRun()
        let store = try BenchStore(at: path)
        defer { store.close() }
        for round in 0..<1000 {
            if round % 100 == 0 {
                _ = try store.daybook.tasks.today()
                _ = try store.daybookAtHistoryEnd.tasks.statistics()
                guard memory.look() else { return nil }
            }
            try await store.daybook.tasks.create("Task \(round), written down in a hurry", on: BenchStore.plannedDay)
        }
        return memory.look() ? memory : nil
    }

    private mutating func look() -> Bool {
        let map = KernelText(of: "/proc/self/smaps_rollup")
        cleanBytes = max(cleanBytes, map.bytes("Private_Clean"))
        privateBytes = max(privateBytes, map.bytes("Private_Dirty"))
        residentBytes = max(residentBytes, KernelText(of: "/proc/self/status").bytes("VmHWM"))
        return privateBytes > 0
    }
}
