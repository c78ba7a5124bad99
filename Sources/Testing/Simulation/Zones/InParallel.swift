import Dispatch
import Threading

/// Computes so many values on all cores; they come back in order.
///
/// - Parameter progress: told after each value how many there are; never by two threads at once.
func inParallel<Value: Sendable>(
    _ count: Int, progress: @Sendable (Int) -> Void, _ compute: @Sendable (Int) -> Value
) -> [Value] {
    let values = ForkSafeMutex<(byIndex: [Value?], count: Int)>(([Value?](repeating: nil, count: count), 0))
    DispatchQueue.concurrentPerform(iterations: count) { index in
        let value = compute(index)
        values.withLock { values in
            values.byIndex[index] = value
            values.count += 1
            progress(values.count)
        }
    }
    return values.withLock { $0.byIndex.compactMap(\.self) }
}
