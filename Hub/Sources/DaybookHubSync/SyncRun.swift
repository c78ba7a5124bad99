import CivilTime
import Daybook
import HubClient
import Sync
import Synchronization

/// Exchanges what a store and its hub lack of each other, from a start to a stop.
final class SyncRun: Sendable {
    private struct State {
        var schedule: SyncSchedule
        /// Whether a person has asked for the next exchange, and may have done something about what was refused.
        var isAsked = true
        var waiting: [Promise<SyncStatus>] = []
        var hasEnded = false
    }

    private let store: DaybookStore
    private let options: StoreSync.Options
    private let board: StatusBoard
    private let wrap: StoreSync.Wrapper
    private let state: Mutex<State>
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    /// The wait before the hub is asked for changes again that has not answered.
    private static let watchPause: Int64 = 5_000_000

    init(
        _ store: DaybookStore, _ options: StoreSync.Options, _ board: StatusBoard, _ wrap: @escaping StoreSync.Wrapper
    ) {
        self.store = store
        self.options = options
        self.board = board
        self.wrap = wrap
        state = Mutex(State(schedule: SyncSchedule(options)))
        (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    private var clock: any TimeSource { store.context.clock }

    /// Whether nothing is exchanged any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Exchanges everything in an exchange that begins after this call.
    ///
    /// - Returns: The status after it, or that with which the run ended before.
    func request() async -> SyncStatus {
        let promise = Promise<SyncStatus>()
        let hasEnded = state.withLock { state in
            guard !state.hasEnded else { return true }
            state.waiting.append(promise)
            state.schedule.want()
            state.isAsked = true
            return false
        }
        if hasEnded { return board.status }
        wakeUp.yield()
        return await promise.value
    }

    // MARK: Runs

    /// Exchanges until the task is cancelled or the store fails.
    func run() async {
        await showEnding { synced in
            let start = try store.read { try $0.lastSequence() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.followStore(after: start) }
                group.addTask { try await self.followHub(of: synced) }
                group.addTask { try await self.exchangeWhenDue(synced) }
                // Whichever ends, ends the run: it would miss the changes of one side.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Exchanges once.
    func runOnce() async {
        await showEnding { synced in try await exchange(synced) }
    }

    /// Lends the store with the way to its hub, and shows how its use ended.
    private func showEnding(_ body: (SyncedStore) async throws -> Void) async {
        do {
            // A closed store would be opened anew.
            _ = try store.read { try $0.lastSequence() }
            let synced = try await SyncedStore(at: store.path, context: store.context, wrapping: wrap)
            do {
                try await body(synced)
                synced.abandon()
            } catch {
                synced.abandon()
                throw error
            }
        } catch {
            show(error)
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.fulfill(board.status) }
    }

    private func show(_ error: any Error) {
        switch error {
        case is CancellationError: board.show(.idle, code: board.status.failureCode)
        case SyncError.notSynced, IdentityError.notJoined: board.show(.notJoined, blocked: SyncFailure(error))
        // A step may have failed in another way because its task was cancelled.
        case _ where Task.isCancelled: board.show(.idle, code: board.status.failureCode)
        default: board.show(.failed, code: StoreSync.code(of: error), blocked: SyncFailure(error))
        }
    }

    // MARK: What makes an exchange due

    private func followStore(after start: UInt64) async throws {
        var last = start
        while true {
            do {
                for try await change in store.changes(after: last) {
                    last = change.sequence
                    // What came from others needs no answer.
                    if change.label.origin != .sync { noteWrite() }
                }
            } catch RecordsError.changesTrimmed {
                noteWrite()
            }
            try Task.checkCancellation()
            last = try store.read { try $0.lastSequence() }
        }
    }

    private func noteWrite() {
        state.withLock { $0.schedule.noteWrite(at: clock.monotonic) }
        wakeUp.yield()
    }

    private func followHub(of synced: SyncedStore) async throws {
        var head: Int64 = -1
        while true {
            do {
                head = try await synced.transport.watch(after: head)
                let cursor = try synced.replica.cursor()
                state.withLock { $0.schedule.noteAnswer(hasChanges: head != cursor) }
                wakeUp.yield()
            } catch let refusal as SyncRefusal {
                try Task.checkCancellation()
                let pause = refusal == .unavailable ? Self.watchPause : options.interval.microseconds
                try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: pause))
                head = -1
            }
        }
    }

    private func exchangeWhenDue(_ synced: SyncedStore) async throws {
        let alarm = Alarm(clock) { [wakeUp] in wakeUp.yield() }
        defer { alarm.cancel() }
        wakeUp.yield()
        for await _ in wakeUps {
            try Task.checkCancellation()
            let now = clock.monotonic
            guard let deadline = state.withLock({ $0.schedule.deadline(now: now) }), deadline <= now else {
                alarm.set(state.withLock { $0.schedule.deadline(now: now) })
                board.refresh(try synced.replica.status())
                continue
            }
            alarm.cancel()
            try await exchange(synced)
            wakeUp.yield()
        }
        throw CancellationError()
    }

    // MARK: One exchange

    /// Exchanges everything, and notes what is left to do.
    ///
    /// - Throws: Errors after which the store cannot be used, and `CancellationError`.
    private func exchange(_ synced: SyncedStore) async throws {
        let (isAsked, count) = state.withLock { state in
            defer { state.isAsked = false }
            state.schedule.begin()
            return (state.isAsked, state.waiting.count)
        }
        board.show(.exchanging, code: board.status.failureCode)
        let ending: SyncSchedule.Ending
        do {
            try await synced.run(releasing: isAsked)
            board.show(.idle, counts: try synced.replica.status())
            ending = .settled
        } catch {
            try Task.checkCancellation()
            ending = try self.ending(after: error, of: synced)
        }
        // Those who have asked in the meantime wait for the next exchange. When this one is cancelled, all wait for the end.
        let waiting = state.withLock { state in
            defer { state.waiting.removeFirst(count) }
            state.schedule.end(ending, at: clock.monotonic)
            return state.waiting.prefix(count)
        }
        for promise in waiting { promise.fulfill(board.status) }
    }

    private func ending(after error: any Error, of synced: SyncedStore) throws -> SyncSchedule.Ending {
        // The store of the application may have been closed.
        _ = try store.read { try $0.lastSequence() }
        let counts = try synced.replica.status()
        if let held = counts.held, error is SyncFailure {
            board.show(.failed, code: held, blocked: SyncFailure.held(held), counts: counts)
            // The clock can be set right without anybody asking for an exchange.
            return held == "clock" ? .retry(after: options.interval.microseconds, isUnreachable: false) : .blocked
        }
        let (refusal, isOffline): (SyncRefusal, Bool)
        switch error {
        case let error as HubRefusal: (refusal, isOffline) = (error.refusal, error.isOffline)
        case let error as HubClientError: (refusal, isOffline) = (error.refusal, error == .unreachable)
        case SyncError.invalidAnswer: (refusal, isOffline) = (.malformed, false)
        default: throw error
        }
        let delay = SyncBackoff.delay(
            after: refusal, failures: max(counts.failures, 1), random: store.context.random)
        board.show(isOffline ? .offline : .failed, code: StoreSync.code(of: error), counts: counts)
        return .retry(after: delay, isUnreachable: refusal == .unavailable)
    }
}

/// Calls a closure at a time that can be changed.
private final class Alarm: Sendable {
    private let clock: any TimeSource
    private let action: @Sendable () -> Void
    private let state = Mutex<(time: MonotonicTime, task: Task<Void, Never>)?>(nil)

    init(_ clock: any TimeSource, action: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.action = action
    }

    /// Replaces the time; nil for none.
    func set(_ time: MonotonicTime?) {
        state.withLock { state in
            if let state, state.time == time { return }
            state?.task.cancel()
            state = time.map { time in
                let task = Task { [clock, action] in
                    // Throws only when it is cancelled.
                    guard (try? await clock.sleep(until: time)) != nil else { return }
                    action()
                }
                return (time, task)
            }
        }
    }

    func cancel() { set(nil) }
}
