import Threading

@_exported import struct KeyValue.OperationCounters

/// What the last write of a store did.
final class WriteCounters: Sendable {
    private let state = ForkSafeMutex(OperationCounters())

    var last: OperationCounters {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
