import ArgumentParser

/// What one run of a command may use, as `wall=100ms,flushes=2,memory=50MB`.
struct GateBudget: ExpressibleByArgument {
    /// The limits by name: nanoseconds of `wall` and `cpu`, bytes of `memory`, numbers of calls.
    let limits: [String: Int64]

    /// Whether a limit is one of what the recorder sees.
    var counts: Bool { limits.keys.contains { Self.units[$0] != Self.unitsOfTime } }
    /// Whether a limit is one of times.
    var times: Bool { limits.keys.contains { Self.units[$0] == Self.unitsOfTime } }

    init?(argument: String) {
        var limits: [String: Int64] = [:]
        for part in argument.split(separator: ",") {
            let words = part.split(separator: "=", maxSplits: 1)
            guard words.count == 2, let units = Self.units[String(words[0])] else { return nil }
            let digits = words[1].prefix { $0.isASCII && $0.isNumber }
            let unit = String(words[1].dropFirst(digits.count))
            guard let number = Int64(digits), number <= 1_000_000_000, limits[String(words[0])] == nil,
                let factor = units.isEmpty && unit.isEmpty ? 1 : units[unit]
            else { return nil }
            limits[String(words[0])] = number * factor
        }
        guard !limits.isEmpty else { return nil }
        self.limits = limits
    }

    private static let unitsOfTime: [String: Int64] = ["ms": 1_000_000, "s": 1_000_000_000]
    private static let units: [String: [String: Int64]] = [
        "wall": unitsOfTime, "cpu": unitsOfTime, "memory": ["kB": 1000, "MB": 1_000_000], "calls": [:],
        "flushes": [:], "writes": [:], "bytes": [:],
    ]
}
