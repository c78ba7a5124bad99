/// A thread that does one piece of work after another, in the order in which they were given to it.
///
/// Where much work follows in small pieces, a thread for each would cost more memory: the system gives every new one a heap of
/// its own, and moves it to an idle processor late. The thread begins with the first piece and ends after the last, when its
/// owner is released.
package final class WorkThread: Sendable {
    private let line = Line()

    /// Creates the owner; the thread begins later.
    package init() {}

    deinit { line.end() }

    /// Gives it a piece of work. Where the system cannot create a thread, the caller does it.
    package func start<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> BackgroundResult<Value> {
        let result = BackgroundResult<Value>()
        line.add { result.finish(with: work()) }
        return result
    }
}

/// The work that waits; the thread owns it too, so that it survives the owner until everything is done.
private final class Line: @unchecked Sendable {  // everything is guarded by the monitor
    private let monitor = Monitor()
    private var work: [@Sendable () -> Void] = []
    private var hasThread = false
    private var isEnded = false

    func add(_ piece: @escaping @Sendable () -> Void) {
        let isOwnThread = monitor.withLock {
            if !hasThread {
                hasThread = startDetachedThread(stackSize: smallStackSize) { self.run() } == 0
                guard hasThread else { return false }
            }
            work.append(piece)
            monitor.wakeAll()
            return true
        }
        if !isOwnThread { piece() }
    }

    func end() {
        monitor.withLock {
            isEnded = true
            monitor.wakeAll()
        }
    }

    private func run() {
        while let piece = next() { piece() }
    }

    /// Waits for the next piece; nil when there is none and none will come.
    private func next() -> (@Sendable () -> Void)? {
        monitor.withLock {
            while work.isEmpty, !isEnded { monitor.wait() }
            return work.isEmpty ? nil : work.removeFirst()
        }
    }
}
