import Threading

/// How far those who follow the changes have come, so that the log is not trimmed under them.
final class ChangeConsumers: Sendable {
    private struct State {
        var positions: [UInt64: UInt64] = [:]
        var next: UInt64 = 0
    }

    private let state = ForkSafeMutex(State())

    /// The lowest sequence number that somebody still has to read.
    var oldestNeeded: UInt64 {
        state.withLock { $0.positions.values.min().map { $0 &+ 1 } ?? .max }
    }

    func register(at sequence: UInt64) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.positions[state.next] = sequence
            return state.next
        }
    }

    func advance(_ consumer: UInt64, to sequence: UInt64) {
        state.withLock { $0.positions[consumer] = sequence }
    }

    func remove(_ consumer: UInt64) {
        state.withLock { _ = $0.positions.removeValue(forKey: consumer) }
    }
}
