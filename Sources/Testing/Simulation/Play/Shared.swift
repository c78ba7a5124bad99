import Threading

/// A value that one task sets and another reads when that is done.
final class Shared<Value: Sendable>: Sendable {
    private let content: ForkSafeMutex<Value>

    init(_ value: Value) {
        content = ForkSafeMutex(value)
    }

    var value: Value { content.withLock { $0 } }

    func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try content.withLock { try body(&$0) }
    }

    func set(_ value: Value) {
        content.withLock { $0 = value }
    }
}
