import Charts
import Daybook

/// A picture with what it shows in words and numbers, for those who cannot see it.
struct Figure: Encodable {
    let title: String
    /// What is counted, and from when to when.
    let note: String
    let svg: String
    /// The numbers as a table: the names of its columns, and its rows.
    let columns: [String]
    let rows: [[String]]
    /// The values of `month` or `year` before and after this one, for those pictures that have them.
    var previous: String?
    var next: String?

    /// Encloses a drawing with the full available width. Its colors are those of the page's style sheet.
    static func svg(_ name: String, height: Double, title: String, _ drawing: String) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart \(name)\" width=\"100%\" "
            + "height=\"\(Drawing.down(height))\" fill=\"currentColor\" role=\"img\">"
            + "<title>\(Drawing.escaped(title))</title>\(drawing)</svg>"
    }

    /// A label at a place.
    static func label(_ text: String, _ x: Double, _ y: Double, anchor: String = "middle", shift: Double = 0) -> String
    {
        Drawing.at(
            x, y,
            "<text class=\"tick\" x=\"\(Drawing.down(shift))\" text-anchor=\"\(anchor)\">\(Drawing.escaped(text))</text>"
        )
    }

    /// Returns a count with its noun: `1 task`, `3 tasks`.
    static func tasks(_ count: Int) -> String { count == 1 ? "1 task" : "\(count) tasks" }

    /// The darkness of a cell, from 0 for nothing to 4 for the most.
    static func level(_ count: Int, most: Int) -> Int { count == 0 ? 0 : min(4, (4 * count + most - 1) / most) }
}

/// An axis of whole numbers from 0: few round marks up to the largest value.
struct CountAxis {
    let top: Int
    let marks: [Int]

    init(largest: Int) {
        var step = 1
        // 1, 2, 5, 10, 20, 50, …
        while largest > 4 * step { step = String(step).hasPrefix("2") ? step / 2 * 5 : step * 2 }
        top = max(largest, step)
        marks = Array(stride(from: 0, through: top, by: step))
    }

    /// The distance from the top of a drawing.
    func y(_ count: Int, height: Double) -> Double { height * (1 - Double(count) / Double(top)) }

    func drawing(height: Double) -> String {
        marks.map { mark in
            let y = y(mark, height: height)
            return Drawing.line("grid", 0, y, 1, y) + Figure.label("\(mark)", 0, y + 4, anchor: "end", shift: -8)
        }.joined()
    }
}

extension Month {
    static let names = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Such as "February 2026".
    var title: String { "\(Self.names[month - 1]) \(year)" }
}

extension Weekday {
    static let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    /// The days of a week that begins with this one.
    var week: [Weekday] { Array(Weekday.allCases[(rawValue - 1)...] + Weekday.allCases[..<(rawValue - 1)]) }

    var name: String { Self.names[rawValue - 1] }
}
