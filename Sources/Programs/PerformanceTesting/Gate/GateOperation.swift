import Daybook
import Measuring

/// An operation of a program that a gate times, counts and compares.
///
/// An operation is a closure that gets the gate's subject, such as an open store, and the number of the run, from 0. Equal numbers
/// must do equal work, so take whatever differs between two runs from the number, and not from a clock or random numbers.
public struct GateOperation<Subject: Sendable>: Sendable {
    /// What a run does with the subject.
    public typealias Work = @Sendable (_ subject: Subject, _ turn: Int) async throws -> Void

    enum Body: Sendable {
        case work(Work)
        /// A read transaction, which reports what it looks up.
        case reading(@Sendable (Subject, Int) throws -> OperationCounters)
    }

    /// The name for people, and for `--only`, files and workers: there with hyphens in place of blanks.
    let title: String
    let budget: Int64
    let requirement: String?
    let growth: Double?
    let rounds: Int
    let prepare: Work?
    let body: Body

    var name: String { title.split(whereSeparator: \.isWhitespace).joined(separator: "-") }

    init(
        _ title: String, _ budget: Duration, _ requirement: String?, _ growth: Double?, _ rounds: Int,
        _ prepare: Work?, _ body: Body
    ) {
        self.title = title
        self.budget = budget.nanoseconds
        self.requirement = requirement
        self.growth = growth
        self.rounds = max(rounds, 1)
        self.prepare = prepare
        self.body = body
    }

    /// Declares an operation.
    ///
    /// - Parameters:
    ///   - name: a short name that stays: baselines have it.
    ///   - budget: the time that no run may exceed.
    ///   - requirement: the id of the requirement that sets the budget.
    ///   - growth: the factor by which the median may grow from the gate's smallest store to its largest; nil if the time may grow
    ///     with the store.
    ///   - rounds: the number of measured runs.
    ///   - prepare: work before each run that is neither timed nor counted.
    ///   - work: the operation.
    public init(
        _ name: String, budget: Duration, requirement: String? = nil, growth: Double? = nil, rounds: Int = 100,
        preparing prepare: Work? = nil, work: @escaping Work
    ) {
        self.init(name, budget, requirement, growth, rounds, prepare, .work(work))
    }

    /// Runs the operation once and returns its time in nanoseconds.
    func time(with subject: Subject, turn: Int) async throws -> Int64 {
        try await prepare?(subject, turn)
        switch body {
        case .work(let work): return try await Stopwatch.nanosecondsAwaiting { try await work(subject, turn) }
        case .reading(let read): return try Stopwatch.nanoseconds { _ = try read(subject, turn) }
        }
    }

    /// Runs the operation once inside a closure that counts what it does.
    func run(
        with subject: Subject, turn: Int, inside counting: (() async throws -> Void) async throws -> Void
    ) async throws -> OperationCounters? {
        try await prepare?(subject, turn)
        switch body {
        case .work(let work):
            try await counting { try await work(subject, turn) }
            return nil
        case .reading(let read):
            var counters = OperationCounters()
            try await counting { counters = try read(subject, turn) }
            return counters
        }
    }

    /// Whether the operation only reads, so that its allocations can be counted.
    var isReading: Bool { if case .reading = body { true } else { false } }
}

extension GateOperation where Subject == DaybookStore {
    /// Declares a query: a read transaction, whose look-ups and steps of cursors are counted as well.
    ///
    /// The parameters are those of ``init(_:budget:requirement:growth:rounds:preparing:work:)``.
    public init(
        _ name: String, budget: Duration, requirement: String? = nil, growth: Double? = nil, rounds: Int = 100,
        preparing prepare: Work? = nil, reading: @escaping @Sendable (ReadTransaction, _ turn: Int) throws -> Void
    ) {
        self.init(
            name, budget, requirement, growth, rounds, prepare,
            .reading { store, turn in
                try store.read { transaction in
                    try reading(transaction, turn)
                    return transaction.counters
                }
            })
    }
}

/// The list of a gate's operations.
@resultBuilder
public enum GateOperations<Subject: Sendable> {
    /// One operation.
    public static func buildExpression(_ operation: GateOperation<Subject>) -> [GateOperation<Subject>] { [operation] }
    /// Several operations, such as those of a loop outside.
    public static func buildExpression(_ operations: [GateOperation<Subject>]) -> [GateOperation<Subject>] {
        operations
    }
    /// All operations in their order.
    public static func buildBlock(_ operations: [GateOperation<Subject>]...) -> [GateOperation<Subject>] {
        operations.flatMap { $0 }
    }
}
