import Daybook
import FoundationEssentials

/// One operation again and again for five seconds, for a profiler:
/// `perf record -g .build/release/Measure repeat today FOLDER` (or `statistics`, `create`, `create-here`, `nothing`, `open`).
enum Repeat {
    static func run(_ operation: String, on path: String) async throws {
        let stores = Stores(folder: path)
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(5))
        var count = 0
        let isStatistics = operation == "statistics"
        let daybook = try stores.open("small", at: isStatistics ? Stores.historyEnd : Stores.plannedDay)
        while clock.now < end {
            switch operation {
            case "today": _ = try daybook.tasks.today()
            case "statistics": _ = try daybook.tasks.statistics()
            case "create":
                _ = try await daybook.tasks.create("Review chapter \(count) of the thesis before the meeting")
            case "create-here": try Writes.create("Review chapter \(count) of the thesis", in: daybook)
            case "nothing": try await daybook.write { _ in }
            default:
                let large = try stores.open("large")
                _ = try large.tasks.today()
                large.close()
            }
            count += 1
        }
        print("\(operation): \(shown(5e9 / Double(count))) each")
    }
}
