import Daybook
import Measuring

/// A user operation that is timed, counted and compared.
public struct Operation: Sendable {
    /// A short name for the command line and for files: lowercase words with hyphens. Its meaning never changes.
    public let name: String
    /// A title for people.
    public let title: String
    /// The maximum time in nanoseconds (requirements, section 8).
    public let budget: Int64
    /// The ids of the requirements that set the budget; none for one that is the project's own.
    public var requirements: [String] = []
    /// A lower bound of the operation's time.
    public let floor: Floor
    /// The number of runs in a measurement.
    public let rounds: Int
    /// Whether the result has the same number of rows in a store of any size, so that the time must not grow.
    public let isSteady: Bool
    let body: Body

    /// What the operation does.
    enum Body: Sendable {
        /// A query that returns the number of rows found.
        case question(at: Moment, @Sendable (ReadTransaction) throws -> Int)
        /// A page of twenty tasks of Past; the last one in a store that has fewer pages.
        case page(Int)
        /// A durable change. `before` and `after` are not timed.
        case change(
            before: Step? = nil, @Sendable (BenchStore, _ round: Int) async throws -> Void, after: Step? = nil)
        /// The order that moving a task of the list of five hundred would lead to.
        case preview
        /// Opens a store that was closed before.
        case start(@Sendable (BenchStore) throws -> Void)
        /// Processes a complete store: this one, with a budget for each thousand of its tasks, or another one beside it.
        /// `before` is not timed.
        case whole(
            isOther: Bool = false, before: @Sendable (BenchStore) async throws -> Void = { _ in },
            _ work: @Sendable (BenchStore) throws -> Void)
    }

    typealias Step = @Sendable (BenchStore, _ round: Int) async throws -> Void

    /// The time of a query.
    enum Moment: Sendable {
        /// On the day that fifty tasks are scheduled for, long after the history.
        case plannedDay
        /// At the end of the history.
        case historyEnd
    }

    /// A lower bound that is measured in the same run.
    public enum Floor: Sendable, Equatable {
        /// A 4 KiB write and its flush on the same disk.
        case flush
        /// Plain LMDB in C reading the same bytes.
        case scan(RawScan)
        /// None that could be measured.
        case none
    }

    /// Runs the operation once and returns its time in nanoseconds.
    package func time(in store: BenchStore, round: Int) async throws -> Int64 {
        let clock = ContinuousClock()
        switch body {
        case .question, .page, .preview:
            let (daybook, question) = try question(to: store)
            return try clock.measure { _ = try daybook.read { try question($0) } }.nanoseconds
        case .change(let before, let change, let after):
            try await before?(store, round)
            let elapsed = try await clock.measure { try await change(store, round) }
            try await after?(store, round)
            return elapsed.nanoseconds
        case .start(let start):
            return try store.whileClosed { try clock.measure { try start(store) }.nanoseconds }
        case .whole(_, let before, let work):
            try await before(store)
            return try clock.measure { try work(store) }.nanoseconds
        }
    }

    /// Whether the operation can be counted: operations on complete stores are only timed.
    public var isCounted: Bool {
        switch body {
        case .question, .page, .preview, .change: true
        case .start, .whole: false
        }
    }

    /// Whether the operation writes.
    public var isChange: Bool {
        if case .change = body { true } else { false }
    }

    /// Runs the operation once inside a closure that counts what it does, and returns what it wrote to and looked up in
    /// LMDB. Preparation and cleanup are outside.
    public func run(
        in store: BenchStore, round: Int, inside counting: (() async throws -> Void) async throws -> Void
    ) async throws -> OperationCounters {
        var counters = OperationCounters()
        switch body {
        case .question, .page, .preview:
            let (daybook, question) = try question(to: store)
            try await counting {
                counters = try daybook.read { transaction in
                    _ = try question(transaction)
                    return transaction.counters
                }
            }
        case .change(let before, let change, let after):
            try await before?(store, round)
            try await counting { try await change(store, round) }
            counters = store.daybook.lastWriteCounters
            try await after?(store, round)
        case .start, .whole: break
        }
        return counters
    }

    /// Returns the number of rows in a query's result; 0 for other operations.
    package func rows(in store: BenchStore) throws -> Int {
        let (daybook, question) = try question(to: store)
        return try daybook.read(question)
    }

    /// A query and the store that it is asked in; one without rows for other operations.
    private func question(
        to store: BenchStore
    ) throws -> (daybook: DaybookStore, question: (ReadTransaction) throws -> Int) {
        switch body {
        case .question(let moment, let question): return (store.daybook(at: moment), question)
        case .page(let number):
            let token = try store.token(beforePage: number)
            return (store.daybook, { try $0.tasks.page(of: .past, after: token).records.count })
        case .preview:
            guard let id = store.list.first else { return (store.daybook, { _ in 0 }) }
            let middle = store.list[store.list.count / 2]
            return (store.daybook, { try $0.tasks.preview(reordering: id, to: .after(middle)).count })
        case .change, .start, .whole: return (store.daybook, { _ in 0 })
        }
    }
}

extension Operation {
    /// All operations with a budget. Queries precede changes, which make the views longer.
    public static let all = questions + wholes + others + changes

    /// Returns the operation with a name, or nil.
    public static func named(_ name: String) -> Operation? { all.first { $0.name == name } }

    /// Returns the operation with a name, with a budget or without, or nil.
    package static func measurable(_ name: String) -> Operation? {
        named(name) ?? unbudgeted.first { $0.name == name }
    }

    /// Returns the budget in a store with the given number of tasks, on which operations on complete stores depend.
    public func budget(forTasks taskCount: Int) -> Int64 {
        if case .whole(false, _, _) = body { budget * Int64(max(taskCount / 1000, 1)) } else { budget }
    }
}
