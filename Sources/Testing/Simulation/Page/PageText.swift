/// Text on its way into a page.
package enum PageText {
    /// The text with every character that means something to HTML spelled out, for content and attributes alike.
    package static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            // HTML has no way to write a control character, and one that turns text around would turn what follows, too.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Text that people wrote: escaped, and with its direction kept to itself.
    static func isolated(_ text: String) -> String {
        "<bdi>\(escaped(text))</bdi>"
    }

    /// A step in words: it runs from left to right even when the names in it do not. Dates stay in one piece.
    static func sentence(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let isDate =
                word.utf8.count <= 24 && word.contains("-")
                && word.allSatisfy { $0.isNumber || "-:.,TZ[]{}".contains($0) }
            return isDate ? "<span class=date>\(escaped(String(word)))</span>" : escaped(String(word))
        }
        return "<bdi dir=\"ltr\">\(words.joined(separator: " "))</bdi>"
    }

    /// A time that went by, in its two largest units: `1 h 30 min`, `400 d 3 h`.
    static func duration(microseconds: Int64) -> String {
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
                // What is left is too small to be named beside the first unit.
                break
            }
            rest = remainder
        }
        return parts.isEmpty ? "0 s" : parts.joined(separator: " ")
    }

    /// A number with thin spaces between groups of three digits.
    static func grouped(_ number: UInt64) -> String {
        let digits = String(number)
        guard digits.count > 4 else { return digits }
        var result = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { result += "\u{202F}" }
            result.append(digit)
        }
        return result
    }

    /// `1 midnight`, `3 midnights`.
    static func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(grouped(UInt64(count.magnitude))) \(plural ?? noun + "s")"
    }

    /// Two digits at least.
    static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// Sixteen hexadecimal digits.
    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
