import FoundationEssentials
import Workloads

/// Two programs that do the same in equal stores: a build that is to be judged, and the one that it is compared with.
struct ProgramComparison {
    /// This program.
    static let thisProgram = "/proc/self/exe"

    /// The program that this one is compared with.
    let other: String
    /// A store that nobody has open.
    let store: String
    /// When it is clear.
    var plan = PairedTrial.Plan()

    /// Compares the two in one operation; nil when the other program does not know it. Each comparison has new processes
    /// and new copies of the store: what the one before has left behind does not count. What looks slower has to look so
    /// twice, for where a process happens to lie in memory makes some percent, too. The self-test makes this side slower.
    func compare(_ operation: String, slowedBy percent: Int = 0) async throws -> Comparison? {
        let first = try await compareOnce(operation, slowedBy: percent)
        return first?.outcome == .worse ? try await compareOnce(operation, slowedBy: percent) : first
    }

    private func compareOnce(_ operation: String, slowedBy percent: Int) async throws -> Comparison? {
        let folders = ["\(store)-this", "\(store)-other"]
        func remove() { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        remove()
        defer { remove() }
        for folder in folders { try FileManager.default.copyItem(atPath: store, toPath: folder) }
        let this = try WorkerProcess(Self.thisProgram, in: folders[0])
        defer { this.end() }
        let other = try WorkerProcess(other, in: folders[1])
        defer { other.end() }
        guard other.greeting.operations.contains(operation) else { return nil }
        return try await PairedTrial(plan).compare(
            operation, { try this.time(operation, runs: $0, slowedBy: percent) },
            with: { try other.time(operation, runs: $0) })
    }
}
