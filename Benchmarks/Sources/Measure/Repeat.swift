import Daybook
import FoundationEssentials

/// Repeats one operation for a profiler: for five seconds, or the given number of times, so that two profiles of
/// `valgrind --tool=callgrind` differ by a known number of runs.
///
/// `perf record -g .build/release/Measure repeat today FOLDER [COUNT]`, where FOLDER holds the stores of `Scripts/bench`.
struct Repeat {
    let stores: Stores
    /// The number of runs; nil for five seconds.
    let count: Int?

    func run(_ operation: String) async throws {
        let isStatistics = operation.hasPrefix("statistics")
        let name = operation.hasSuffix("large") || operation == "open" ? "large" : "small"
        let daybook = try stores.open(name, at: isStatistics ? Stores.historyEnd : Stores.plannedDay)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start.advanced(by: .seconds(5))
        var done = 0
        while count.map({ done < $0 }) ?? (clock.now < end) {
            try await perform(operation, done, daybook)
            done += 1
        }
        print("\(operation): \(shown((clock.now - start) / .nanoseconds(max(done, 1)))) each")
    }

    private func perform(_ operation: String, _ round: Int, _ daybook: DaybookStore) async throws {
        switch operation {
        case "today", "today-large": _ = try daybook.tasks.today()
        case "upcoming": _ = try daybook.tasks.upcoming()
        case "inbox": _ = try daybook.tasks.inbox()
        case "statistics", "statistics-large": _ = try daybook.tasks.statistics()
        case "create":
            _ = try await daybook.tasks.create("Review chapter \(round) of the thesis before the meeting")
        case "create-here": try Writes.create("Review chapter \(round) of the thesis", in: daybook)
        case "cycle":
            let view = try daybook.tasks.today()
            _ = try await daybook.tasks.cycle(view[round % view.count].id)
        case "nothing": try await daybook.write { _ in }
        case "export": try daybook.files.export(as: .json) { _ in }
        case "import": try await importTasks(round)
        case "open":
            let large = try stores.open("large")
            _ = try large.tasks.today()
            large.close()
        default: throw BenchmarkError.unexpected("no operation \(operation)")
        }
    }

    /// Imports a file of 10,000 tasks into a separate store.
    private func importTasks(_ round: Int) async throws {
        try stores.remove("imported")
        let daybook = try stores.open("imported")
        _ = try await daybook.files.import(Self.file)
        daybook.close()
    }

    private static let file: TaskImport = {
        var file = TaskImport()
        file.tasks = (0..<10_000).map { number in
            let day = Stores.plannedDay.microsecondsSince1970 + Int64(number) * 7_000_000
            return ImportedTask(
                id: UUID(high: UInt64(day / 1000) << 16 | 0x7000, low: UInt64(number) | 1 << 63),
                text: "Review chapter \(number) of the thesis before the meeting", state: .notStarted,
                createdAt: Instant(microsecondsSince1970: day), updatedAt: Instant(microsecondsSince1970: day),
                completedAt: nil, scheduledDate: Day(clampingDaysSince1970: 20_900 + number % 365),
                sortOrder: number)
        }
        return file
    }()
}
