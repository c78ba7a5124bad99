import Daybook

/// Something that people do with their tasks, to be timed, counted and compared.
public struct Operation: Sendable {
    /// A short name for the command line and for files: lower-case words with hyphens. It never changes its meaning.
    public let name: String
    /// What it is, for people.
    public let title: String
    /// What it may take at most, in nanoseconds (requirements, section 8).
    public let budget: Int64
    /// What nothing on this machine can beat.
    public let floor: Floor
    /// Times that a measurement runs it.
    public let rounds: Int
    /// Whether its answer has as many rows in a store of any size, so that it must not take longer in a larger one.
    public let isSteady: Bool
    let body: Body

    /// What it does.
    enum Body: Sendable {
        /// A question to a store, that answers with how many rows it found.
        case question(at: Moment, @Sendable (ReadTransaction) throws -> Int)
        /// A durable change. What is put before and after it is not timed.
        case change(
            before: Step? = nil, @Sendable (BenchStore, _ round: Int) async throws -> Void, after: Step? = nil)
        /// Something with a store that was closed before.
        case start(@Sendable (BenchStore) throws -> Void)
        /// Something with a whole store. What is put before it is not timed.
        case whole(
            before: @Sendable (BenchStore) throws -> Void = { _ in }, _ work: @Sendable (BenchStore) throws -> Void)
    }

    typealias Step = @Sendable (BenchStore, _ round: Int) async throws -> Void

    /// When a question is asked.
    enum Moment: Sendable {
        /// On the day that fifty tasks are planned for, long after the history.
        case plannedDay
        /// When the history has just ended.
        case historyEnd
    }

    /// What stands beside an operation, measured in the same run.
    public enum Floor: Sendable, Equatable {
        /// One 4 KiB write and a flush of it, on the same disk.
        case flush
        /// Plain LMDB in C reading the same bytes.
        case scan(RawScan)
        /// Nothing that could be measured.
        case none
    }

    /// Runs it once, and tells what it took, in nanoseconds.
    func time(in store: BenchStore, round: Int) async throws -> Int64 {
        let clock = ContinuousClock()
        switch body {
        case .question(let moment, let question):
            let daybook = store.daybook(at: moment)
            return try clock.measure { _ = try daybook.read { try question($0) } }.nanoseconds
        case .change(let before, let change, let after):
            try await before?(store, round)
            let elapsed = try await clock.measure { try await change(store, round) }
            try await after?(store, round)
            return elapsed.nanoseconds
        case .start(let start):
            return try store.whileClosed { try clock.measure { try start(store) }.nanoseconds }
        case .whole(let before, let work):
            try before(store)
            return try clock.measure { try work(store) }.nanoseconds
        }
    }

    /// Whether it can be counted: what opens or reads a whole store is only timed.
    public var isCounted: Bool {
        switch body {
        case .question, .change: true
        case .start, .whole: false
        }
    }

    /// Whether it writes.
    public var isChange: Bool {
        if case .change = body { true } else { false }
    }

    /// Runs it once inside another closure, which counts what it does, and tells what it put and looked up in LMDB. What
    /// prepares it and cleans up after it is outside.
    public func run(
        in store: BenchStore, round: Int, inside counting: (() async throws -> Void) async throws -> Void
    ) async throws -> OperationCounters {
        var counters = OperationCounters()
        switch body {
        case .question(let moment, let question):
            let daybook = store.daybook(at: moment)
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

    /// The rows of a question's answer; 0 for what is no question.
    func rows(in store: BenchStore) throws -> Int {
        guard case .question(let moment, let question) = body else { return 0 }
        return try store.daybook(at: moment).read(question)
    }
}
