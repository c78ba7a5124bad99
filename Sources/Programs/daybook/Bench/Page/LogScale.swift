import Glibc

/// A logarithmic axis: where a value stands between its two ends.
struct LogScale {
    let low: Double
    let high: Double

    /// An axis of whole powers of ten around all values.
    init(decadesAround values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let first = floor(log10(positive.min() ?? 1) + 1e-9)
        let last = ceil(log10(positive.max() ?? 10) - 1e-9)
        low = pow(10, first)
        high = pow(10, max(last, first + 1))
    }

    /// An axis around all values with some room, that spans a factor at least, so that noise is not drawn as a mountain.
    init(around values: [Double], factorMin: Double) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let (smallest, largest) = (positive.min() ?? 1, positive.max() ?? 1)
        let missing = max(factorMin / (largest / smallest), 1)
        low = smallest / 1.15 / missing.squareRoot()
        high = largest * 1.15 * missing.squareRoot()
    }

    /// From 0 at the low end to 1 at the high end; what lies outside stands at the end.
    func place(_ value: Double) -> Double {
        guard value > 0 else { return 0 }
        guard value.isFinite else { return 1 }
        return min(max(log10(value / low) / log10(high / low), 0), 1)
    }

    /// The powers of ten on the axis.
    var decades: [Double] {
        let (first, last) = (ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9))
        guard first <= last else { return [] }
        return (Int(first)...Int(last)).map { pow(10, Double($0)) }
    }

    /// One, two and five times the powers of ten on the axis.
    var steps: [Double] {
        let first = Int(floor(log10(low)))
        let last = Int(ceil(log10(high)))
        return (first...last).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { $0 >= low && $0 <= high }
    }
}
