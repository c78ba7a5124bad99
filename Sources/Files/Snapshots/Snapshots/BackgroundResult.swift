import Threading

/// The result of work that runs on a dedicated thread.
///
/// Not on a queue of Dispatch: in the child of a fork that has no threads left, and what waits for it waits for ever.
final class BackgroundResult<Value: Sendable>: @unchecked Sendable {  // the value is guarded by the monitor
    private let monitor = Monitor()
    private var value: Value?

    /// Starts the work; on the calling thread where the system has no other one left.
    init(_ work: @escaping @Sendable () -> Value) {
        let code = startDetachedThread { self.finish(with: work()) }
        if code != 0 { finish(with: work()) }
    }

    private func finish(with result: Value) {
        monitor.withLock {
            value = result
            monitor.wakeAll()
        }
    }

    /// Waits for the result and returns it.
    func wait() -> Value {
        monitor.withLock {
            while true {
                if let value { return value }
                monitor.wait()
            }
        }
    }
}
