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

    /// Another program answers, but does not know the operation.
    private struct UnknownOperation: Error {}

    /// Compares the two in one operation; nil when the other program does not know it. What looks slower has to look so
    /// twice. The self-test makes this side slower.
    func compare(_ operation: String, slowedBy percent: Int = 0) async throws -> Comparison? {
        do {
            let first = try await compareOnce(operation, slowedBy: percent)
            return first.outcome == .worse ? try await compareOnce(operation, slowedBy: percent) : first
        } catch is UnknownOperation {
            return nil
        }
    }

    private func compareOnce(_ operation: String, slowedBy percent: Int) async throws -> Comparison {
        try await PairedTrial(plan).compare(operation) { number in
            let (this, other) = try start(isTurned: number % 2 == 1)
            let sides = PairedTrial.Sides(
                this: { try this.time(operation, runs: $0, slowedBy: percent) },
                other: { try other.time(operation, runs: $0) },
                end: {
                    this.end()
                    other.end()
                })
            guard other.greeting.operations.contains(operation) else {
                sides.end()
                throw UnknownOperation()
            }
            return sides
        }
    }

    /// Starts both in new copies of the store: what was done before leaves nothing behind. They take turns in being the
    /// first, too.
    private func start(isTurned: Bool) throws -> (this: WorkerProcess, other: WorkerProcess) {
        let first = try start(isTurned ? other : Self.thisProgram, in: "\(store)-first")
        let second = try start(isTurned ? Self.thisProgram : other, in: "\(store)-second")
        return isTurned ? (second, first) : (first, second)
    }

    private func start(_ program: String, in folder: String) throws -> WorkerProcess {
        try ScratchFolder.copy(store, to: folder)
        return try WorkerProcess(program, in: folder)
    }
}
