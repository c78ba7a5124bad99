import Workloads

extension ExactCounts.Kind {
    /// A short name for the head of a column.
    var label: String {
        switch self {
        case .flushes: "flushes"
        case .writeCalls: "writes"
        case .bytesWritten: "bytes"
        case .pagesWritten: "pages w"
        case .pagesRead: "pages r"
        case .puts: "puts"
        case .deletes: "deletes"
        case .gets: "gets"
        case .cursorSteps: "steps"
        case .allocations: "mallocs"
        case .instructions: "instr."
        }
    }
}

extension ExactCounts {
    /// What each run did, short; empty where it could not be counted.
    func perRunShort(_ kind: Kind) -> String {
        guard let sum = values[kind], runs > 0, sum / runs > 99_999 else { return perRun(kind) }
        return Figures.compact(Double(sum) / Double(runs))
    }

    /// What each run did; empty where it could not be counted.
    func perRun(_ kind: Kind) -> String {
        values[kind].map { Figures.perRun($0, runs: runs) } ?? ""
    }
}

extension BenchReport {
    /// The kinds that were counted for any operation, in their order.
    var countedKinds: [ExactCounts.Kind] {
        ExactCounts.Kind.allCases.filter { kind in counts.contains { $0.values[kind] != nil } }
    }
}
