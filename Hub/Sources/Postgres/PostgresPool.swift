import DequeModule
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How a pool connects, waits and tries again.
public struct PostgresConfiguration: Sendable {
    /// A URI or a list of keywords, as libpq takes it: `postgresql://hub@db/daybook?sslmode=verify-full`.
    public var url: String
    /// How many connections there are, with one thread each.
    public var connections = 4
    /// How long one transaction may take, all of its attempts included.
    public var deadline = Duration.seconds(10)
    /// How often a transaction runs that loses against others.
    public var attempts = 64
    /// How far transactions are kept apart.
    public var isolation = PostgresIsolation.readCommitted
    /// Waits before another attempt, which is numbered from 1.
    public var pause: @Sendable (Int) -> Void = Self.backOff
    /// Sees each statement: for tests.
    public var probe: PostgresProbe?

    /// A configuration with the defaults.
    public init(url: String) { self.url = url }

    /// A random time that doubles its limit with each attempt, from 1 ms to 64 ms.
    public static let backOff: @Sendable (Int) -> Void = { attempt in
        let limit = UInt32(1_000) << UInt32(min(attempt, 6))
        usleep(UInt32.random(in: 0...limit))
    }
}

/// Some connections with a thread each, and the transactions that wait for one. How many wait is for the caller to limit.
public final class PostgresPool: Sendable {
    private typealias Job = @Sendable (Worker?) -> Void

    private struct State {
        var jobs: Deque<Job> = []
        var isClosed = false
        var counters: [String: Int64] = [:]
    }

    /// What runs on the thread of one connection.
    private final class Worker {
        let configuration: PostgresConfiguration
        let socket: SocketGuard
        private var connection: PostgresConnection?

        init(_ configuration: PostgresConfiguration, _ socket: SocketGuard) {
            self.configuration = configuration
            self.socket = socket
        }

        func connected() throws(PostgresError) -> PostgresConnection {
            if let connection, connection.isOpen { return connection }
            connection?.close()
            connection = nil
            let new = try PostgresConnection(
                url: configuration.url, socket: socket, probe: configuration.probe)
            connection = new
            return new
        }

        func close() {
            connection?.close()
            connection = nil
        }
    }

    private let configuration: PostgresConfiguration
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let sockets: [SocketGuard]
    private let listening = SocketGuard()
    private let listener = Mutex<PostgresListener?>(nil)
    private let end = DispatchSemaphore(value: 0)

    /// Starts the threads; each connects when it has something to do.
    public init(_ configuration: PostgresConfiguration) {
        self.configuration = configuration
        let sockets = (0..<max(1, configuration.connections)).map { _ in SocketGuard() }
        self.sockets = sockets
        let isWatched = DedicatedThread.start { [end, watched = sockets + [listening]] in
            while end.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
                let now = ContinuousClock.now
                for socket in watched { socket.check(now: now) }
            }
        }
        let started = sockets.filter { socket in DedicatedThread.start { [self] in serve(socket) } }
        // Without threads every request is refused, instead of waiting forever.
        if !isWatched || started.isEmpty { state.withLock { $0.isClosed = true } }
    }

    /// Runs statements outside of a transaction: reads.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await run(isolation: nil, body)
    }

    /// Runs a transaction, again and again while it loses against others.
    ///
    /// - Parameter isConflict: Whether an error of the closure is such a loss as well.
    /// - Throws: `PostgresError`; what the closure throws, after a rollback.
    public func transaction<Result: Sendable>(
        retrying isConflict: @escaping @Sendable (any Error) -> Bool = { _ in false },
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await run(isolation: configuration.isolation, isConflict: isConflict, body)
    }

    /// Begins to listen, on one more connection. A pool has one listener: a second call returns the first.
    ///
    /// - Parameters:
    ///   - channel: A name of letters and underscores.
    ///   - onNotification: Called with each text on the listener's thread.
    public func listen(
        to channel: String, onNotification: @escaping @Sendable (String) -> Void
    ) -> PostgresListener {
        listener.withLock { listener in
            if let listener { return listener }
            let new = PostgresListener(
                configuration, channel: channel, socket: listening, onNotification: onNotification)
            if state.withLock({ $0.isClosed }) { new.close() }
            listener = new
            return new
        }
    }

    /// What has happened so far: retries by SQLSTATE, lost connections, unknown outcomes.
    public var counters: [String: Int64] { state.withLock { $0.counters } }

    /// Ends all connections after what they do now. What waits is refused.
    public func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        end.signal()
        listener.withLock { $0?.close() }
        for _ in sockets { work.signal() }
    }

    // MARK: Threads

    private func serve(_ socket: SocketGuard) {
        let worker = Worker(configuration, socket)
        while true {
            work.wait()
            let (job, isClosed) = state.withLock { ($0.jobs.popFirst(), $0.isClosed) }
            if isClosed {
                job?(nil)
                while let rest = state.withLock({ $0.jobs.popFirst() }) { rest(nil) }
                worker.close()
                return
            }
            job?(worker)
        }
    }

    private func run<Result: Sendable>(
        isolation: PostgresIsolation?, isConflict: @escaping @Sendable (any Error) -> Bool = { _ in false },
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let job: Job = { worker in
                guard let worker else { return continuation.resume(throwing: PostgresError.closed) }
                continuation.resume(
                    with: Swift.Result { try self.attempt(worker, isolation, isConflict: isConflict, body) })
            }
            let isClosed = state.withLock { state in
                if !state.isClosed { state.jobs.append(job) }
                return state.isClosed
            }
            if isClosed { continuation.resume(throwing: PostgresError.closed) } else { work.signal() }
        }
    }

    private func attempt<Result>(
        _ worker: Worker, _ isolation: PostgresIsolation?, isConflict: (any Error) -> Bool,
        _ body: (PostgresTransaction) throws -> Result
    ) throws -> Result {
        worker.socket.begin(deadline: ContinuousClock.now + configuration.deadline)
        defer { worker.socket.end() }
        var lost = 0
        for attempt in 1... {
            do {
                let transaction = PostgresTransaction(try worker.connected(), isolation: isolation)
                do {
                    let result = try body(transaction)
                    try transaction.commit()
                    return result
                } catch {
                    transaction.rollBack()
                    throw error
                }
            } catch {
                let known = error as? PostgresError
                count(known, isConflict: isConflict(error))
                guard attempt < configuration.attempts, !worker.socket.hasExpired else { throw error }
                if known?.endsConnection == true {
                    // A server that was restarted has ended every connection: a new one serves.
                    worker.close()
                    lost += 1
                    guard lost < 3 else { throw error }
                } else {
                    guard known?.isConflict == true || isConflict(error) else { throw error }
                }
                configuration.pause(attempt)
            }
        }
        throw PostgresError.connectionLost
    }

    private func count(_ error: PostgresError?, isConflict: Bool) {
        let name: String
        switch error {
        case .server(let state): name = "state_\(state)"
        case .connectionLost: name = "connection_lost"
        case .outcomeUnknown: name = "outcome_unknown"
        default:
            guard isConflict else { return }
            name = "head_moved"
        }
        state.withLock { $0.counters[name, default: 0] += 1 }
    }
}
