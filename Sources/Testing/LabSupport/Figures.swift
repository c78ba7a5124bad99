import Charts
import Glibc

/// Formats numbers for people: three significant digits with a unit.
package enum Figures {
    /// Returns a time: `812 ns`, `1.23 µs`, `50 ms`.
    package static func time(_ nanoseconds: Int64) -> String {
        scaled(Double(nanoseconds), step: 1000, units: ["ns", "µs", "ms", "s"])
    }

    /// Returns a size: `12.3 MB`.
    package static func bytes(_ count: Int) -> String {
        scaled(Double(count), step: 1000, units: ["B", "kB", "MB", "GB", "TB"])
    }

    /// Returns a factor: `0.98`, `12.3`, `2,300`.
    package static func ratio(_ value: Double) -> String {
        guard value.isFinite else { return value > 0 ? "∞" : "-" }
        let size = abs(value)
        if size < 9.995 { return fixed(value, places: 2) }
        return size < 99.95 ? fixed(value, places: 1) : grouped(Int(value.rounded()))
    }

    /// Returns a ratio with its interval: `1.02 [0.99, 1.06]`.
    package static func interval(_ median: Double, _ low: Double, _ high: Double) -> String {
        "\(ratio(median)) [\(ratio(low)), \(ratio(high))]"
    }

    /// Returns a limit without trailing zeros: `1.05`, `2`.
    package static func limit(_ value: Double) -> String { withoutZeros(ratio(value)) }

    /// Returns a large number with three significant digits, a small one exactly: `437k`, `12,345`.
    package static func compact(_ number: Double) -> String {
        if number < 99_999.5 { return grouped(Int(number.rounded())) }
        return scaled(number, step: 1000, units: ["", "k", "M", "G", "T"]).replacing(" ", with: "")
    }

    /// Returns a factor with two significant digits, rounded down: `12×`, `2,300×`.
    package static func times(_ value: Double) -> String {
        guard value.isFinite else { return "∞×" }
        if value < 10 { return fixed((value * 10).rounded(.down) / 10, places: 1) + "×" }
        let step = pow(10, max(floor(log10(value)) - 1, 0))
        return grouped(Int((value / step).rounded(.down) * step)) + "×"
    }

    /// Returns a number with the given number of decimal places.
    package static func fixed(_ value: Double, places: Int) -> String { Drawing.fixed(value, places: places) }

    /// Returns an integer with commas between groups of three digits.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = number < 0 ? "-" : ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }

    /// Returns the count per run, with two decimal places unless it is an integer.
    package static func perRun(_ sum: Int, runs: Int) -> String {
        guard runs > 0 else { return "-" }
        if sum.isMultiple(of: runs) { return grouped(sum / runs) }
        let value = Double(sum) / Double(runs)
        return value < 1000 ? fixed(value, places: 2) : grouped(Int(value.rounded()))
    }

    /// Returns a count with its noun: `1 run`, `3 runs`.
    package static func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(grouped(count)) \(plural ?? noun + "s")"
    }

    private static func scaled(_ value: Double, step: Double, units: [String]) -> String {
        var value = value
        var unit = 0
        // A value that would round up to the next unit is written in that unit.
        while value >= step - 0.5, unit < units.count - 1 {
            value /= step
            unit += 1
        }
        guard unit > 0 else { return "\(Int(value)) \(units[0])" }
        let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return "\(withoutZeros(fixed(value, places: places))) \(units[unit])"
    }

    private static func withoutZeros(_ number: String) -> String {
        guard number.contains(".") else { return number }
        var text = Substring(number)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }
}
