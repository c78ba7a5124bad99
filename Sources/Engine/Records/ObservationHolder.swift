import KeyValue
import Threading

/// Begins an observation once, with the first who asks for it.
final class ObservationHolder: Sendable {
    private let observation = ForkSafeMutex<CommitObservation?>(nil)

    func begin(_ observe: () throws -> CommitObservation) throws {
        try observation.withLock { observation in
            if observation == nil { observation = try observe() }
        }
    }
}
