import FoundationEssentials
import Workloads

/// Two programs that work in equal stores: this one, and the one that it is compared with.
struct WorkerPair {
    /// This program, or the one that is to be judged.
    let this: WorkerProcess
    /// The program that it is compared with.
    let other: WorkerProcess
    private let folders: [String]

    /// Starts both, each in a copy of a store that nobody has open.
    init(_ program: String, with otherProgram: String, copying store: String) throws {
        folders = ["\(store)-this", "\(store)-other"]
        for folder in folders {
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.copyItem(atPath: store, toPath: folder)
        }
        this = try WorkerProcess(program, in: folders[0])
        other = try WorkerProcess(otherProgram, in: folders[1])
    }

    /// Compares the two in one operation. The self-test makes this side slower.
    func compare(
        _ operation: String, _ plan: PairedTrial.Plan, slowedBy percent: Int = 0
    ) async throws -> Comparison {
        try await PairedTrial(plan).compare(
            operation, { try this.time(operation, runs: $0, slowedBy: percent) },
            with: { try other.time(operation, runs: $0) })
    }

    /// Ends both and removes their stores.
    func end() {
        this.end()
        other.end()
        for folder in folders { try? FileManager.default.removeItem(atPath: folder) }
    }
}
