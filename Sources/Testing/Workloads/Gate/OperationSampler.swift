/// Runs operations in one store when somebody asks for it, and tells what each run took.
///
/// Two samplers with equal stores that are asked for the same do the same work in the same order, and write the same bytes.
public final class OperationSampler {
    private let store: BenchStore
    /// Rounds that were run of each operation.
    private var rounds: [String: Int] = [:]

    /// Opens a store that ``BenchStore`` has made.
    public init(at path: String) throws {
        store = try BenchStore(at: path)
    }

    /// Lets go of the store.
    public func close() {
        store.close()
    }

    /// Runs an operation, and tells the nanoseconds of each run. A slowdown keeps the processor busy after each run for
    /// so many percent of its time: what the gate has to find.
    public func sample(_ operation: Operation, runs: Int, slowedBy percent: Int = 0) async throws -> [Int64] {
        var times: [Int64] = []
        for _ in 0..<runs {
            let round = rounds[operation.name, default: 0]
            rounds[operation.name] = round + 1
            let time = try await operation.time(in: store, round: round)
            times.append(percent > 0 ? time + Self.spin(for: time * Int64(percent) / 100) : time)
        }
        return times
    }

    /// Keeps the processor busy, and tells for how long: some nanoseconds longer than was asked for.
    private static func spin(for nanoseconds: Int64) -> Int64 {
        let clock = ContinuousClock()
        let start = clock.now
        while true {
            let elapsed = start.duration(to: clock.now).nanoseconds
            if elapsed >= nanoseconds { return elapsed }
        }
    }
}
