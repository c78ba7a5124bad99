import Injection
import LabSupport
import Measuring
import Workloads

/// The cost of a fault injection point in a program that people run: the check of a point that is not armed.
enum InjectionCost {
    /// The number of checks in a round, so that the clock itself does not count.
    private static let checks = 1000
    /// The target in nanoseconds: a create takes 25,000 without the disk, and passes some of the points.
    private static let limit = 10.0

    static func measure(rounds: Int, into table: inout [MeasuredRow]) {
        // Values that are read in each round, or the compiler would move the check out of the loop; by their places, or each
        // would be retained and released.
        let points = [ArmedInjectionPoints](repeating: ArmedInjectionPoints(), count: checks)
        var armed = 0
        let times = (0..<rounds).map { _ in
            Stopwatch.nanoseconds { for index in points.indices where points[index](.flushesTwice) { armed += 1 } }
        }
        let time = Double(Timings(times).median) / Double(checks)
        table.add(
            "check of a fault injection point that is not armed", target: "under \(Figures.limit(limit)) ns",
            measured: "\(Figures.fixed(time, places: 2)) ns", holds: armed == 0 && time < limit)
    }
}
