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
    private let progress: (String) -> Void

    /// Measures in stores below a folder that exists.
    public init(in folder: String, _ plan: Plan, progress: @escaping (String) -> Void = { _ in }) {
        self.folder = folder
        self.plan = plan
        self.progress = progress
    }

    /// Measures the budgets and the scale into a report, which gets the number of tasks from it.
    public func run(machine: Machine, date: String, program: String) async throws -> BenchReport {
        progress("filling a store")
        let path = folder + "/budgets"
        let taskCount = try await BenchStore.make(at: path, plan.content)
        var report = BenchReport(machine: machine, date: date, program: program, taskCount: taskCount)
        report.sizes.append(
            SizeRow(
                name: "disk", title: "disk, allocated", bytes: try DiskProbe.allocatedBytes(of: path),
                budget: Self.diskBudgetPerThousand * max(taskCount / 1000, 1)))
        let store = try BenchStore(at: path)
        defer { store.close() }
        let budgets = try BudgetRun(in: store, taskCount: taskCount, mostRounds: plan.mostRounds)
        for operation in plan.operations {
            progress(operation.title)
            report.budgets.append(try await budgets.measure(operation))
        }
        report.scale = try await scale()
        return report
    }

    private func scale() async throws -> [ScaleRow] {
        var scale = ScaleRun()
        let steady = plan.operations.filter(\.isSteady)
        for size in ScaleRun.sizes where size <= plan.largest && !steady.isEmpty {
            let path = folder + "/scale-\(size)"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try await BenchStore.make(at: path, .history(taskCount: size, seed: 1)) { written in
                progress("scale: \(written) of \(size) tasks")
            }
            let store = try BenchStore(at: path)
            defer { store.close() }
            try await scale.measure(steady, in: store, taskCount: size, mostRounds: plan.mostRounds)
        }
        return scale.rows
    }

    /// What a store may take on the disk for every thousand tasks (C-NFR11).
    static let diskBudgetPerThousand = 10_000_000
}
