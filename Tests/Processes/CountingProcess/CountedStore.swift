import Daybook
import DiskRecording
import Workloads

/// A store of generated tasks, and work on it that is the same in every process.
struct CountedStore {
    private let folder: String
    private let clock: SettableClock
    private let context: Context
    private var store: String { "\(folder)/store" }

    /// Creates the store.
    ///
    /// - Parameter seed: determines the ids; a filled store needs another seed.
    init(in folder: String, seed: UInt64 = 7) throws {
        self.folder = folder
        let clock = SettableClock(try Instant("2026-02-11T10:00:00Z"))
        let zone = try Zone("Europe/Berlin")
        self.clock = clock
        context = Context(
            clock: clock, random: SeededRandomSource(seed: seed), currentZone: { zone }, weekStart: .monday)
    }

    func daybook() throws -> DaybookStore { try DaybookStore.open(at: store, context: context) }

    func fill() async throws {
        let daybook = try daybook()
        defer { daybook.close() }
        try await daybook.generate(taskCount: 1000, seed: 1)
        try await daybook.tasks.create((0..<50).map { NewTask("Task \($0) of today", on: context.today) })
    }

    /// Returns a line of counts for each operation, over a number of rounds in a new store.
    func run(rounds: Int) async throws -> [String] {
        let counter = try DiskCounter(in: folder)
        try await fill()
        let daybook = try daybook()
        defer { daybook.close() }
        let tasks = daybook.tasks
        var lines = ["filled: \(try counter.countsSinceLast())"]
        func count<Result>(_ name: String, _ operation: () async throws -> Result) async throws -> Result {
            clock.advance(byMicroseconds: 1_000_000)
            let (counted, pages) = try await counter.countPagesRead(of: store) { try await counter.count(operation) }
            lines.append("\(name): \(counted.1) \(daybook.lastWriteCounters) read \(pages ?? -1)")
            return counted.0
        }
        for round in 0..<rounds {
            let task = try await count("create") {
                try await tasks.create("Task \(round), written down in a hurry", on: context.today)
            }
            let shown = try await count("today") { try tasks.today() }.tasks
            let other = shown[round * 7 % shown.count].id
            _ = try await count("cycle") { try await tasks.cycle(other) }
            // Beside a task of another state it may be in its place already.
            if let beside = shown.first(where: { ![task.id, other].contains($0.id) && $0.state == task.state }) {
                _ = try await count("reorder") { try await tasks.reorder(task.id, to: .before(beside.id)) }
            }
            _ = try await count("schedule") { try await tasks.schedule(task.id, on: .tomorrow) }
            _ = try await count("month") { try tasks.statistics(of: context.today.monthOfYear) }
            try await count("delete") { try await tasks.delete(other) }
            if round % 3 != 0 { _ = try await count("undo") { try await tasks.undo() } }
        }
        return lines
    }

    // MARK: Rounds, in a store that was filled

    func showToday(_ rounds: Int) throws {
        let daybook = try daybook()
        defer { daybook.close() }
        for _ in 0..<rounds { _ = try daybook.tasks.today() }
    }

    func create(_ rounds: Int) throws {
        let daybook = try daybook()
        defer { daybook.close() }
        for round in 0..<rounds {
            try daybook.write { try $0.tasks.create("Task \(round), once more", on: context.today) }
        }
    }

    /// Uses the writer thread.
    func createWaiting(_ rounds: Int) async throws {
        let daybook = try daybook()
        defer { daybook.close() }
        for round in 0..<rounds { try await daybook.tasks.create("Task \(round), once more", on: context.today) }
    }
}
