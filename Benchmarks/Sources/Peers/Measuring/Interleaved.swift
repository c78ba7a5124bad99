import Measuring
import Workloads

/// Runs several contestants interleaved, in a new random order each round, so that disturbances of the machine affect
/// all of them and none always runs behind the same other one.
enum Interleaved {
    /// The seed of the orders in this run.
    @TaskLocal static var seed: UInt64 = 1

    /// Runs the given number of rounds, after some that are not counted. Returns the times of one operation in
    /// nanoseconds, by contestant and round.
    ///
    /// - Parameter rest: what waits before each run, where flushes are compared.
    static func run(
        _ contestants: [Contestant], rounds: Int, warmUp: Int, rest: DiskRest? = nil
    ) async throws -> [Times] {
        var times = contestants.map { Times(name: $0.name, nanoseconds: [:]) }
        var order = RoundOrder(of: contestants.count, seed: seed)
        var predecessor: String?
        let clock = ContinuousClock()
        for round in 0..<(warmUp + rounds) {
            for index in order.next() {
                let contestant = contestants[index]
                guard round - warmUp < contestant.rounds else { continue }
                try await contestant.before(round)
                try rest?.wait()
                let start = clock.now
                try await contestant.run(round)
                let elapsed = clock.now - start
                try await contestant.after()
                if round >= warmUp {
                    times[index].nanoseconds[round] = elapsed.nanoseconds / Double(contestant.operations)
                    times[index].predecessors[round] = predecessor
                }
                predecessor = contestant.name
            }
        }
        return times
    }
}

extension Duration {
    var nanoseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    }
}

/// One of several implementations of the same work.
struct Contestant {
    let name: String
    /// The number of counted rounds in which a slow one takes part.
    var rounds = Int.max
    /// The number of operations in one run; times are of one operation.
    var operations = 1
    /// Prepares a round. Not measured.
    var before: (Int) async throws -> Void = { _ in }
    /// The measured work.
    let run: (Int) async throws -> Void
    /// Cleans up after a run. Not measured.
    var after: () async throws -> Void = {}
}
