import CAllocationCount

/// Counts the allocations of an operation exactly, on all threads of this process: of one at a time, and while nothing
/// else goes on.
enum AllocationCounter {
    /// How often memory was asked for, and how much of it.
    struct Counts: Equatable {
        let calls: UInt64
        let bytes: UInt64
    }

    /// Whether this program can count: the static one and those of other systems than Linux cannot.
    static let isPossible = allocation_count_is_possible()

    /// What an operation allocates; nil where that cannot be counted.
    static func count(_ operation: () throws -> Void) rethrows -> Counts? {
        guard isPossible else {
            try operation()
            return nil
        }
        allocation_count_begin()
        defer { _ = allocation_count_end() }
        try operation()
        return Counts(allocation_count_read())
    }

    /// The same for what awaits. Some of what it allocates may be the awaiting itself.
    static func count(awaiting operation: () async throws -> Void) async rethrows -> Counts? {
        guard isPossible else {
            try await operation()
            return nil
        }
        allocation_count_begin()
        defer { _ = allocation_count_end() }
        try await operation()
        return Counts(allocation_count_read())
    }
}

extension AllocationCounter.Counts {
    fileprivate init(_ counts: allocation_counts) {
        self.init(calls: counts.calls, bytes: counts.bytes)
    }
}
