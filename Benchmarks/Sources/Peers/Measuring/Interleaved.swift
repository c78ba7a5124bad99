/// Runs several contestants interleaved, in an order that rotates each round, so that disturbances of the machine
/// affect all of them.
enum Interleaved {
    /// Runs the given number of rounds, after some that are not counted. Returns the times of one operation in
    /// nanoseconds, by contestant and round.
    static func run(_ contestants: [Contestant], rounds: Int, warmUp: Int) async throws -> [Times] {
        var times = contestants.map { Times(name: $0.name, nanoseconds: [:]) }
        let clock = ContinuousClock()
        for round in 0..<(warmUp + rounds) {
            for place in contestants.indices {
                let index = (place + round) % contestants.count
                let contestant = contestants[index]
                guard round - warmUp < contestant.rounds else { continue }
                try await contestant.before(round)
                let start = clock.now
                try await contestant.run(round)
                let elapsed = clock.now - start
                try await contestant.after()
                if round >= warmUp {
                    times[index].nanoseconds[round] = elapsed.nanoseconds / Double(contestant.operations)
                }
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
