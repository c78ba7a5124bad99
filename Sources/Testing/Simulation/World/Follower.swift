import Daybook
import Threading

/// Observes a live view or a change feed and buffers what it delivers. Created by ``SimulatedWorld/follow(_:)``;
/// observes until it is released.
public final class Follower<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var error: (any Error)?
    }

    private let state: Shared<State>
    private let executor: SimulatedExecutor
    private let task: Task<Void, Never>

    init<News: AsyncSequence & Sendable>(_ news: News, in world: SimulatedWorld) where News.Element == Element {
        let state = Shared(State())
        self.state = state
        executor = world.executor
        task = world.start {
            do {
                for try await element in news { state.change { $0.elements.append(element) } }
            } catch {
                state.change { $0.error = error }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// Waits for the oldest buffered element, removes it and returns it.
    ///
    /// - Throws: `SimulationError.stuck` if nothing is delivered and nothing can happen any more; otherwise the error
    ///   that ended the sequence.
    public func next() async throws -> Element {
        _ = await executor.settle { [state] in !state.value.elements.isEmpty || state.value.error != nil }
        return try state.change { state in
            guard state.elements.isEmpty else { return state.elements.removeFirst() }
            throw state.error ?? SimulationError.stuck
        }
    }

    /// Removes and returns all buffered elements without waiting.
    public func take() -> [Element] {
        state.change { state in
            defer { state.elements = [] }
            return state.elements
        }
    }
}

/// A value shared between tasks.
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
