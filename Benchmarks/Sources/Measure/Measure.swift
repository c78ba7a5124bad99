import Daybook
import FoundationEssentials
import Glibc

/// Measures the results that the README names and prints them as one table. `Scripts/bench` builds and runs it.
@main
struct Measure {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "idle", arguments.count == 2 { return try await IdleProcess.run(arguments[1]) }
        if arguments.first == "repeat", arguments.count >= 3 {
            let count = arguments.count > 3 ? Int(arguments[3]) : nil
            return try await Repeat(stores: Stores(folder: arguments[2]), count: count).run(arguments[1])
        }
        if arguments.first == "memory", arguments.count == 2 { return try await DayOfWork.run(arguments[1]) }
        var folder = "/tmp/daybook-bench"
        var tasks = 1_000_000
        var only = ""
        var programs: [(build: String, path: String, limit: Double)] = []
        while arguments.count >= 2 {
            let value = arguments[1]
            switch arguments[0] {
            case "--folder": folder = value
            case "--tasks": tasks = max(Int(value) ?? tasks, 1000)
            case "--only": only = value
            case "--daybook": programs.append(("default build", value, 10e6))
            case "--static": programs.append(("static build", value, 6e6))
            default: throw BenchmarkError.unexpected("no option \(arguments[0])")
            }
            arguments.removeFirst(2)
        }
        let stores = Stores(folder: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await stores.prepare("small", taskCount: 1000)
        try await stores.prepare("large", taskCount: tasks)
        var report = Report()
        if only.isEmpty || only == "reads" {
            try Reads(stores: stores, small: 1000, large: tasks).run(into: &report)
        }
        if only.isEmpty || only == "writes" { try await Writes(stores: stores).run(into: &report) }
        if only.isEmpty || only == "processes" {
            try await Processes(stores: stores, large: tasks, programs: programs).run(into: &report)
        }
        print("\n" + report.markdown)
        if !report.allHold { exit(1) }
    }
}
