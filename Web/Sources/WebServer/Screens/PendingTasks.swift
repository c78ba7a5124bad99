import FoundationEssentials
import Observation

/// The tasks that are being changed.
@MainActor @Observable
final class PendingTasks {
    private(set) var version = 0
    @ObservationIgnored private var counts: [UUID: Int] = [:]

    func contains(_ id: UUID) -> Bool { counts[id] != nil }

    /// Runs an operation on tasks, which are pending meanwhile.
    func during<Result: Sendable>(_ ids: [UUID], _ operation: () async throws -> Result) async rethrows -> Result {
        for id in ids { counts[id, default: 0] += 1 }
        version += 1
        defer {
            for id in ids {
                let rest = (counts[id] ?? 1) - 1
                counts[id] = rest > 0 ? rest : nil
            }
            version += 1
        }
        return try await operation()
    }
}
