import CRawLMDB
import Daybook

enum BenchmarkError: Error {
    case raw(String)
    case unexpected(String)
}

/// Measures views and counts: their growth with the store, and their ratio to plain LMDB.
struct Reads {
    let stores: Stores
    let small: Int
    let large: Int

    func run(into report: inout Report) throws {
        let few = try stores.open("small")
        let many = try stores.open("large")
        defer {
            few.close()
            many.close()
        }
        try today(few, many, into: &report)
        try floor(many, "large", large, limit: 4, into: &report)
        try floor(few, "small", small, limit: nil, into: &report)
        try statistics(into: &report)
    }

    private func today(_ few: DaybookStore, _ many: DaybookStore, into report: inout Report) throws {
        let paired = try Paired.run(
            4000, ours: { try check(many.tasks.today().count) }, theirs: { try check(few.tasks.today().count) })
        report.add(
            "Today, 50 tasks decoded: of \(large) against of \(small)", target: "at most 2x",
            measured: "\(shown(paired.ours.median)) / \(shown(paired.theirs.median)) = \(rounded(paired.ratio))x",
            holds: paired.ratio <= 2)
    }

    private func floor(_ daybook: DaybookStore, _ name: String, _ count: Int, limit: Double?, into report: inout Report)
        throws
    {
        guard let raw = raw_open(stores.path(name), 1) else { throw BenchmarkError.raw("open \(name)") }
        defer { raw_close(raw) }
        let day = UInt32(bitPattern: daybook.context.today.daysSince1970) ^ (1 << 31)
        let prefix = (0..<4).map { UInt8(truncatingIfNeeded: day >> UInt32(24 - 8 * $0)) }
        var sum: UInt64 = 0
        let paired = try Paired.run(
            4000, ours: { try check(daybook.tasks.today().count) },
            theirs: { try check(Int(raw_view(raw, "tasks.byDay", "tasks", prefix, prefix.count, &sum))) })
        report.add(
            "Today, 50 of \(count), against plain LMDB in C reading the same bytes",
            target: limit.map { "at most \(rounded($0))x" } ?? "-",
            measured: "\(shown(paired.ours.median)) / \(shown(paired.theirs.median)) = \(rounded(paired.ratio))x",
            holds: limit.map { paired.ratio <= $0 })
    }

    private func statistics(into report: inout Report) throws {
        let few = try stores.open("small", at: Stores.historyEnd)
        let many = try stores.open("large", at: Stores.historyEnd)
        let paired = try Paired.run(
            4000, ours: { _ = try many.tasks.statistics() }, theirs: { _ = try few.tasks.statistics() })
        report.add(
            "all statistics: of \(large) against of \(small)", target: "at most 1.5x, under 100 µs",
            measured: "\(shown(paired.ours.median)) / \(shown(paired.theirs.median)) = \(rounded(paired.ratio))x",
            holds: paired.ratio <= 1.5 && paired.ours.median < 100_000)
    }

    private func check(_ count: Int) throws {
        guard count == Stores.plannedTasks else { throw BenchmarkError.unexpected("\(count) tasks in the view") }
    }
}
