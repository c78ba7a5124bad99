/// Pieces of SVG. Horizontal positions are fractions of the width, so that a drawing fits any window while text and
/// marks keep their size; vertical positions are in pixels.
public enum Drawing {
    /// Returns a fraction of the width.
    public static func across(_ place: Double) -> String { fixed(place * 100, places: 2) + "%" }

    /// Returns a number of pixels.
    public static func down(_ pixels: Double) -> String { fixed(pixels, places: 1) }

    /// Returns a straight line.
    public static func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line class=\"\(name)\" x1=\"\(across(x1))\" y1=\"\(down(y1))\" x2=\"\(across(x2))\" y2=\"\(down(y2))\"/>"
    }

    /// Returns a dot.
    public static func dot(_ name: String, _ x: Double, _ y: Double, radius: Double, title: String = "") -> String {
        let inner = title.isEmpty ? "/>" : "><title>\(escaped(title))</title></circle>"
        return
            "<circle class=\"\(name)\" cx=\"\(across(x))\" cy=\"\(down(y))\" r=\"\(down(radius))\"\(inner)"
    }

    /// Returns content in pixels around a point.
    public static func at(_ x: Double, _ y: Double, _ content: String) -> String {
        "<svg x=\"\(across(x))\" y=\"\(down(y))\" overflow=\"visible\">\(content)</svg>"
    }

    /// Returns the opening tag of a drawing with the full available width.
    public static func open(_ name: String, height: Double, label: String) -> String {
        let role = label.isEmpty ? "aria-hidden=\"true\"" : "role=\"img\" aria-label=\"\(escaped(label))\""
        return "<svg class=\"\(name)\" width=\"100%\" height=\"\(down(height))\" \(role)>"
    }

    /// The mark of a floor.
    public static let diamond = "<path class=\"floor\" d=\"M0 -5 5 0 0 5 -5 0z\"/>"

    /// Returns a rectangle.
    public static func box(
        _ name: String, _ x: Double, _ y: Double, width: Double, height: Double, title: String = ""
    ) -> String {
        let inner = title.isEmpty ? "/>" : "><title>\(escaped(title))</title></rect>"
        return "<rect class=\"\(name)\" x=\"\(across(x))\" y=\"\(down(y))\" width=\"\(across(width))\" "
            + "height=\"\(down(height))\"\(inner)"
    }

    /// Returns a number with the given number of decimal places.
    public static func fixed(_ value: Double, places: Int) -> String {
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let whole = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(whole)" }
        let rest = String(whole % scale)
        return "\(sign)\(whole / scale)." + String(repeating: "0", count: places - rest.count) + rest
    }

    /// Returns the text with every special character of HTML and SVG escaped, for content and attributes alike.
    public static func escaped(_ text: String) -> String {
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
            // HTML cannot represent control characters, and a directional override would also reorder what follows.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
