/// The times of one operation's runs in nanoseconds.
public struct Timings: Sendable, Equatable, Codable {
    private var sorted: [Int64]

    /// Creates timings of runs.
    public init(_ nanoseconds: [Int64]) {
        sorted = nanoseconds.sorted()
    }

    /// Times a closure so many times, at least once.
    package init(rounds: Int, _ body: () throws -> Void) rethrows {
        self.init(try (0..<max(rounds, 1)).map { _ in try Stopwatch.nanoseconds(body) })
    }

    /// The number of runs.
    public var runs: Int { sorted.count }

    /// The 50th percentile.
    public var median: Int64 { quantile(500) }

    /// The 99th percentile.
    public var percentile99: Int64 { quantile(990) }

    /// The percentile 99.9.
    public var percentile999: Int64 { quantile(999) }

    /// The mean.
    public var mean: Int64 { sorted.isEmpty ? 0 : sorted.reduce(0, +) / Int64(sorted.count) }

    /// The longest run.
    public var longest: Int64 { sorted.last ?? 0 }

    /// Returns the ratio of a time, by default the 99th percentile, to the same of other timings.
    package func ratio(to other: Timings, of time: (Timings) -> Int64 = \.percentile99) -> Double {
        Double(time(self)) / Double(max(time(other), 1))
    }

    private func quantile(_ thousandths: Int) -> Int64 {
        sorted.isEmpty ? 0 : sorted[min(sorted.count * thousandths / 1000, sorted.count - 1)]
    }
}

extension Duration {
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Int64 {
    package static func milliseconds(_ number: Int64) -> Int64 { number * 1_000_000 }
}

/// The times of two operations that run interleaved, so that disturbances of the machine affect both, in nanoseconds.
package struct PairedTimes: Sendable {
    private var ours: [Int64] = []
    private var theirs: [Int64] = []

    /// Creates a comparison without measurements.
    package init() {}

    /// Runs both and records the times that they return, after a tenth of the rounds unmeasured. The order alternates.
    package init(
        rounds: Int, ours: (_ round: Int) async throws -> Int64, theirs: (_ round: Int) async throws -> Int64
    ) async throws {
        for round in -rounds / 10..<rounds {
            let early = round % 2 == 0 ? try await ours(round + rounds / 10) : nil
            let other = try await theirs(round + rounds / 10)
            let own = if let early { early } else { try await ours(round + rounds / 10) }
            if round >= 0 { add(ours: own, theirs: other) }
        }
    }

    /// Adds one round.
    package mutating func add(ours own: Int64, theirs other: Int64) {
        ours.append(own)
        theirs.append(other)
    }

    /// The median times.
    package var medians: (ours: Int64, theirs: Int64) { (Timings(ours).median, Timings(theirs).median) }

    /// The median of the rounds' ratios, which is robust against slow periods of the machine.
    package var ratio: PairedRatio { PairedRatio(of: ours, to: theirs) }
}
