import Daybook
import FoundationEssentials
import HubClient
import HubTestSupport
import Hummingbird
import NIOCore
import Sync
import Testing

/// What a client makes of answers that say no, and of servers that are no hubs.
@Suite(.timeLimit(.minutes(2))) struct RefusalTests {
    private static let request = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])

    private static func keys() throws -> DeviceKeys { try DeviceKeys(random: SeededRandomSource(seed: 1)) }

    /// What a device sees of a server that gives tokens, and this answer to every other request.
    private static func refusal(
        _ status: Int, _ headers: HTTPFields, _ body: [UInt8], timeouts: HubConnection.Timeouts = .init()
    ) async throws -> (SyncRefusal?, HubClientError?) {
        let answer = Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        var refusal: SyncRefusal?
        var problem: HubClientError?
        try await RunningServer.withAnswer { request in
            if let session = RunningServer.session(request) { return session }
            return answer
        } _: { address in
            try await RunningServer.withConnection(address, timeouts: timeouts) { connection in
                let session = HubSession(connection, space: UUID(), device: 1, keys: try keys())
                do throws(SyncRefusal) {
                    _ = try await session.sync(request)
                } catch {
                    refusal = error
                }
                problem = await session.problem
            }
        }
        return (refusal, problem)
    }

    private static let all: [SyncRefusal] = [
        .malformed, .unauthorized, .forbidden, .unknownSpace, .epochChanged(TestHub.uuid(1)), .forked, .tooLarge,
        .clockAhead(time: 1_234_567), .upgradeRequired, .busy(retryAfter: 17), .unavailable, .full,
    ]

    @Test("Each refusal of a hub reaches the device as it is", arguments: all)
    func refusals(expected: SyncRefusal) async throws {
        let (refusal, problem) = try await Self.refusal(
            expected.status, [.contentType: "application/octet-stream"], expected.encoded)
        #expect(refusal == expected)
        #expect(problem == .refused(expected))
    }

    @Test("What a proxy refuses does not count as the hub's word: nothing is revoked and no space is gone")
    func proxies() async throws {
        let page = Array("<html>not here</html>".utf8)
        for status in [301, 302, 400, 401, 403, 404, 409, 422, 426] {
            let (refusal, problem) = try await Self.refusal(status, [.contentType: "text/html"], page)
            #expect(refusal == .unavailable)
            #expect(problem == .notAHub(status: status))
        }
        #expect(try await Self.refusal(413, [.contentType: "text/html"], page).0 == .tooLarge)
        #expect(try await Self.refusal(502, [:], page).0 == .unavailable)
        #expect(try await Self.refusal(429, [.retryAfter: "9"], page).0 == .busy(retryAfter: 9))
    }

    @Test("An answer that is no message, or too long, is no answer")
    func garbage() async throws {
        let lengths = [0, 10, 3 << 20]
        for length in lengths {
            let body = [UInt8](repeating: 0x5A, count: length)
            let (refusal, _) = try await Self.refusal(200, [.contentType: "application/octet-stream"], body)
            #expect(refusal == .unavailable)
        }
    }

    @Test("A redirect is not followed: the token is for one hub")
    func redirect() async throws {
        let (refusal, _) = try await Self.refusal(307, [.location: "http://127.0.0.1:1/"], [])
        #expect(refusal == .unavailable)
    }

    @Test("A hub that is not there, or does not answer in time, is unavailable")
    func silence() async throws {
        try await RunningServer.withConnection(HubAddress("http://127.0.0.1:1")) { connection in
            let session = HubSession(connection, space: UUID(), device: 1, keys: try Self.keys())
            await #expect(throws: SyncRefusal.unavailable) { try await session.sync(Self.request) }
            #expect(await session.problem == .unreachable)
        }
        var timeouts = HubConnection.Timeouts()
        timeouts.answerMilliseconds = 300
        try await RunningServer.withAnswer { request in
            if let session = RunningServer.session(request) { return session }
            try await Task.sleep(for: .seconds(3))
            return Response(status: .ok)
        } _: { address in
            try await RunningServer.withConnection(address, timeouts: timeouts) { connection in
                let session = HubSession(connection, space: UUID(), device: 1, keys: try Self.keys())
                await #expect(throws: SyncRefusal.unavailable) { try await session.sync(Self.request) }
            }
        }
    }

    @Test("Plain HTTP is accepted for loopback addresses only")
    func addresses() throws {
        for text in [
            "https://sync.example.org", "https://10.0.0.1:8620/daybook/", "http://localhost:8620", "http://127.0.0.1",
            "http://127.1.2.3:1", "http://[::1]:8620",
        ] {
            #expect(!(try HubAddress(text).description.hasSuffix("/")))
        }
        for text in ["http://sync.example.org", "http://10.0.0.1", "http://127.0.0.1.example.org", "http://127.1"] {
            #expect(throws: HubClientError.insecureAddress) { try HubAddress(text) }
        }
        for text in ["", "hub", "ftp://localhost", "https://", "https://a:b@c", "https://a?b", "https://a#b"] {
            #expect(throws: HubClientError.invalidAddress, "\(text)") { try HubAddress(text) }
        }
    }
}
