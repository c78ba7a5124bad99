import ArgumentParser
import CAllocationCount
import CommandSupport
import Daybook
import DiskRecording
import FoundationEssentials
import Injection
import KeyValue
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
            taskCount: Self.taskCount, seed: Self.seed, pageSize: information.environment.pageSize,
            lmdb: information.engineVersion, storeBytes: information.tables.reduce(0) { $0 + $1.bytes },
            snapshotBytes: try store.snapshot(), zstd: ZstdLibrary.version, counts: [])
    }

    /// Counts fifty runs of an operation. The self-test passes options that inject extra work.
    func count(_ operation: Workloads.Operation, _ options: StoreOptions = StoreOptions()) async throws -> ExactCounts {
        let path = folder + "/counted"
        try copyTemplate(to: path)
        let counter = try DiskCounter(in: folder)
        var options = options
        // A process that pauses for a second would leave logged mode, and count the flushes of that.
        options.commitLog.idleMilliseconds = 3_600_000
        let store = try BenchStore(at: path, options: options)
        defer { store.close() }
        var sum = ExactCounts(operation: operation.name, runs: Self.runs, values: [:])
        for round in 0..<Self.runs {
            let counters = try await operation.run(in: store, round: round) { body in
                let ((_, pages), disk) = try await counter.count {
                    try await counter.countPagesRead(of: path, body)
                }
                sum.add(disk, pagesRead: pages)
            }
            sum.add(counters)
        }
        if !operation.isChange { sum.values[.allocations] = try await countAllocations(of: operation, in: store) }
        return sum
    }

    /// Queries only: after a change, the writer thread allocates at an unpredictable time.
    private func countAllocations(of operation: Workloads.Operation, in store: BenchStore) async throws -> Int? {
        var sum = 0
        for round in 0..<Self.runs {
            var count: Int?
            _ = try await operation.run(in: store, round: round) { body in
                count = try await AllocationCounter.count(awaiting: body)
            }
            guard let count else { return nil }
            sum += count
        }
        return sum
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

extension ExactCounts {
    fileprivate mutating func add(_ disk: DiskCounts, pagesRead: Int?) {
        add(.flushes, disk.flushes + disk.synchronousWrites)
        add(.writeCalls, disk.writeCalls)
        add(.bytesWritten, disk.bytesWritten)
        add(.pagesWritten, disk.pagesWritten)
        if let pagesRead { add(.pagesRead, pagesRead) }
    }

    fileprivate mutating func add(_ counters: OperationCounters) {
        add(.puts, counters.puts)
        add(.deletes, counters.deletes)
        add(.gets, counters.gets)
        add(.cursorSteps, counters.cursorSteps)
    }

    private mutating func add(_ kind: Kind, _ count: Int) { values[kind, default: 0] += count }
}

/// Counts the allocations of an operation on all threads of this process. Only one count can run at a time, and nothing
/// else may run during it.
enum AllocationCounter {
    /// Returns the number of allocations; nil if they cannot be counted: in the static program, and on systems other
    /// than Linux. Awaiting the operation may allocate as well.
    static func count(awaiting operation: () async throws -> Void) async rethrows -> Int? {
        guard allocation_count_is_possible() else {
            try await operation()
            return nil
        }
        allocation_count_begin()
        defer { _ = allocation_count_end() }
        try await operation()
        return Int(allocation_count_read().calls)
    }
}

extension SelfTest.ExtraWork: ExpressibleByArgument {
    /// A store with extra work in every transaction.
    var options: StoreOptions {
        var options = StoreOptions()
        switch self {
        case .flush: options.injectionPoint = ArmedInjectionPoints(.flushesTwice)
        case .put: options.injectionPoint = ArmedInjectionPoints(.putsTwice)
        }
        return options
    }
}
