import ArgumentParser
import Daybook
import FoundationEssentials

/// Puts a hub under load, and measures what the devices of a space wait for. `Scripts/hub --measure` runs all of it.
@main
struct LoadProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub-load", abstract: "Put a hub under load, and measure it",
        subcommands: [Load.self, Latency.self, Flood.self, Fill.self, Edit.self, Creates.self, Wire.self],
        defaultSubcommand: Load.self)
}

/// A row of a table: what was measured, how much it was, and what it was to be.
struct ResultRow {
    /// Prints a row in Markdown. One that misses its limit is bold.
    static func print(_ what: String, _ value: String, limit: String = "", isMet: Bool = true) {
        let mark = isMet ? "" : "**"
        Swift.print("| \(mark)\(what)\(mark) | \(mark)\(value)\(mark) | \(limit) |")
    }

    /// A number with two digits behind the point at most.
    static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        if hundredths >= 10_000 || hundredths % 100 == 0 { return "\(Int(value.rounded()))" }
        let rest = hundredths % 100
        return "\(hundredths / 100)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }
}

extension [Int64] {
    /// The value below which a share of the values lies, in milliseconds; of values in microseconds.
    func milliseconds(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return Double(sorted()[Swift.min(count - 1, Int(Double(count) * share))]) / 1000
    }
}
