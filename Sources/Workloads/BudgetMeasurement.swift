import Daybook
import FoundationEssentials

/// Times what people do with their tasks, in a store of its own, against the budgets of the requirements (section 8).
public struct BudgetMeasurement {
    /// What the store is filled with.
    public enum Content: Sendable {
        /// A generated history.
        case history(taskCount: Int, seed: UInt64)
        /// The tasks of a file.
        case file(TaskImport)
    }

    /// Tasks of the list that is fetched and reordered.
    static let listLength = 500
    /// Tasks that Today gets, besides what the content has for it.
    static let todayLength = 50

    let folder: String
    let context: Context
    private var store: String { folder + "/store" }

    /// Measures in a store below a folder that exists.
    public init(in folder: String, context: Context) {
        self.folder = folder
        self.context = context
    }

    /// Fills the store and measures. Some seconds for a thousand tasks.
    public func run(_ content: Content) async throws -> BudgetReport {
        var report = BudgetReport()
        report.taskCount = try await fill(content)
        report.allocatedBytes = try DiskProbe.allocatedBytes(of: store)
        let opening = try timeOpening()
        let daybook = try Daybook.open(at: store, context: context)
        defer { daybook.close() }
        report.flush = try DiskProbe.timeFlushes(in: folder, count: 100)
        let (today, list) = try await prepare(daybook)
        report.lookUp = try timeLookUps(daybook, list)
        report.rows.append(opening)
        try await measureWrites(daybook, today, list, into: &report)
        try measureReads(daybook, into: &report)
        return report
    }

    private func fill(_ content: Content) async throws -> Int {
        let daybook = try Daybook.open(at: store, context: context)
        defer { daybook.close() }
        switch content {
        case .history(let taskCount, let seed): return try await daybook.generate(taskCount: taskCount, seed: seed)
        case .file(let file): return try await daybook.import(file).imported
        }
    }

    /// Gives Today some tasks and another day a list of 500.
    private func prepare(_ daybook: Daybook) async throws -> (today: [UUID], list: [UUID]) {
        let list = (0..<Self.listLength).map { NewTask("Task \($0) of a long list", on: dayOfList) }
        let today = (0..<Self.todayLength).map { NewTask("Task \($0) of today", on: context.today) }
        return (
            try await daybook.tasks.create(today).map(\.id), try await daybook.tasks.create(list).map(\.id)
        )
    }

    /// The day that has nothing but the list of 500.
    var dayOfList: Day { context.today.adding(months: 24) }

    private func timeOpening() throws -> BudgetRow {
        let timings = try timed(20) { _ in
            let daybook = try Daybook.open(at: store, context: context)
            _ = try daybook.tasks.today()
            daybook.close()
        }
        return BudgetRow(
            name: "cold open + Today", budget: .milliseconds(400), timings: timings, limit: .none,
            counters: OperationCounters())
    }

    private func timeLookUps(_ daybook: Daybook, _ ids: [UUID]) throws -> Timings {
        try timed(500) { round in _ = try daybook.tasks.get(ids[round % ids.count]) }
    }

    /// Runs an operation again and again, the first runs unmeasured.
    func timed(_ count: Int, _ operation: (Int) throws -> Void) rethrows -> Timings {
        let clock = ContinuousClock()
        var nanoseconds: [Int64] = []
        for round in 0..<(count + Self.warmUp) {
            let elapsed = try clock.measure { try operation(round) }
            if round >= Self.warmUp { nanoseconds.append(elapsed.nanoseconds) }
        }
        return Timings(nanoseconds)
    }

    static let warmUp = 3
}

extension Int64 {
    static func milliseconds(_ number: Int64) -> Int64 { number * 1_000_000 }
}
