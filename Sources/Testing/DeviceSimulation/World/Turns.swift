import Threading

/// A piece of asynchronous work that stops wherever it asks for something, until the simulation replies: one side runs at a time,
/// so that equal seeds are equal runs however many threads there are.
package final class Turns<Question: Sendable, Reply: Sendable, Output: Sendable>: Sendable {
    /// What the work does next.
    package enum Event: Sendable {
        /// It waits for a reply.
        case asks(Question)
        /// It has ended.
        case ended(Result<Output, any Error>)
    }

    private struct State {
        var driver: CheckedContinuation<Event, Never>?
        var work: CheckedContinuation<Reply, Never>?
    }

    private let state = ForkSafeMutex(State())

    /// Work that has not begun.
    package init() {}

    /// Runs the work up to its first question or its end.
    package func start(_ body: @escaping @Sendable () async throws -> Output) async -> Event {
        await withCheckedContinuation { driver in
            state.withLock { $0.driver = driver }
            Task {
                let result: Result<Output, any Error>
                do {
                    result = .success(try await body())
                } catch {
                    result = .failure(error)
                }
                hand(.ended(result))
            }
        }
    }

    /// Asks the simulation and waits for its reply. Called by the work.
    package func ask(_ question: Question) async -> Reply {
        await withCheckedContinuation { work in
            state.withLock { $0.work = work }
            hand(.asks(question))
        }
    }

    /// Replies, and runs the work up to its next question or its end.
    package func reply(_ reply: Reply) async -> Event {
        await withCheckedContinuation { driver in
            let work = state.withLock { state in
                state.driver = driver
                return state.work.take()
            }
            work?.resume(returning: reply)
        }
    }

    private func hand(_ event: Event) {
        state.withLock { $0.driver.take() }?.resume(returning: event)
    }
}
