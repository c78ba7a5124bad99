import FlyingFox
import FlyingSocks
import Foundation

/// A pool of sockets that send at once.
///
/// A response is written as a head and a body. By default TCP holds the second back until the first is acknowledged, which the other
/// side delays as well: each response would take 40 ms longer. FlyingFox shows its sockets to nobody but a pool.
struct PromptSockets: AsyncSocketPool {
    private let pool: any AsyncSocketPool = HTTPServer.defaultPool()

    func prepare() async throws { try await pool.prepare() }

    func run() async throws { try await pool.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // What is accepted has the options of the socket that listens, which waits here first.
        try? socket.setValue(true, for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY))
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
