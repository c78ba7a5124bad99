import CommandSupport
import Daybook
import FoundationEssentials
import Measuring

/// A comparison of two programs that run the same operations in equal stores.
package struct ProgramComparison {
    /// This program.
    package static let thisProgram = "/proc/self/exe"

    /// The path of the other program.
    let other: String
    /// The folder that each process works in a copy of.
    let folder: String
    /// Returns the arguments that start a worker in a folder.
    let arguments: (_ folder: String) -> [String]
    /// The rules for ending the comparison.
    var plan = PairedTrial.Plan()

    /// The other program does not have the operation.
    private struct UnknownOperation: Error {}

    /// Compares the programs in one operation. Returns nil if the other program does not have it. A slowdown must be
    /// confirmed by a second comparison. The self-test slows down this side.
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

    /// Starts both programs in new copies of the store. The order of starts alternates.
    private func start(isTurned: Bool) throws -> (this: WorkerProcess, other: WorkerProcess) {
        let first = try start(isTurned ? other : Self.thisProgram, in: "\(folder)-first")
        let second = try start(isTurned ? Self.thisProgram : other, in: "\(folder)-second")
        return isTurned ? (second, first) : (first, second)
    }

    private func start(_ program: String, in copy: String) throws -> WorkerProcess {
        try ScratchFolder.copy(folder, to: copy)
        return try WorkerProcess(program, arguments(copy))
    }
}

/// What the comparisons of a gate's operations between processes need to know of it.
package struct ComparedOperations {
    /// The names of the operations, and their titles.
    private let operations: [(name: String, title: String)]
    private let arguments: (_ folder: String) -> [String]
    private let fill: (_ folder: String) async throws -> Void

    /// Describes operations.
    ///
    /// - Parameters:
    ///   - arguments: returns the arguments that start a worker in a folder.
    ///   - fill: creates what operations work on in a folder that does not exist.
    package init(
        _ operations: [(name: String, title: String)], arguments: @escaping (_ folder: String) -> [String],
        fill: @escaping (_ folder: String) async throws -> Void
    ) {
        self.operations = operations
        self.arguments = arguments
        self.fill = fill
    }

    /// Compares this program with another build. Returns the comparisons, and findings on the operations that the other one
    /// does not have.
    package func compare(
        with program: String, progress: Progress
    ) async throws -> (comparisons: [Comparison], findings: [GateFinding]) {
        try await filled(progress) { folder in
            let programs = ProgramComparison(other: program, folder: folder, arguments: arguments)
            var (comparisons, findings): ([Comparison], [GateFinding]) = ([], [])
            for operation in operations {
                try progress.step("comparing: \(operation.title)")
                if let comparison = try await programs.compare(operation.name) {
                    comparisons.append(comparison)
                } else {
                    findings.append(Self.leftOut(operation.name))
                }
            }
            return (comparisons, findings)
        }
    }

    /// Compares this program with itself, without and with planted slowdowns, and counts with planted work.
    package func testSelf(
        runs: Int, counting: SelfTest.Counting?, progress: Progress, as program: String = "daybook"
    ) async throws -> SelfTestReport {
        try await filled(progress) { folder in
            let programs = ProgramComparison(
                other: ProgramComparison.thisProgram, folder: folder, arguments: arguments)
            return try await SelfTest.run(
                of: operations.map(\.name), runs: runs, counting: counting, progress: progress, as: program
            ) { operation, percent in
                guard let comparison = try await programs.compare(operation, slowedBy: percent) else {
                    throw CommandError.usage("Unknown operation \(operation).")
                }
                return comparison
            }
        }
    }

    /// In memory, if possible: noise of a disk would hide slowdowns, and flushes and written bytes are counted exactly elsewhere.
    private func filled<Result>(_ progress: Progress, _ body: (String) async throws -> Result) async throws -> Result {
        let memory = ScratchFolder.inMemory(for: "compared")
        try ScratchFolder.create(memory)
        defer { try? FileManager.default.removeItem(atPath: memory) }
        try progress.step("comparing: filling the store")
        try await fill("\(memory)/compared")
        return try await body("\(memory)/compared")
    }

    private static func leftOut(_ name: String) -> GateFinding {
        GateFinding(
            subject: name, rule: .ratio, verdict: .inconclusive,
            message: "\(name): the other program does not have this operation. Compare with a newer build.")
    }
}
