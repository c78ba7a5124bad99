import Glibc
import LabSupport

/// Pieces of SVG. Horizontal positions are fractions of the width, so that a drawing fits any window while text and
/// marks keep their size; vertical positions are in pixels.
enum Drawing {
    /// Returns a fraction of the width.
    static func across(_ place: Double) -> String { Figures.fixed(place * 100, places: 2) + "%" }

    /// Returns a number of pixels.
    static func down(_ pixels: Double) -> String { Figures.fixed(pixels, places: 1) }

    /// Returns a straight line.
    static func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line class=\"\(name)\" x1=\"\(across(x1))\" y1=\"\(down(y1))\" x2=\"\(across(x2))\" y2=\"\(down(y2))\"/>"
    }

    /// Returns a dot.
    static func dot(_ name: String, _ x: Double, _ y: Double, radius: Double, title: String = "") -> String {
        let inner = title.isEmpty ? "/>" : "><title>\(HTMLText.escaped(title))</title></circle>"
        return
            "<circle class=\"\(name)\" cx=\"\(across(x))\" cy=\"\(down(y))\" r=\"\(down(radius))\"\(inner)"
    }

    /// Returns content in pixels around a point.
    static func at(_ x: Double, _ y: Double, _ content: String) -> String {
        "<svg x=\"\(across(x))\" y=\"\(down(y))\" overflow=\"visible\">\(content)</svg>"
    }

    /// Returns the opening tag of a drawing with the full available width.
    static func open(_ name: String, height: Double, label: String) -> String {
        let role = label.isEmpty ? "aria-hidden=\"true\"" : "role=\"img\" aria-label=\"\(HTMLText.escaped(label))\""
        return "<svg class=\"\(name)\" width=\"100%\" height=\"\(down(height))\" \(role)>"
    }

    /// The mark of a floor.
    static let diamond = "<path class=\"floor\" d=\"M0 -5 5 0 0 5 -5 0z\"/>"
}

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

/// A layout of labels below each other, each as close to its target as possible.
enum LabelColumn {
    /// Returns positions with the required distance within a height. The order is preserved.
    static func spread(_ places: [Double], room: Double, height: Double) -> [Double] {
        let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
        // Overlapping labels are merged into a block around their middle, until none overlap.
        var blocks: [(middle: Double, count: Int)] = []
        for index in order {
            var block = (middle: places[index], count: 1)
            while let last = blocks.last {
                let gap = (block.middle - last.middle) - room * Double(last.count + block.count) / 2
                guard gap < 0 else { break }
                let count = last.count + block.count
                block = (
                    (last.middle * Double(last.count) + block.middle * Double(block.count)) / Double(count), count
                )
                blocks.removeLast()
            }
            let half = room * Double(block.count) / 2
            block.middle = max(min(block.middle, height - half), half)
            blocks.append(block)
        }
        var spread: [Double] = []
        for block in blocks {
            let first = block.middle - room * Double(block.count - 1) / 2
            spread += (0..<block.count).map { first + room * Double($0) }
        }
        var result = places
        for (place, index) in order.enumerated() { result[index] = spread[place] }
        return result
    }
}
