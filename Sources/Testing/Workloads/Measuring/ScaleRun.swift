import Daybook
import Measuring

/// Times queries in stores of several sizes.
public struct ScaleRun {
    /// The sizes of the specification.
    public static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// The factor by which a query with a constant number of rows may grow from the smallest store to the largest.
    static let limit = 2.0

    private var growth = GrowthMeasurement()

    /// Creates a run without measurements.
    public init() {}

    /// Measures in a store whose history has the given number of tasks, interleaved with the smallest store if this is
    /// a larger one, so that disturbances of the machine do not look like growth. Call it for ascending sizes.
    public mutating func measure(
        _ operations: [Operation], in store: BenchStore, taskCount: Int, beside smallest: BenchStore? = nil,
        mostRounds: Int = .max
    ) async throws {
        for operation in operations where operation.isSteady {
            try await growth.measure(
                operation.name, size: taskCount, rows: try operation.rows(in: store),
                rounds: min(operation.rounds / 2, mostRounds), time: { try await operation.time(in: store, round: $0) },
                least: smallest.map { smallest in { try await operation.time(in: smallest, round: $0) } })
        }
    }

    /// The results.
    public var rows: [ScaleRow] {
        Operation.all.compactMap { growth.row($0.name, title: $0.title, limit: Self.limit) }
    }
}
