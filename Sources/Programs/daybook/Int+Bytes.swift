extension Int {
    /// A size for people: `6.8 MB`, in powers of a thousand.
    var asBytes: String {
        var value = Double(self)
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 1000 || unit == "GB" {
                return unit == "bytes" ? "\(self) bytes" : "\((value * 10).rounded() / 10) \(unit)"
            }
            value /= 1000
        }
        return "\(self) bytes"
    }
}
