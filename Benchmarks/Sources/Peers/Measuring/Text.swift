extension Double {
    /// The number with three significant digits.
    var short: String {
        guard isFinite else { return "-" }
        let scale = abs(self) < 10 ? 100.0 : abs(self) < 100 ? 10 : 1
        let value = (self * scale).rounded() / scale
        return value == value.rounded() ? String(Int(value)) : String(value)
    }

    /// A time in nanoseconds as text.
    var time: String {
        switch self {
        case ..<1e3: "\(short) ns"
        case ..<1e6: "\((self / 1e3).short) µs"
        case ..<1e9: "\((self / 1e6).short) ms"
        default: "\((self / 1e9).short) s"
        }
    }

    /// A number of bytes as text.
    var bytes: String {
        switch self {
        case ..<1e4: "\(Int(self.rounded())) B"
        case ..<1e6: "\((self / 1e3).short) kB"
        default: "\((self / 1e6).short) MB"
        }
    }
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
