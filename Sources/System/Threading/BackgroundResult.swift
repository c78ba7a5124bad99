/// The result of work that runs on another thread.
///
/// Dispatch queues have no threads in a forked child, where waiting for one would never end.
package final class BackgroundResult<Value: Sendable>: @unchecked Sendable {  // the value is guarded by the monitor
    private let monitor = Monitor()
    private var value: Value?

    /// A result that `finish` gives.
    init() {}

    /// Starts the work on a dedicated thread; on the calling thread if the system cannot create another one.
    package init(_ work: @escaping @Sendable () -> Value) {
        let code = startDetachedThread(stackSize: smallStackSize) { self.finish(with: work()) }
        if code != 0 { finish(with: work()) }
    }

    func finish(with result: Value) {
        monitor.withLock {
            value = result
            monitor.wakeAll()
        }
    }

    /// Waits for the result and returns it.
    package func wait() -> Value {
        monitor.withLock {
            while true {
                if let value { return value }
                monitor.wait()
            }
        }
    }
}
