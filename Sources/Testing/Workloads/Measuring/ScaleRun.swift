import Daybook

/// Times questions in stores of several sizes.
public struct ScaleRun {
    /// The sizes of the specification.
    public static let sizes = [1000, 10_000, 100_000, 1_000_000]
    /// By what factor a question with an answer of steady length may grow from the smallest store to the largest.
    static let limit = 2.0

    private var points: [String: [ScaleRow.Point]] = [:]
    private var growth: [String: PairedRatio] = [:]

    /// Nothing measured yet.
    public init() {}

    /// Measures in a store whose history has so many tasks, in turn with the smallest store where there is a smaller one:
    /// a slow minute of the machine must not look like growth. The sizes are to be given from the smallest to the largest.
    public mutating func measure(
        _ operations: [Operation], in store: BenchStore, taskCount: Int, beside smallest: BenchStore? = nil,
        mostRounds: Int = .max
    ) async throws {
        for operation in operations where operation.isSteady {
            var times: [Int64] = []
            var ratios: [Double] = []
            for round in -3..<min(operation.rounds / 2, mostRounds) {
                let time = try await operation.time(in: store, round: max(round, 0))
                var least: Int64?
                if let smallest { least = try await operation.time(in: smallest, round: max(round, 0)) }
                guard round >= 0 else { continue }
                times.append(time)
                if let least { ratios.append(Double(time) / Double(max(least, 1))) }
            }
            points[operation.name, default: []].append(
                ScaleRow.Point(tasks: taskCount, median: Timings(times).median, rows: try operation.rows(in: store)))
            growth[operation.name] = ratios.isEmpty ? nil : PairedRatio(ratios)
        }
    }

    /// What came out.
    public var rows: [ScaleRow] {
        Operation.all.compactMap { operation in
            points[operation.name].map {
                ScaleRow(
                    operation: operation.name, title: operation.title, points: $0, limit: Self.limit,
                    inTurn: growth[operation.name])
            }
        }
    }
}
