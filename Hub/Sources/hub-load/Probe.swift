import ArgumentParser
import AsyncHTTPClient
import Daybook
import FoundationEssentials
import Glibc

/// Pushes one unit again and again, and prints when each was acknowledged, in milliseconds since 1970: the gaps between two lines
/// are the times without service.
struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print when a hub acknowledges pushes")

    @Argument(help: "The hub, such as http://127.0.0.1:8620.")
    var hub: String

    @Option(help: "How many seconds it lasts.")
    var seconds: Double = 10

    func run() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .seconds(1)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let clock = SystemClock()
        let end = clock.monotonic.advanced(byMicroseconds: Int64(seconds * 1_000_000))
        var device: LoadDevice?
        while clock.monotonic < end {
            do {
                if let device {
                    _ = try await device.pushOnce(units: 1, body: [0])
                    // Not buffered: the lines are followed while they are written.
                    let line = Array("\(clock.wall.microsecondsSince1970 / 1000)\n".utf8)
                    _ = write(1, line, line.count)
                } else {
                    let new = LoadDevice(hub: hub, client: client, space: UUID(), isPatient: false, timeoutSeconds: 2)
                    try await new.createSpace()
                    device = new
                }
            } catch {
                // Whatever it was, it is a moment without service. Another hub may answer.
            }
            try await clock.sleep(until: clock.monotonic.advanced(byMicroseconds: 50_000))
        }
        try await client.shutdown()
    }
}
