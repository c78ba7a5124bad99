import Daybook
import Observation

/// How far a model is.
public enum ModelPhase: Sendable, Hashable {
    /// Nothing is known yet; what the model shows is empty.
    case loading
    /// It shows what the store has, and follows it.
    case ready
    /// It could not go on: what it shows is what it had then. ``LiveModel/retry()`` begins again.
    case failed(StoreFailure)
}

/// What every model of a screen has: it follows the store from the moment it exists until it is released or stopped, reads away from
/// the main actor, and turns errors into values.
///
/// A model that nothing changes costs nothing: it waits, without a timer but that for midnight where it depends on the day.
@MainActor @Observable
public class LiveModel {
    /// How far the model is.
    public private(set) var phase = ModelPhase.loading
    /// What failed last of what a person did; nil after they have dealt with it, which the application says by setting it.
    public var failure: StoreFailure?

    /// What the model follows, by number. What arrives of one that is not here any more was on its way when the model was stopped.
    @ObservationIgnored private var followings: [Int: Following] = [:]
    @ObservationIgnored private var lastNumber = 0
    /// The followings that have not shown anything yet.
    @ObservationIgnored private var missing: Set<Int> = []

    init() {
        start()
    }

    /// Follows what the model shows, with ``follow(_:_:)``; continues from what it shows already.
    func start() {}

    /// Begins again after a failure, from what the model shows. Does nothing while it follows the store.
    public func retry() {
        guard followings.isEmpty else { return }
        phase = .loading
        start()
    }

    /// Stops following; what the model shows stays. ``retry()`` goes on.
    public func stop() {
        followings = [:]
        missing = []
    }

    /// Runs what a person has asked for, and keeps its error as ``failure``.
    ///
    ///     if await model.perform({ try await session.tasks.create(text) }) != nil { text = "" }
    ///
    /// - Parameter attempt: what the person wanted, for the text of the failure.
    /// - Returns: What the operation returned; nil when it failed.
    @discardableResult
    public func perform<Result: Sendable>(
        as attempt: Attempt = .save, _ operation: @Sendable () async throws -> Result
    ) async -> Result? {
        do {
            let result = try await operation()
            if failure != nil { failure = nil }
            return result
        } catch {
            failure = StoreFailure(error, during: attempt)
            return nil
        }
    }

    /// Follows a sequence away from the main actor, and hands each element to the model on it. The next one is read when the model
    /// has received this one, so a burst of commits becomes few updates.
    ///
    /// - Parameter sequence: makes the sequence, which reads nothing yet.
    func follow<Followed: AsyncSequence & Sendable>(
        _ sequence: @autoclosure () throws -> Followed, _ receive: @escaping @MainActor (Followed.Element) -> Void
    ) where Followed.Element: Sendable {
        let followed: Followed
        do {
            followed = try sequence()
        } catch {
            return fail(error)
        }
        lastNumber += 1
        let number = lastNumber
        missing.insert(number)
        followings[number] = Following(
            Task.detached { [weak self] in
                do {
                    for try await element in followed { await self?.receive(element, from: number, receive) }
                } catch {
                    await self?.fail(error, from: number)
                }
            })
    }

    private func receive<Element: Sendable>(
        _ element: Element, from number: Int, _ receive: @MainActor (Element) -> Void
    ) {
        guard followings[number] != nil else { return }
        receive(element)
        if missing.remove(number) != nil, missing.isEmpty { phase = .ready }
    }

    private func fail(_ error: any Error, from number: Int) {
        if followings[number] != nil { fail(error) }
    }

    /// Ends what the model follows, and says why.
    func fail(_ error: any Error) {
        stop()
        phase = .failed(StoreFailure(error, during: .load))
    }
}

/// A task that ends when nobody holds it any more.
final class Following: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    deinit {
        task.cancel()
    }
}
