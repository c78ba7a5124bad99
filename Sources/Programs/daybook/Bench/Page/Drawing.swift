import LabSupport

/// Pieces of SVG. Across, everything stands at a share of the width, so that a drawing fits any window while its text and
/// marks keep their size; down, at pixels.
enum Drawing {
    /// A share of the width.
    static func across(_ place: Double) -> String { Figures.fixed(place * 100, places: 2) + "%" }

    /// A number of pixels.
    static func down(_ pixels: Double) -> String { Figures.fixed(pixels, places: 1) }

    /// A straight line.
    static func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line class=\"\(name)\" x1=\"\(across(x1))\" y1=\"\(down(y1))\" x2=\"\(across(x2))\" y2=\"\(down(y2))\"/>"
    }

    /// A dot.
    static func dot(_ name: String, _ x: Double, _ y: Double, radius: Double, title: String = "") -> String {
        let inner = title.isEmpty ? "/>" : "><title>\(HTMLText.escaped(title))</title></circle>"
        return
            "<circle class=\"\(name)\" cx=\"\(across(x))\" cy=\"\(down(y))\" r=\"\(down(radius))\"\(inner)"
    }

    /// Something drawn in pixels around a point.
    static func at(_ x: Double, _ y: Double, _ content: String) -> String {
        "<svg x=\"\(across(x))\" y=\"\(down(y))\" overflow=\"visible\">\(content)</svg>"
    }

    /// What opens a drawing of a height, as wide as there is room.
    static func open(_ name: String, height: Double, label: String) -> String {
        let role = label.isEmpty ? "aria-hidden=\"true\"" : "role=\"img\" aria-label=\"\(HTMLText.escaped(label))\""
        return "<svg class=\"\(name)\" width=\"100%\" height=\"\(down(height))\" \(role)>"
    }

    /// What cannot be beaten.
    static let diamond = "<path class=\"floor\" d=\"M0 -5 5 0 0 5 -5 0z\"/>"
}
