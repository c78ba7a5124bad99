import ArgumentParser
import Daybook
import FoundationEssentials
import Measuring
import Workloads

/// Times how long a change in one store takes to be readable in another one, while `daybook-sync watch` runs for both.
struct Latency: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Time a change in one store until another one has it",
        discussion: "Both stores are in one space, and another process runs daybook-sync watch for each.")

    @Option(help: "The store that is changed.")
    var from: String

    @Option(help: "The store that gets the change.")
    var to: String

    @Option(help: "How many changes are timed.")
    var changes = 200

    @Option(help: "What lies between the stores, for the row.")
    var over = "one hub"

    @Option(help: "The limit of the 99th percentile in milliseconds.")
    var limit = 250.0

    /// How long one change may take before something must be wrong, in microseconds.
    private static let patience: Int64 = 60_000_000

    func run() async throws {
        let source = try DaybookStore.open(at: from)
        let target = try DaybookStore.open(at: to)
        defer {
            source.close()
            target.close()
        }
        let clock = SystemClock()
        var times: [Int64] = []
        for number in 0..<changes {
            let task = try await source.tasks.create("Change \(number)")
            let start = clock.monotonic
            while try target.read({ try $0[TaskItem.self].get(task.id) }) == nil {
                guard clock.monotonic.microseconds(since: start) < Self.patience else {
                    throw ValidationError("Change \(number) did not arrive within a minute.")
                }
                try await Task.sleep(for: .microseconds(500))
            }
            times.append(clock.monotonic.microseconds(since: start))
            // Not in step with anything that looks at regular times.
            try await Task.sleep(for: .milliseconds(Int64.random(in: 20...170)))
        }
        let rows = [
            MeasuredRow(
                nil, "a change on A visible on B, \(over), p50 of \(changes)", .time(times.nanoseconds(0.5))),
            MeasuredRow(nil, "the same, p99", .time(times.nanoseconds(0.99)), limit: .time(Int64(limit * 1_000_000))),
        ]
        for row in rows { print(row.markdown) }
    }
}
