import Workloads

extension PairedRatio {
    var text: String { "\(median.short)x (\(low.short) to \(high.short))" }
}

extension [Double] {
    /// The median; of an even number of elements, the mean of the middle two.
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
