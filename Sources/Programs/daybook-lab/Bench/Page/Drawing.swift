import LabSupport
import Glibc
import Simulation

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

/// A logarithmic axis: where a value stands between its two ends.
struct LogScale {
    let low: Double
    let high: Double

    /// An axis of whole powers of ten around all values.
    init(decadesAround values: [Double]) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let first = floor(log10(positive.min() ?? 1) + 1e-9)
        let last = ceil(log10(positive.max() ?? 10) - 1e-9)
        low = pow(10, first)
        high = pow(10, max(last, first + 1))
    }

    /// An axis around all values with some room, that spans a factor at least, so that noise is not drawn as a mountain.
    init(around values: [Double], factorMin: Double) {
        let positive = values.filter { $0 > 0 && $0.isFinite }
        let (smallest, largest) = (positive.min() ?? 1, positive.max() ?? 1)
        let missing = max(factorMin / (largest / smallest), 1)
        low = smallest / 1.15 / missing.squareRoot()
        high = largest * 1.15 * missing.squareRoot()
    }

    /// From 0 at the low end to 1 at the high end; what lies outside stands at the end.
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

    /// One, two and five times the powers of ten on the axis.
    var steps: [Double] {
        let first = Int(floor(log10(low)))
        let last = Int(ceil(log10(high)))
        return (first...last).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
            .filter { $0 >= low && $0 <= high }
    }
}

/// Labels one below the other, each as near to its place as the others let it.
enum LabelColumn {
    /// Moves places apart until each has its room, within a height. The order stays.
    static func spread(_ places: [Double], room: Double, height: Double) -> [Double] {
        let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
        // Places that touch become one block around their middle, until no blocks touch.
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
