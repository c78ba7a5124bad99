import Dispatch
import Synchronization

/// Work that another thread does meanwhile. It has everything that it needs, and gives one result.
final class Meanwhile<Value: Sendable>: Sendable {
    private let finished = Mutex<Value?>(nil)
    private let signal = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Value) {
        DispatchQueue.global().async {
            let value = work()
            self.finished.withLock { $0 = value }
            self.signal.signal()
        }
    }

    /// The result, as soon as it is there. To be called once.
    func wait() -> Value {
        while true {
            if let value = finished.withLock({ $0.take() }) { return value }
            signal.wait()
        }
    }
}
