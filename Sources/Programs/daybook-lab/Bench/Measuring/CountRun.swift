import ArgumentParser
import CAllocationCount
import CommandSupport
import CrashTesting
import Daybook
import FoundationEssentials
import Injection
import KeyValue
import Workloads

/// Counts what operations do, by looking at every call, every page of the store and every entry.
///
/// Each operation gets a fresh copy of the same store, so that its counts do not depend on what else is counted.
struct CountRun {
    /// A run in which nothing was counted yet.
    let emptyRun: CountedRun
    private let folder: String
    private let template: String

    /// Tasks of the history in the store that is counted in, and the seed of it, whatever is timed.
    static let taskCount = 1000
    private static let seed: UInt64 = 1
    /// Runs of each operation. The sums of fifty show what happens now and then, such as a page that is split.
    private static let runs = 50
    /// Runs under valgrind, which takes forty times as long.
    private static let instructionRuns = 20

    /// Makes a store below a folder that exists.
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

    /// Counts fifty runs of an operation. The self-test lets the store do more than it should.
    func count(_ operation: Workloads.Operation, _ options: StoreOptions = StoreOptions()) async throws -> ExactCounts {
        let path = folder + "/counted"
        try copyTemplate(to: path)
        let counter = try DiskCounter(in: folder)
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

    /// Of questions only: after a change its writer's thread tidies up, and allocates when it comes to it.
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

    /// The instructions of as many runs as `count` counts; nil where there is no valgrind.
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

/// Counts the allocations of an operation exactly, on all threads of this process: of one at a time, and while nothing
/// else goes on.
enum AllocationCounter {
    /// How often an operation asks for memory; nil where that cannot be counted: in the static program, and on other
    /// systems than Linux. Some of it may be for the awaiting itself.
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
    /// A store that does so much more in every transaction than it should.
    var options: StoreOptions {
        var options = StoreOptions()
        switch self {
        case .flush: options.injectionPoint = ArmedInjectionPoints(.flushesTwice)
        case .put: options.injectionPoint = ArmedInjectionPoints(.putsTwice)
        }
        return options
    }
}
