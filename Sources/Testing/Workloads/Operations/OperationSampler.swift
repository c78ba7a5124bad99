import Measuring

/// Runs operations in one store on request and returns their times.
///
/// Two samplers with equal stores and equal requests do the same work in the same order and write the same bytes.
public final class OperationSampler {
    private let store: BenchStore
    /// The number of runs of each operation.
    private var rounds: [String: Int] = [:]

    /// Opens a store that ``BenchStore`` created.
    public init(at path: String) throws {
        store = try BenchStore(at: path)
    }

    /// Closes the store.
    public func close() {
        store.close()
    }

    /// Runs an operation and returns the nanoseconds of each run. A slowdown, in percent of the time, busy-waits after
    /// each run: the gate must detect it.
    public func sample(_ operation: Operation, runs: Int, slowedBy percent: Int = 0) async throws -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<runs {
            let round = rounds[operation.name, default: 0]
            rounds[operation.name] = round + 1
            let time = try await operation.time(in: store, round: round)
            times.append(time + Stopwatch.slowdown(of: time, percent: percent))
        }
        return times
    }
}
