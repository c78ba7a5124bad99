import Charts

/// Text as an HTML page contains it.
package enum HTMLText {
    /// Returns the text with every special character of HTML escaped, for content and attributes alike.
    package static func escaped(_ text: String) -> String { Drawing.escaped(text) }

    /// Returns escaped text from users, isolated so that its direction does not affect its surroundings.
    package static func isolated(_ text: String) -> String {
        "<bdi>\(escaped(text))</bdi>"
    }

    /// Returns a step in words, left to right even if names in it are not. Dates are not broken across lines.
    package static func sentence(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isDate =
                word.utf8.count <= 24 && word.contains("-")
                && word.allSatisfy { $0.isNumber || "-:.,TZ[]{}".contains($0) }
            return isDate ? "<span class=date>\(escaped(String(word)))</span>" : escaped(String(word))
        }
        return "<bdi dir=\"ltr\">\(words.joined(separator: " "))</bdi>"
    }

    /// Returns a duration in its two largest units: `1 h 30 min`, `400 d 3 h`.
    package static func duration(microseconds: Int64) -> String {
        let units: [(name: String, size: UInt64)] = [
            ("d", 86_400_000_000), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1_000),
            ("µs", 1),
        ]
        var rest = microseconds.magnitude
        var parts: [String] = []
        for (name, size) in units where parts.count < 2 {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: size)
            if count > 0 {
                parts.append("\(grouped(count)) \(name)")
            } else if !parts.isEmpty {
                // The remainder is negligible beside the first unit.
                break
            }
            rest = remainder
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }

    /// Returns a number with thin spaces between groups of three digits.
    package static func grouped(_ number: UInt64) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        var result = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { result += "\u{202F}" }
            result.append(digit)
        }
        return result
    }

    /// Returns a count with its noun: `1 midnight`, `3 midnights`.
    package static func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(grouped(UInt64(count.magnitude))) \(plural ?? noun + "s")"
    }

    /// Returns a number with at least two digits.
    package static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Returns sixteen hexadecimal digits.
    package static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
