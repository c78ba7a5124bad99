import CommandSupport
import Daybook
import FoundationEssentials
import Measuring
import PerformanceTesting
import ProgramCrashes
import Workloads

/// What `gate` found.
struct GateReport: Encodable {
    enum Verdict: String, Encodable {
        case better, same, worse, inconclusive
    }

    private(set) var rows: [MeasuredRow] = []
    private(set) var counts: ProgramCounts?
    private(set) var verdict = Verdict.same

    /// Adds the times of runs.
    mutating func add(_ samples: [GateSample], _ budget: GateBudget?) {
        let limits = budget?.limits ?? [:]
        let (wall, cpu) = (Timings(samples.map(\.wall)).longest, Timings(samples.map(\.cpu)).longest)
        add(MeasuredRow(nil, "time of the longest run", .time(wall), limit: limits["wall"].map { .time($0) }))
        add(MeasuredRow(nil, "CPU time of the longest run", .time(cpu), limit: limits["cpu"].map { .time($0) }))
    }

    /// Adds what a run does; nil if it could not be recorded.
    mutating func add(_ counts: ProgramCounts?, _ budget: GateBudget?) {
        self.counts = counts
        for (name, count) in counts?.named ?? [] { addCount(name, count, limit: budget?.limits[name].map(Int.init)) }
        guard let memory = counts?.memory else { return }
        add(MeasuredRow(nil, "peak memory", .bytes(memory), limit: budget?.limits["memory"].map { .bytes(Int($0)) }))
    }

    /// Adds a comparison of counts with those of a baseline. Fewer are as good.
    mutating func add(_ counts: ProgramCounts, baseline: ProgramCounts) {
        for (now, then) in zip(counts.named, baseline.named) {
            addCount("\(now.name), against the baseline", now.count, limit: then.count)
        }
    }

    /// Adds a comparison of times. Only this can show that a command is better.
    mutating func add(_ comparison: GateComparison) {
        let (time, ratio) = (comparison.time, comparison.time.ratio)
        let holds: Bool? = time.outcome == .inconclusive ? nil : time.outcome == .holds
        rows.append(
            MeasuredRow(
                "time, against the other command, \(ratio.pairs) pairs",
                target: "at most \(MeasuredRow.Value.ratio(time.limit).text)",
                measured: MeasuredRow.Value.paired(ratio).text, holds: holds))
        rows.append(MeasuredRow(nil, "CPU time, against the other command", .paired(comparison.cpu)))
        switch time.outcome {
        case .worse: verdict = .worse
        case .inconclusive where verdict == .same: verdict = .inconclusive
        case .holds where verdict == .same && ratio.high < 1 / time.limit: verdict = .better
        case .holds, .inconclusive: break
        }
    }

    private mutating func addCount(_ name: String, _ count: Int, limit: Int?) {
        let target = limit.map { "at most \($0)" } ?? "-"
        add(MeasuredRow(name, target: target, measured: "\(count)", holds: limit.map { count <= $0 }))
    }

    private mutating func add(_ row: MeasuredRow) {
        rows.append(row)
        if row.holds == false { verdict = .worse }
    }

    /// A table in Markdown, and the verdict.
    var text: String {
        let missed = rows.missed.map { "\($0.title): \($0.measured.text), \($0.limit?.text ?? "") is allowed" }
        return rows.markdown + "\n" + (missed + [verdict.rawValue]).joined(separator: "\n") + "\n"
    }
}

/// A file with the counts of a command.
struct ProgramBaseline: Codable {
    private var format = 1
    let counts: ProgramCounts

    init(counts: ProgramCounts) { self.counts = counts }

    /// Reads a file. A missing or unusable one ends the command with a one-line error.
    init(path: String) throws {
        let bytes = try InputFile.opening(path).contents()
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)), read.format == 1 else {
            throw CommandError.unusable("\(path) is no baseline of 'gate'. Write a new one with --write-baseline.")
        }
        self = read
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try AtomicFile.replace(path, with: Array(try encoder.encode(self)) + [UInt8(ascii: "\n")])
    }
}
