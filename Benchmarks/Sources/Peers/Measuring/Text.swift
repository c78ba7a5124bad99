import Glibc
import Measuring
import Workloads

extension Double {
    /// The number with three significant digits.
    var short: String { MeasuredRow.Value.ratio(self).text }

    /// A time in nanoseconds as text.
    var time: String { isFinite ? MeasuredRow.Value.time(Int64(rounded())).text : "-" }

    /// A number of bytes as text.
    var bytes: String { isFinite ? MeasuredRow.Value.bytes(Int(rounded())).text : "-" }
}

extension Int {
    /// The number with commas between groups of three digits.
    var grouped: String {
        var digits = Array(String(magnitude))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return (self < 0 ? "-" : "") + String(digits)
    }
}

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

/// Prints a line immediately, to show the progress of a long run.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}
