import Daybook
import Measuring

/// Times operations against their budgets, interleaved with their floors.
public struct BudgetRun {
    private let store: BenchStore
    private let taskCount: Int
    private let mostRounds: Int
    private let delay: Int64
    private let disk: DiskProbe
    private let raw: RawStore

    /// Measures in a store whose history has the given number of tasks. A delay of so many nanoseconds in each run is a
    /// planted slowdown, which the gate must detect.
    public init(in store: BenchStore, taskCount: Int, mostRounds: Int = .max, delay: Int64 = 0) throws {
        self.store = store
        self.taskCount = taskCount
        self.mostRounds = mostRounds
        self.delay = delay
        disk = try DiskProbe(besides: store.path)
        raw = try RawStore(at: store.path)
    }

    /// Runs an operation as often as it asks for, and again if it exceeds its budget.
    public func measure(_ operation: Operation) async throws -> BudgetRow {
        try await BudgetRow.measured(
            operation.name, title: operation.title, budget: operation.budget(forTasks: taskCount),
            requirements: operation.requirements, rounds: min(operation.rounds, mostRounds),
            floor: floor(operation.floor), delay: delay, time: { try await operation.time(in: store, round: $0) })
    }

    private func floor(_ floor: Operation.Floor) -> BudgetRow.Floor? {
        switch floor {
        case .flush: ("4 KiB write and flush", disk.timeFlush)
        case .scan(let scan):
            (
                scan.limit == 1 ? "one look-up in C" : "same bytes in C",
                { try Stopwatch.nanoseconds { _ = try raw.read(scan) } }
            )
        case .none: nil
        }
    }
}
