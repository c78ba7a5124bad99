import Daybook
import Synchronization

/// Whether the storage answers. Anyone may ask, so it is read at most once in a second, and by one request for all that wait.
final class HealthCheck: Sendable {
    private struct State {
        var answer: (isAvailable: Bool, time: MonotonicTime)?
        var reading: Task<Bool, Never>?
    }

    /// How long an answer holds, in microseconds.
    private static let validity: Int64 = 1_000_000

    private let clock: any TimeSource
    private let read: @Sendable () async -> Bool
    private let state = Mutex(State())

    /// A check.
    ///
    /// - Parameter read: Whether the storage answers now.
    init(clock: any TimeSource, read: @escaping @Sendable () async -> Bool) {
        self.clock = clock
        self.read = read
    }

    /// Whether the storage has answered within the last second; otherwise whether it answers now.
    func isStorageAvailable() async -> Bool {
        switch state.withLock({ step(&$0) }) {
        case .known(let isAvailable): isAvailable
        case .read(let reading): await reading.value
        }
    }

    private enum Step {
        case known(Bool)
        case read(Task<Bool, Never>)
    }

    private func step(_ state: inout State) -> Step {
        if let answer = state.answer, clock.monotonic.microseconds(since: answer.time) < Self.validity {
            return .known(answer.isAvailable)
        }
        // A task of its own: a request that is cancelled does not end it for the others.
        let reading =
            state.reading
            ?? Task {
                let isAvailable = await read()
                self.state.withLock { $0 = State(answer: (isAvailable, clock.monotonic)) }
                return isAvailable
            }
        state.reading = reading
        return .read(reading)
    }
}
