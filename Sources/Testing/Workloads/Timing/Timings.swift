/// How long the runs of one operation took, in nanoseconds.
public struct Timings: Sendable, Equatable, Codable {
    private var sorted: [Int64]

    /// The times of the runs.
    public init(_ nanoseconds: [Int64]) {
        sorted = nanoseconds.sorted()
    }

    /// How many runs there were.
    public var runs: Int { sorted.count }

    /// Half of the runs took no longer.
    public var median: Int64 { quantile(500) }

    /// 99 of 100 runs took no longer.
    public var percentile99: Int64 { quantile(990) }

    /// The longest run.
    public var longest: Int64 { sorted.last ?? 0 }

    private func quantile(_ thousandths: Int) -> Int64 {
        sorted.isEmpty ? 0 : sorted[min(sorted.count * thousandths / 1000, sorted.count - 1)]
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

extension Int64 {
    static func milliseconds(_ number: Int64) -> Int64 { number * 1_000_000 }
}
