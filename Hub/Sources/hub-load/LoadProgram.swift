import ArgumentParser
import Daybook
import FoundationEssentials
import Measuring
import Workloads

/// Puts a hub under load, and measures what the devices of a space wait for. `Scripts/hub --measure` runs all of it.
@main
struct LoadProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub-load", abstract: "Put a hub under load, and measure it",
        subcommands: [Load.self, Latency.self, Flood.self, Fill.self, Edit.self, Creates.self, Wire.self, Probe.self],
        defaultSubcommand: Load.self)
}

extension [Int64] {
    /// The value below which a share of the values lies, in nanoseconds; of values in microseconds.
    func nanoseconds(_ share: Double) -> Int64 {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, Int(Double(count) * share))] * 1000
    }

    /// The same as text.
    func text(_ share: Double) -> String { MeasuredRow.Value.time(nanoseconds(share)).text }

    /// The ratio of that value to the one of other times.
    func ratio(to other: [Int64], _ share: Double) -> Double {
        Double(nanoseconds(share)) / Double(other.nanoseconds(share))
    }
}
