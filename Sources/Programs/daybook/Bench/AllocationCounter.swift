import CAllocationCount

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
