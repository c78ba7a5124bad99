import FoundationEssentials
import Workloads

/// This program against another build of it: `daybook bench --against PROGRAM`.
struct AgainstRun {
    /// What came of it.
    struct Result {
        /// One for each operation that both programs know.
        var comparisons: [Comparison] = []
        /// The operations that the other program does not know.
        var leftOut: [String] = []
    }

    /// The other program.
    let program: String
    /// What both are to do.
    let operations: [Workloads.Operation]
    /// What their stores are filled with.
    let content: BenchStore.Content

    /// Compares the two in stores below a folder that exists. In memory, where that can be had, the noise of the disk does
    /// not hide what became slower; flushes and bytes written are counted, which is more than any clock can tell.
    func run(in folder: String, progress: (String) throws -> Void) async throws -> Result {
        let store = "\(folder)/compared"
        try progress("comparing: filling a store")
        try await BenchStore.make(at: store, content)
        defer { try? FileManager.default.removeItem(atPath: store) }
        let programs = ProgramComparison(other: program, store: store)
        var result = Result()
        for operation in operations {
            try progress("comparing: \(operation.title)")
            if let comparison = try await programs.compare(operation.name) {
                result.comparisons.append(comparison)
            } else {
                result.leftOut.append(operation.name)
            }
        }
        return result
    }
}
