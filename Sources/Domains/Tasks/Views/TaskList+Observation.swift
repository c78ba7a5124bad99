import CivilTime
import Records

extension TaskList {
    /// Follows the result of a reading: by any process, with the pending changes of this session, at midnight, and when the clock
    /// steps or the zone changes.
    ///
    ///     for try await open in store.tasks.observe({ try $0.inbox().count }) { show(open.value) }
    ///
    /// - Complexity: the reading once more for each commit of the store, away from whoever waits for the result.
    public func observe<Value: Sendable & Equatable>(
        _ query: @escaping @Sendable (TaskReading) throws -> Value
    ) -> LiveQuery<Value> {
        access.observe { try query($0.tasks) }
    }
}
