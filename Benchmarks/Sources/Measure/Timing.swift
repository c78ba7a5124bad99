/// Times of repeated runs in nanoseconds, or other numbers.
struct Samples {
    private(set) var nanoseconds: [Double] = []

    mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        nanoseconds.append(Double(seconds) * 1e9 + Double(attoseconds) / 1e9)
    }

    mutating func add(_ number: Double) {
        nanoseconds.append(number)
    }

    var median: Double { quantile(0.5) }
    var minimum: Double { nanoseconds.min() ?? .nan }

    func quantile(_ part: Double) -> Double {
        let sorted = nanoseconds.sorted()
        guard !sorted.isEmpty else { return .nan }
        return sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    }
}

/// Interleaved timings of two operations, so that disturbances of the machine affect both.
struct Paired {
    private(set) var ours = Samples()
    private(set) var theirs = Samples()

    private var ratios = Samples()

    /// The median of the rounds' ratios, which is robust against slow periods of the machine.
    var ratio: Double { ratios.median }

    mutating func add(ours first: Duration, theirs second: Duration) {
        ours.add(first)
        theirs.add(second)
        ratios.add(first / second)
    }

    /// Runs both the given number of times, after a tenth of it unmeasured; the order alternates.
    static func run(_ count: Int, ours: () throws -> Void, theirs: () throws -> Void) throws -> Paired {
        let clock = ContinuousClock()
        var paired = Paired()
        for round in 0..<(count + count / 10) {
            var first = Duration.zero
            var second = Duration.zero
            if round % 2 == 0 {
                first = try clock.measure(ours)
                second = try clock.measure(theirs)
            } else {
                second = try clock.measure(theirs)
                first = try clock.measure(ours)
            }
            if round >= count / 10 { paired.add(ours: first, theirs: second) }
        }
        return paired
    }
}

/// Returns a time with three digits and a unit.
func shown(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: "\(rounded(nanoseconds)) ns"
    case ..<1e6: "\(rounded(nanoseconds / 1e3)) µs"
    case ..<1e9: "\(rounded(nanoseconds / 1e6)) ms"
    default: "\(rounded(nanoseconds / 1e9)) s"
    }
}

/// Returns a number with three significant digits.
func rounded(_ number: Double) -> String {
    guard number.isFinite else { return "-" }
    let decimals = abs(number) < 10 ? 100.0 : abs(number) < 100 ? 10 : 1
    let value = (number * decimals).rounded() / decimals
    return value == value.rounded() ? String(Int(value)) : String(value)
}
