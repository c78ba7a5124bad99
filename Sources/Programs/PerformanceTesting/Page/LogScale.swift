import Glibc

/// A logarithmic axis between two values.
struct LogScale {
    let low: Double
    let high: Double

    /// Creates an axis of whole powers of ten around all values.
    init(decadesAround values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let first = floor(log10(positive.min() ?? 1) + 1e-9)
        let last = ceil(log10(positive.max() ?? 10) - 1e-9)
        low = pow(10, first)
        high = pow(10, max(last, first + 1))
    }

    /// Creates an axis around all values that spans at least the given factor, so that noise is not exaggerated.
    init(around values: [Double], factorMin: Double) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let (smallest, largest) = (positive.min() ?? 1, positive.max() ?? 1)
        let missing = max(factorMin / (largest / smallest), 1)
        low = smallest / 1.15 / missing.squareRoot()
        high = largest * 1.15 * missing.squareRoot()
    }

    /// Returns a position from 0 at the low end to 1 at the high end, clamped.
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

    /// The one-, two- and fivefold of the powers of ten on the axis.
    var steps: [Double] {
        let first = Int(floor(log10(low)))
        let last = Int(ceil(log10(high)))
        return (first...last).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { $0 >= low && $0 <= high }
    }
}
