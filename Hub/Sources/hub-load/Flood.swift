import ArgumentParser
import AsyncHTTPClient
import Daybook
import FoundationEssentials
import Measuring
import NIOCore
import NIOPosix
import Synchronization
import Workloads

/// Times the pushes of devices while strangers flood the hub, beside the same pushes without them.
struct Flood: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Time pushes while strangers flood the hub",
        discussion: """
            Some devices push at a steady rate. Rounds with and without a flood alternate, so that both see the same machine. \
            In a flood each of many addresses of 127.0.0.0/8 opens a connection, sends one request without a session, and \
            leaves; meanwhile other connections ask for /health over and over. Needs Linux, which has all of 127.0.0.0/8.
            """)

    @Argument(help: "The hub, at an address of IPv4: http://127.0.0.1:8620.")
    var hub: String

    @Option(help: "How many devices push, each into a space of its own.")
    var devices = 16

    @Option(help: "How many pushes a device sends in a second.")
    var pushes = 10

    @Option(help: "How many rounds there are with a flood, and as many without.")
    var rounds = 6

    @Option(help: "How many seconds a round lasts.")
    var seconds = 10.0

    @Option(help: "From how many addresses requests come in a round with a flood.")
    var addresses = 50_000

    @Option(help: "How many requests for /health are sent in a second of a flood.")
    var health = 2000

    @Option(help: "How many times the 99th percentile without a flood is the limit.")
    var limit = 2.0

    func validate() throws {
        // 127.1.0.0 to 127.240.255.255 for strangers, 127.250.0.0 on for those who ask for /health.
        guard 0...0xF0_0000 ~= addresses else { throw ValidationError("There are 15,728,640 addresses at most.") }
        guard devices > 0, pushes > 0, rounds > 0, seconds > 0, health >= 0 else {
            throw ValidationError("Give positive numbers.")
        }
    }

    func run() async throws {
        guard let url = URL(string: hub), let host = url.host, let port = url.port,
            let target = try? SocketAddress(ipAddress: host, port: port), target.protocol == .inet
        else { throw ValidationError("Give an address of IPv4 and a port, such as http://127.0.0.1:8620.") }
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = devices
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // Threads of its own, so that the flood does not delay the answers of the pushes within this process.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await measure(client, Strangers(target, group.next()))
            try await client.shutdown()
            try await group.shutdownGracefully()
        } catch {
            try? await client.shutdown()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private func measure(_ client: HTTPClient, _ strangers: Strangers) async throws {
        let clock = SystemClock()
        var all: [LoadDevice] = []
        for _ in 0..<devices {
            let device = LoadDevice(hub: hub, client: client, space: UUID(), isPatient: false)
            try await device.createSpace()
            all.append(device)
        }
        // Connections, prepared statements and caches of the database.
        _ = try await push(all, seconds: 1, clock)
        var (quiet, flooded): ([Int64], [Int64]) = ([], [])
        for round in 0..<rounds * 2 {
            // Quiet and flooded, flooded and quiet: a machine that slows down slows both.
            guard round % 4 == 1 || round % 4 == 2 else {
                quiet += try await push(all, seconds: seconds, clock)
                continue
            }
            strangers.begin(
                addresses: addresses, perSecond: Double(addresses) / seconds, healthPerSecond: Double(health))
            flooded += try await push(all, seconds: seconds, clock)
            await strangers.end()
        }
        let answered = strangers.answered
        let time = Double(rounds) * seconds
        var rows = [
            MeasuredRow(
                "requests of strangers that were answered, a second: without a session, and for /health", target: "-",
                measured: "\(Int(Double(answered.requests) / time)), \(Int(Double(answered.health) / time))", holds: nil
            )
        ]
        for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
            let ratio = flooded.ratio(to: quiet, share)
            let isLimited = share > 0.5
            rows.append(
                MeasuredRow(
                    "\(name) of \(flooded.count) pushes in a flood of \(addresses) addresses and /health",
                    target: isLimited ? "at most \(limit)x" : "-",
                    measured:
                        "\(MeasuredRow.Value.ratio(ratio).text)x (\(flooded.text(share)), alone \(quiet.text(share)))",
                    holds: isLimited ? ratio <= limit : nil))
        }
        for row in rows { print(row.markdown) }
    }

    private func push(_ all: [LoadDevice], seconds: Double, _ clock: SystemClock) async throws -> [Int64] {
        let end = clock.monotonic.advanced(byMicroseconds: Int64(seconds * 1_000_000))
        let pause = 1_000_000 / Int64(pushes)
        return try await withThrowingTaskGroup(of: [Int64].self) { group in
            for device in all {
                group.addTask { try await device.push(units: 1, bytes: 96, until: end, pause: pause, clock: clock) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// Connections from many addresses of this machine, on one event loop.
private final class Strangers: Sendable {
    /// How many connections of strangers are open at most: a hub that does not keep up is asked less often.
    private static let openLimit = 2000
    private static let healthConnections = 16

    private struct State {
        var open = 0
        var answered = (requests: 0, health: 0)
        var next = 0
        /// What is left of the next connection, by the rate.
        var due = 0.0
        var isFlooding = false
    }

    private let target: SocketAddress
    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ target: SocketAddress, _ loop: any EventLoop) {
        self.target = target
        self.loop = loop
    }

    /// How many requests were answered so far.
    var answered: (requests: Int, health: Int) { state.withLock { $0.answered } }

    func begin(addresses: Int, perSecond: Double, healthPerSecond: Double) {
        state.withLock {
            $0.isFlooding = true
            $0.next = 0
        }
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { [self] task in
            let numbers = state.withLock { state -> Range<Int>? in
                guard state.isFlooding else { return nil }
                state.due += perSecond / 200
                let due = Int(state.due)
                state.due -= Double(due)
                let first = state.next
                state.next += max(0, min(due, addresses - first, Self.openLimit - state.open))
                state.open += state.next - first
                return first..<state.next
            }
            guard let numbers else { return task.cancel() }
            for number in numbers { visit(0x7F01_0000 + UInt32(number)) }
        }
        for number in 0..<Self.healthConnections {
            let pause = Int64(Double(Self.healthConnections) / max(healthPerSecond, 0.001) * 1_000_000_000)
            askForHealth(0x7FFA_0000 + UInt32(number), pause: .nanoseconds(pause))
        }
    }

    /// Ends the flood, and waits until its connections are closed.
    func end() async {
        state.withLock { $0.isFlooding = false }
        while state.withLock({ $0.open }) > 0 { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func connect(_ address: UInt32, _ handler: any ChannelInboundHandler & Sendable) {
        let text = (0..<4).map { "\(address >> (24 - 8 * UInt32($0)) & 0xFF)" }.joined(separator: ".")
        guard let source = try? SocketAddress(ipAddress: text, port: 0) else { return closed() }
        ClientBootstrap(group: loop).bind(to: source).connectTimeout(.seconds(5))
            .channelInitializer { $0.pipeline.addHandler(handler) }
            .connect(to: target)
            .flatMap { $0.closeFuture }
            .whenComplete { [self] _ in closed() }
    }

    private func closed() { state.withLock { $0.open -= 1 } }

    /// Sends a request without a session, and leaves with its answer.
    private func visit(_ address: UInt32) {
        let body = #"{"device":"1","space":"00000000-0000-0000-0000-000000000001"}"#
        let request = """
            POST /v1/sessions/challenge HTTP/1.1\r
            Host: hub\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """
        connect(
            address,
            Asker(request) { [self] context in
                state.withLock { $0.answered.requests += 1 }
                context.close(promise: nil)
            })
    }

    /// Asks over and over on one connection, until the flood ends.
    private func askForHealth(_ address: UInt32, pause: TimeAmount) {
        state.withLock { $0.open += 1 }
        let request = "GET /health HTTP/1.1\r\nHost: hub\r\n\r\n"
        connect(
            address,
            Asker(request) { [self] context in
                let shouldContinue = state.withLock { state in
                    state.answered.health += 1
                    return state.isFlooding
                }
                guard shouldContinue else { return context.close(promise: nil) }
                let channel = context.channel
                loop.scheduleTask(in: pause) {
                    channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
                }
            })
    }

    /// Sends a request when it is connected. Its answer is small enough to come at once.
    private final class Asker: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let request: String
        private let answered: @Sendable (ChannelHandlerContext) -> Void

        init(_ request: String, answered: @escaping @Sendable (ChannelHandlerContext) -> Void) {
            self.request = request
            self.answered = answered
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(NIOAny(ByteBuffer(string: request)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { answered(context) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
