import ArgumentParser
import Daybook
import FoundationEssentials
import Measuring
import Workloads

/// Creates tasks in a store.
struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create tasks in a store")

    @Option(help: "The store's folder.")
    var store: String

    @Option(help: "How many tasks there are to be.")
    var tasks: Int

    func run() async throws {
        let opened = try DaybookStore.open(at: store)
        defer { opened.close() }
        for start in stride(from: 0, to: tasks, by: 2000) {
            try await opened.tasks.create(
                (start..<min(start + 2000, tasks)).map { NewTask("Water the tomatoes in bed number \($0)") })
        }
    }
}

/// Changes one field of every task of a store.
struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Change the text of tasks in a store")

    @Option(help: "The store's folder.")
    var store: String

    @Option(help: "How many tasks are changed.")
    var tasks: Int

    func run() async throws {
        let opened = try DaybookStore.open(at: store)
        defer { opened.close() }
        let ids = try opened.read { try $0[TaskItem.self].page(limit: tasks).map(\.id) }
        for start in stride(from: 0, to: ids.count, by: 2000) {
            let part = ids[start..<min(start + 2000, ids.count)]
            try await opened.write { transaction in
                for id in part { _ = try transaction.tasks.edit(id) { $0.text = "Water them twice" } }
            }
        }
    }
}

/// Times durable creates, each beside one in another store.
struct Creates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Time creates in a synced store beside creates in one that is not")

    @Option(help: "The store that is synced.")
    var store: String

    @Option(help: "The store that is not.")
    var plain: String

    @Option(help: "How many creates are timed in each.")
    var count = 3000

    @Option(help: "What happens meanwhile, for the row.")
    var during: String

    @Option(help: "How many times the 99th percentile of the other store is the limit.")
    var limit = 1.3

    @Flag(help: "Compare medians.")
    var median = false

    @Option(help: "Wait so many milliseconds between two creates.")
    var pause = 0

    func run() async throws {
        let synced = try DaybookStore.open(at: store)
        let other = try DaybookStore.open(at: plain)
        defer {
            synced.close()
            other.close()
        }
        let clock = SystemClock()
        var times: (synced: [Int64], plain: [Int64]) = ([], [])
        func time(_ store: DaybookStore, _ number: Int) async throws -> Int64 {
            let start = clock.monotonic
            try await store.tasks.create("Task \(number)")
            return clock.monotonic.microseconds(since: start)
        }
        for number in 0..<count {
            // In turns, so that none has the better moments.
            if number % 2 == 0 {
                times.plain.append(try await time(other, number))
                times.synced.append(try await time(synced, number))
            } else {
                times.synced.append(try await time(synced, number))
                times.plain.append(try await time(other, number))
            }
            if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
        }
        let share = median ? 0.5 : 0.99
        let ratio = times.synced.ratio(to: times.plain, share)
        let row = MeasuredRow(
            "\(median ? "median" : "p99") of \(count) durable creates \(during), against a store without sync",
            target: "at most \(limit)x",
            measured:
                "\(MeasuredRow.Value.ratio(ratio).text)x (\(times.synced.text(share)), \(times.plain.text(share)))",
            holds: ratio <= limit)
        print(row.markdown)
    }
}
