import Synchronization

/// A value that one task sets and another reads when that is done.
final class Shared<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) {
        content = Mutex(value)
    }

    var value: Value { content.withLock { $0 } }

    func set(_ value: Value) {
        content.withLock { $0 = value }
    }
}
