import Daybook
import FoundationEssentials

/// One run of `daybook bench`: the budgets in one store, and how the questions grow over several.
public struct BenchRun {
    /// What is measured.
    public struct Plan: Sendable {
        /// What the measured store is filled with.
        public var content: BenchStore.Content
        /// The operations, in order.
        public var operations: [Operation]
        /// The largest store of the scale table; 0 for none.
        public var largest: Int
        /// Runs of an operation at most, for a quick look.
        public var mostRounds = Int.max

        /// Everything, in stores of generated histories.
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

    /// Measures in stores below a folder that exists.
    ///
    /// - Parameters:
    ///   - progress: told what is measured next; may throw to end it.
    ///   - memory: runs `MemoryRun` in a process of its own, in the store of a path.
    public init(
        in folder: String, _ plan: Plan, progress: @escaping (String) throws -> Void = { _ in },
        memory: @escaping (String) throws -> MemoryRun? = { _ in nil }
    ) {
        self.folder = folder
        self.plan = plan
        self.progress = progress
        self.memory = memory
    }

    /// The store in which the budgets are measured.
    public var path: String { folder + "/budgets" }

    /// Measures the budgets and the scale into a report, which gets the number of tasks from it.
    public func run(machine: Machine, date: String, program: String) async throws -> BenchReport {
        try progress("filling a store")
        let taskCount = try await BenchStore.make(at: path, plan.content)
        var report = BenchReport(machine: machine, date: date, program: program, taskCount: taskCount)
        report.sizes.append(
            SizeRow(
                name: "disk", title: "disk, allocated", bytes: try DiskProbe.allocatedBytes(of: path),
                budget: Self.diskBudgetPerThousand * max(taskCount / 1000, 1)))
        let store = try BenchStore(at: path)
        defer { store.close() }
        report.sizes.append(
            SizeRow(
                name: "snapshot", title: "snapshot", bytes: try store.snapshot(),
                budget: Self.snapshotBudgetPerThousand * max(taskCount / 1000, 1)))
        let budgets = try BudgetRun(in: store, taskCount: taskCount, mostRounds: plan.mostRounds)
        for operation in plan.operations {
            try progress(operation.title)
            report.budgets.append(try await budgets.measure(operation))
        }
        store.close()
        if let memory = try memory(path) {
            report.sizes.append(
                SizeRow(
                    name: "memory-resident", title: "memory with the store's pages, \(taskCount) tasks",
                    bytes: memory.residentBytes, budget: Self.residentMemoryBudget))
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
                    SizeRow(
                        name: "memory-private", title: "memory that a process wrote itself, \(size) tasks",
                        bytes: memory.privateBytes, budget: Self.privateMemoryBudget))
            }
            try FileManager.default.removeItem(atPath: path)
        }
        report.scale = scale.rows
    }

    /// What a process may take of its own that shows Today and statistics and creates a thousand tasks.
    static let privateMemoryBudget = 40_000_000
    /// What it may take with the pages of the store's file that it looked at (C-NFR9).
    static let residentMemoryBudget = 100_000_000
    /// What a snapshot may take for every thousand tasks (S-32).
    static let snapshotBudgetPerThousand = 10_000_000
    /// What a store may take on the disk for every thousand tasks (C-NFR11).
    static let diskBudgetPerThousand = 10_000_000
}
