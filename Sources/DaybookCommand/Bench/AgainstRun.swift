import FoundationEssentials
import Workloads

/// This program against another build of it, in turn, in equal stores: `daybook bench --against PROGRAM`.
struct AgainstRun {
    /// What came of it.
    struct Result {
        /// The version that the other program says it has.
        var otherVersion = ""
        /// One for each operation that both programs know.
        var comparisons: [Comparison] = []
        /// The operations that the other program does not know.
        var leftOut: [String] = []
    }

    /// The other program.
    let program: String
    /// What both are to do.
    let operations: [Workloads.Operation]
    /// When it is clear.
    var plan = PairedTrial.Plan()

    /// Compares the two in copies of a store that nobody has open. Every operation gets new processes and new copies: what
    /// the one before has left behind does not count, and neither does where a process happens to lie in memory.
    func run(copying store: String, progress: (String) -> Void) async throws -> Result {
        var result = Result()
        for operation in operations {
            progress("comparing: \(operation.title)")
            let pair = try WorkerPair("/proc/self/exe", with: program, copying: store)
            defer { pair.end() }
            result.otherVersion = pair.other.greeting.version
            if pair.other.greeting.operations.contains(operation.name) {
                result.comparisons.append(try await pair.compare(operation.name, plan))
            } else {
                result.leftOut.append(operation.name)
            }
        }
        return result
    }
}
