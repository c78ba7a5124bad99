import CivilTime
import Threading

/// A change that a person is offered to undo for some seconds, by the monotonic clock, which steps of the wall clock do not change.
public protocol UndoOffer: Sendable, Hashable {
    /// The end of the offer, itself included.
    var deadline: MonotonicTime { get }
}

/// The last offer to undo a change. It is kept in memory: a restart ends it.
package final class LastOffer<Offer: UndoOffer>: Sendable {
    private typealias Computation = @Sendable () -> Offer?

    private struct State {
        /// How many offers were made before; distinguishes offers.
        var number = 0
        var offer: Offer?
        /// Computes the offer, for the first who asks; nil when that was done.
        var unasked: Computation?
        /// Computes the offer of a later change, which is perhaps not offered: then the one before stays.
        var possible: Computation?
    }

    fileprivate let clock: any TimeSource
    fileprivate let changes = Signal()
    private let state = ForkSafeMutex(State())

    package init(clock: any TimeSource) {
        self.clock = clock
    }

    /// The offer, unless its time is over.
    package var current: Offer? { last.flatMap { clock.monotonic <= $0.deadline ? $0 : nil } }

    private var last: Offer? {
        let state = state.withLock { $0 }
        guard state.unasked != nil || state.possible != nil else { return state.offer }
        // They may read the store, so they do not run under the lock.
        let offer = state.possible?() ?? state.unasked?() ?? state.offer
        self.state.withLock { if $0.number == state.number { $0 = State(number: state.number, offer: offer) } }
        return offer
    }

    /// Makes an offer in place of the last one; nil withdraws it.
    package func make(_ new: Offer?) {
        let hasChanged = state.withLock { state in
            defer { state = State(number: state.number + 1, offer: new) }
            return state.offer != new || state.unasked != nil || state.possible != nil
        }
        if hasChanged { changes.raise() }
    }

    /// Makes an offer that is computed when somebody asks for it, so that an operation pays nothing for an offer that nobody shows.
    ///
    /// - Parameter isCertain: whether it replaces the last offer in any case; otherwise only if there is one.
    package func make(isCertain: Bool, whenAsked compute: @escaping @Sendable () -> Offer?) {
        state.withLock { state in
            state.number += 1
            if isCertain {
                state = State(number: state.number, unasked: compute)
            } else {
                state.possible = compute
            }
        }
        changes.raise()
    }

    /// Undoes the change of an offer. The offer is gone then, unless the undo failed for a reason that may pass.
    ///
    /// - Parameters:
    ///   - expired: thrown after the deadline, and if it is not the last offer.
    ///   - mayPass: whether the undo can succeed later, after an error.
    package func use<Failure: Error>(
        _ wanted: Offer, orThrow expired: Failure, retryingAfter mayPass: (Failure) -> Bool,
        _ undo: () async throws(Failure) -> Void
    ) async throws(Failure) {
        guard clock.monotonic <= wanted.deadline else { throw expired }
        _ = last
        let number = state.withLock { state -> Int? in
            guard state.offer == wanted else { return nil }
            state = State(number: state.number + 1)
            return state.number
        }
        guard let number else { throw expired }
        changes.raise()
        do {
            try await undo()
        } catch {
            if mayPass(error) {
                state.withLock { if $0.number == number { $0.offer = wanted } }
                changes.raise()
            }
            throw error
        }
    }
}

/// The offer to undo the last change, and each change of it: nil where there is none, also when its time is over. Nothing runs while
/// there is none, and one timer while there is one.
public struct LiveOffer<Offer: UndoOffer>: AsyncSequence, Sendable {
    /// The offer; nil for none.
    public typealias Element = Offer?

    let source: LastOffer<Offer>

    /// The clock by which the offers end.
    package var clock: any TimeSource { source.clock }

    package init(of source: LastOffer<Offer>) {
        self.source = source
    }

    /// Begins with the present offer.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Compares the offer with the one returned last.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let source: LastOffer<Offer>
        private var last: Offer??

        init(source: LastOffer<Offer>) {
            self.source = source
        }

        /// Waits until there is another offer, or none any more.
        ///
        /// - Throws: `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Offer?? {
            let (changes, clock) = (source.changes, source.clock)
            while true {
                let generation = changes.generation
                let current = source.current
                if last == nil || last != .some(current) {
                    last = .some(current)
                    return .some(current)
                }
                guard let deadline = current?.deadline else {
                    try await changes.wait(past: generation)
                    continue
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await changes.wait(past: generation) }
                    group.addTask { try await clock.sleep(until: deadline.advanced(byMicroseconds: 1)) }
                    try await group.next()
                    group.cancelAll()
                }
            }
        }
    }
}
