import CPostgres
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Notifications between the processes that share a database, by `LISTEN` and `NOTIFY`, on a connection and a thread of its own.
///
/// A transaction that notifies locks the whole database until it is committed, and all others would wait for it. So texts are sent
/// after the commit, together with those that came meanwhile. They are lost if the process dies first.
public final class PostgresListener: Sendable {
    private struct State {
        var unsent: [String] = []
        var isClosed = false
        var isListening = false
    }

    private let configuration: PostgresConfiguration
    private let channel: String
    private let socket: SocketGuard
    private let onNotification: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wake = WakeUp()

    /// How long nothing may arrive before a sign of life is sent, which this process receives as well.
    private static let quietMilliseconds: Int32 = 15_000
    /// Milliseconds between two attempts to connect, which double from the first to the second.
    private static let pauses: ClosedRange<Int32> = 500...30_000
    /// How many texts are sent in one round trip, and how many wait for a connection.
    private static let (batch, waiting) = (256, 4096)

    /// Starts the thread, which connects.
    ///
    /// - Parameters:
    ///   - channel: A name of letters and underscores.
    ///   - onNotification: Called with each text on the listener's thread, also with those of this process.
    init(
        _ configuration: PostgresConfiguration, channel: String, socket: SocketGuard,
        onNotification: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.channel = channel
        self.socket = socket
        self.onNotification = onNotification
        // Without a thread nothing arrives, and `isListening` stays false.
        _ = DedicatedThread.start { [self] in serve() }
    }

    /// Whether notifications arrive: not from a database without `LISTEN`, nor through a pool of connections that gives each
    /// statement another one.
    public var isListening: Bool { state.withLock { $0.isListening } }

    /// Sends a text of at most 7,999 bytes to all processes that listen, soon.
    public func notify(_ text: String) {
        let isFirst = state.withLock { state in
            guard !state.isClosed, state.unsent.count < Self.waiting else { return false }
            state.unsent.append(text)
            return state.unsent.count == 1
        }
        if isFirst { wake.signal() }
    }

    /// Ends the thread and its connection.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.signal()
    }

    // MARK: Thread

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func serve() {
        var pause = Self.pauses.lowerBound
        while !isClosed {
            do throws(PostgresError) {
                try listen { pause = Self.pauses.lowerBound }
            } catch {
                // Not supported, or no such statement: asking again is of no use.
                if case .server(let code) = error, code == "0A000" || code == "42601" { close() }
            }
            state.withLock { $0.isListening = false }
            if !isClosed { _ = wake.wait(also: nil, milliseconds: pause) }
            pause = min(pause * 2, Self.pauses.upperBound)
        }
    }

    private func listen(_ hasBegun: () -> Void) throws(PostgresError) {
        let connection = try PostgresConnection(url: configuration.url, socket: socket, probe: configuration.probe)
        defer { connection.close() }
        try run([PostgresStatement(unprepared: "LISTEN \(channel)")], on: connection)
        hasBegun()
        // Whether it really listens is known when this arrives.
        try run([notification("")], on: connection)
        var unansweredSigns = 0
        while !isClosed {
            let texts = try connection.notifications()
            if !texts.isEmpty {
                unansweredSigns = 0
                state.withLock { $0.isListening = true }
            }
            for text in texts where !text.isEmpty { onNotification(text) }
            let batch = state.withLock { state in
                defer { state.unsent.removeFirst(min(Self.batch, state.unsent.count)) }
                return Array(state.unsent.prefix(Self.batch))
            }
            guard batch.isEmpty else {
                try run(batch.map(notification), on: connection)
                continue
            }
            guard texts.isEmpty else { continue }
            guard wake.wait(also: connection.descriptor, milliseconds: Self.quietMilliseconds) else {
                if unansweredSigns > 0 { state.withLock { $0.isListening = false } }
                unansweredSigns += 1
                try run([notification("")], on: connection)
                continue
            }
        }
    }

    private func notification(_ text: String) -> PostgresStatement {
        PostgresStatement("SELECT pg_notify($1, $2)", [.text(channel), .text(text)])
    }

    private func run(_ statements: [PostgresStatement], on connection: PostgresConnection) throws(PostgresError) {
        socket.begin(deadline: ContinuousClock.now + configuration.deadline)
        defer { socket.end() }
        _ = try connection.run(statements)
    }
}

/// Lets a thread wait for a socket and for other threads.
private final class WakeUp: Sendable {
    private let reading: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors a wait ends by its time only.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        for end in [reading, writing] where end >= 0 { close(end) }
    }

    func signal() {
        // A full pipe wakes the thread as well.
        _ = withUnsafeBytes(of: UInt8(1)) { write(writing, $0.baseAddress, 1) }
    }

    /// - Returns: false if the time has passed.
    func wait(also descriptor: Int32?, milliseconds: Int32) -> Bool {
        var waiting = [reading, descriptor ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
        if waiting[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(reading, &bytes, bytes.count) == bytes.count {}
        }
        // A signal that interrupts is no reason to send anything.
        return count != 0
    }
}
