import CAllocationCount
import Daybook
import DiskRecording
import Injection
import Measuring

/// One operation whose work is counted.
package struct CountedOperation {
    /// Runs the operation once. What it does inside the closure is counted; preparation and cleanup are outside. Returns what it
    /// wrote to and looked up in LMDB; nil if that is not counted.
    package typealias Run = (
        _ round: Int, _ inside: (() async throws -> Void) async throws -> Void
    ) async throws -> OperationCounters?

    private let name: String
    private let runs: Int
    private let run: Run

    /// Describes an operation that is run so many times.
    package init(_ name: String, runs: Int, run: @escaping Run) {
        self.name = name
        self.runs = runs
        self.run = run
    }

    /// Counts the calls on files, the pages of a store that are read, and what the operation counts itself.
    ///
    /// - Parameters:
    ///   - counter: it was created before the store was opened.
    ///   - store: the path of the open store; nil without one.
    package func count(by counter: DiskCounter, store: String?) async throws -> ExactCounts {
        var sum = ExactCounts(operation: name, runs: runs, values: [:])
        for round in 0..<runs {
            let counters = try await run(round) { body in
                let (pages, disk) = try await counter.count {
                    guard let store else {
                        try await body()
                        return nil as Int?
                    }
                    return try await counter.countPagesRead(of: store, body).1
                }
                sum.add(disk, pagesRead: pages)
            }
            if let counters { sum.add(counters) }
        }
        return sum
    }

    /// Counts allocations on all threads of this process: of queries only, since after a change the writer thread allocates at an
    /// unpredictable time. Returns nil where they cannot be counted.
    package func countAllocations() async throws -> Int? {
        var sum = 0
        for round in 0..<runs {
            var count: Int?
            _ = try await run(round) { body in count = try await AllocationCounter.count(awaiting: body) }
            guard let count else { return nil }
            sum += count
        }
        return sum
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
private enum AllocationCounter {
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

extension StoreOptions {
    /// The options of a store whose work is counted, with extra work in every transaction, if any.
    package static func counted(with extra: SelfTest.ExtraWork?) -> StoreOptions {
        var options = StoreOptions()
        // A process that pauses for a second would leave logged mode, and count the flushes of that.
        options.commitLog.idleMilliseconds = 3_600_000
        switch extra {
        case .flush: options.injectionPoint = ArmedInjectionPoints(.flushesTwice)
        case .put: options.injectionPoint = ArmedInjectionPoints(.putsTwice)
        case nil: break
        }
        return options
    }
}
