import CrashLab
import Daybook
import FoundationEssentials
import Workloads

/// Counts what operations do, by looking at every call, every page of the store and every entry.
///
/// Each operation gets a fresh copy of the same store, so that its counts do not depend on what else is counted.
struct CountRun {
    /// Below this folder, which exists, the stores are copied and everything is recorded.
    let folder: String
    /// A store that `BenchStore.make` has made, below that folder.
    let template: String
    /// For the self-test: a promise of the gate's to break.
    var options = StoreOptions()

    /// Tasks of the history in the store that is counted in, whatever is timed.
    static let taskCount = 1000
    /// Runs of each operation. The sums of fifty show what happens now and then, such as a page that is split.
    static let runs = 50

    func count(_ operation: Workloads.Operation) async throws -> ExactCounts {
        let path = folder + "/counted"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: template, toPath: path)
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
