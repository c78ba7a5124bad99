import Daybook

/// Someone who listens to a live view or a change feed, and keeps what it tells until it is asked about. Made by
/// ``SimulatedWorld/follow(_:)``; listens as long as there is a reference to it.
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

    /// The oldest that was told and not asked about yet. Waits for it.
    ///
    /// - Throws: `SimulationError.stuck` when nothing comes and nothing can happen any more; what ended the news.
    public func next() async throws -> Element {
        _ = await executor.settle { [state] in !state.value.elements.isEmpty || state.value.error != nil }
        return try state.change { state in
            guard state.elements.isEmpty else { return state.elements.removeFirst() }
            throw state.error ?? SimulationError.stuck
        }
    }

    /// All that was told and not asked about yet, without waiting.
    public func take() -> [Element] {
        state.change { state in
            defer { state.elements = [] }
            return state.elements
        }
    }
}
