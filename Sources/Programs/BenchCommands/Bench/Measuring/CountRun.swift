import ArgumentParser
import CommandSupport
import Daybook
import DiskRecording
import FoundationEssentials
import KeyValue
import Measuring
import PerformanceTesting
import Workloads

/// Counts the system calls, pages and entries of operations.
///
/// Each operation gets a fresh copy of the same store, so that its counts do not depend on what else is counted.
struct CountRun {
    /// Creates a run without counts.
    let emptyRun: CountedRun
    private let folder: String
    private let template: String

    /// The size and the seed of the generated history, independent of the timed store.
    static let taskCount = 1000
    private static let seed: UInt64 = 1
    /// The number of runs of each operation. Fifty runs include rare events such as page splits.
    private static let runs = 50
    /// The number of runs under valgrind, which is forty times slower.
    private static let instructionRuns = 20

    /// Creates a store below an existing folder.
    init(in folder: String) async throws {
        self.folder = folder
        template = folder + "/counted-template"
        try await BenchStore.make(at: template, .history(taskCount: Self.taskCount, seed: Self.seed))
        let store = try BenchStore(at: template)
        defer { store.close() }
        let information = try store.daybook.information()
        emptyRun = CountedRun(
            size: Self.taskCount, seed: Self.seed, pageSize: information.environment.pageSize,
            lmdb: information.engineVersion, storeBytes: information.tables.reduce(0) { $0 + $1.bytes },
            snapshotBytes: try store.snapshot(), zstd: ZstdLibrary.version, counts: [])
    }

    /// Counts fifty runs of an operation. The self-test passes extra work that is injected into every transaction.
    func count(_ operation: Workloads.Operation, with extra: SelfTest.ExtraWork? = nil) async throws -> ExactCounts {
        let path = folder + "/counted"
        try copyTemplate(to: path)
        let counter = try DiskCounter(in: folder)
        let store = try BenchStore(at: path, options: .counted(with: extra))
        defer { store.close() }
        let counted = CountedOperation(operation.name, runs: Self.runs) { round, inside in
            try await operation.run(in: store, round: round, inside: inside)
        }
        var sum = try await counted.count(by: counter, store: path)
        if !operation.isChange { sum.values[.allocations] = try await counted.countAllocations() }
        return sum
    }

    /// Counts changes only, with extra work: queries write nothing.
    func changes(with extra: SelfTest.ExtraWork?) async throws -> [ExactCounts] {
        var counts: [ExactCounts] = []
        for operation in Operation.all where operation.isChange {
            counts.append(try await count(operation, with: extra))
        }
        return counts
    }

    /// Returns the instructions of as many runs as `count` counts; nil without valgrind.
    func countInstructions(of operation: Workloads.Operation) throws -> Int? {
        let path = folder + "/counted"
        let counter = InstructionCounter(
            executable: ProgramComparison.thisProgram, scratch: folder, clock: SystemClock()
        ) { rounds in
            ["bench", "--worker", path, "--run", operation.name, "--rounds", "\(rounds)"]
        }
        try copyTemplate(to: path)
        return try counter.count(rounds: Self.instructionRuns).map { Int($0 * Double(Self.runs)) }
    }

    private func copyTemplate(to path: String) throws {
        try ScratchFolder.copy(template, to: path)
    }
}

extension SelfTest.ExtraWork: ExpressibleByArgument {}
