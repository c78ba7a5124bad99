import Daybook
import FoundationEssentials
import HubCore
import HubServer
import HubTestSupport
import Hummingbird
import NIOCore
import Sync
import Synchronization
import Testing

@testable import HubClient

/// Two hubs with a store each, of which one at a time has a space.
@Suite("Spaces that move", .timeLimit(.minutes(2)))
struct MovedSpaceTests {
    /// Where the space is; each hub asks it.
    private final class Directory: Sendable {
        enum Owner { case first, second, nobody }

        let owner = Mutex(Owner.first)
        let addresses = Mutex<[String]>([])

        func settings(of hub: Int) -> HubSettings {
            var settings = HubSettings()
            settings.registrationToken = "operator"
            settings.place = { [self] _ in
                let addresses = addresses.withLock { $0 }
                switch owner.withLock({ $0 }) {
                case .nobody: return .moving
                case .first: return hub == 0 ? .here : .elsewhere(addresses[0])
                case .second: return hub == 1 ? .here : .elsewhere(addresses[1])
                }
            }
            return settings
        }
    }

    private static func withHubs(
        _ body: (Directory, HubAddress, HubAddress, any HubStorage, any HubStorage) async throws -> Void
    ) async throws {
        let directory = Directory()
        try await TestStorage.embedded.with { one in
            try await TestStorage.embedded.with { two in
                try await RunningServer.withHub(directory.settings(of: 0), storage: one) { first, _ in
                    try await RunningServer.withHub(directory.settings(of: 1), storage: two) { second, _ in
                        directory.addresses.withLock { $0 = [first.description, second.description] }
                        try await body(directory, first, second, one, two)
                    }
                }
            }
        }
    }

    private static func units(_ identity: SpaceIdentity, _ number: UInt64) throws -> [SyncUnit] {
        [
            try identity.cardUnit(
                stamp: Stamp(
                    time: UInt64(TestHub.start.microsecondsSince1970 / 1000) << 16 + number, device: identity.device))
        ]
    }

    @Test("A device follows its space to another hub and back, with its session, its epoch and its invites")
    func follows() async throws {
        try await Self.withHubs { directory, first, second, one, two in
            // The address that the device has keeps: the space is elsewhere from the beginning.
            try await RunningServer.withConnection(second) { connection in
                let random = RunningServer.random
                let (identity, recovery) = try SpaceIdentity.create(
                    hub: second.description, pin: nil, name: "laptop", random: random)
                try await connection.createSpace(of: identity, recovery: recovery, registrationToken: "operator")
                let session = HubSession(connection, of: identity)
                let request = SyncRequest(epoch: nil, pushNumber: 1, after: 0, units: try Self.units(identity, 1))
                let answer = try await session.sync(request)
                #expect(answer.results == [.accepted])
                #expect(try await one.read { try $0.sizes() }.spaces == 1)
                #expect(try await two.read { try $0.sizes() }.spaces == 0)
                let invite = Invite(to: identity, random: random)
                _ = try await session.open(invite, to: identity)

                directory.owner.withLock { $0 = .nobody }
                await #expect(throws: SyncRefusal.unavailable) { try await session.sync(request) }
                #expect(try await SpaceCopy(from: one, to: two).copy().spaces == 1)
                directory.owner.withLock { $0 = .second }

                // In the same session, whose token the other hub does not accept.
                let next = SyncRequest(
                    epoch: answer.epoch, pushNumber: 2, after: answer.next, units: try Self.units(identity, 2))
                let there = try await session.sync(next)
                #expect(there.results == [.accepted] && there.head == 2 && there.epoch == answer.epoch)
                let other = try await connection.join(
                    NewDevice(name: "phone", random: random), with: try Invite(uri: invite.uri))
                #expect(
                    try await HubSession(connection, of: other).sync(
                        SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])
                    ).units.count == 1)
                #expect(try await one.read { try $0.heads(of: [identity.space]) } == [identity.space: 1])
            }
        }
    }

    private static let pull = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])

    private static func session(_ connection: HubConnection) throws -> HubSession {
        HubSession(connection, space: UUID(), device: 1, keys: try DeviceKeys(random: RunningServer.random))
    }

    private static var empty: Response {
        let answer = SyncAnswer(epoch: UUID(), results: [], units: [], next: 0, head: 0, digest: 0, time: 0)
        return Response(
            status: .ok, headers: [.contentType: "application/octet-stream"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.encoded)))
    }

    @Test("The token of a session goes to no second hub, however many requests are under way")
    func tokens() async throws {
        let seen = Mutex<[String]>([])
        try await RunningServer.withAnswer { request in
            if let token = request.headers[.authorization] { seen.withLock { $0.append(token) } }
            return RunningServer.session(request, token: "second") ?? Self.empty
        } _: { second in
            try await RunningServer.withAnswer { request in
                RunningServer.session(request, token: "first") ?? RunningServer.misdirected(to: second.description)
            } _: { first in
                try await RunningServer.withConnection(first) { connection in
                    let session = try Self.session(connection)
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 { group.addTask { _ = try await session.sync(Self.pull) } }
                        try await group.waitForAll()
                    }
                }
            }
        }
        #expect(seen.withLock { $0 } == [String](repeating: "Bearer second", count: 8))
    }

    @Test("After a hub was named that does not answer, the device asks again at the address that it was given")
    func wrongLine() async throws {
        let isRepaired = Mutex(false)
        try await RunningServer.withAnswer { request in
            if isRepaired.withLock({ $0 }) { return RunningServer.session(request) ?? Self.empty }
            // Nobody listens there.
            return RunningServer.misdirected(to: "http://127.0.0.1:1")
        } _: { address in
            try await RunningServer.withConnection(address) { connection in
                let session = try Self.session(connection)
                for _ in 0..<3 {
                    await #expect(throws: SyncRefusal.unavailable) { try await session.sync(Self.pull) }
                }
                isRepaired.withLock { $0 = true }
                #expect(try await session.sync(Self.pull).head == 0)
            }
        }
    }

    @Test("Hubs that name each other in a circle are waited out")
    func circle() async throws {
        try await RunningServer.withAnswer { request in
            RunningServer.misdirected(to: "http://\(request.head.authority ?? "")")
        } _: { address in
            try await RunningServer.withConnection(address) { connection in
                let session = try Self.session(connection)
                await #expect(throws: SyncRefusal.unavailable) { try await session.sync(Self.pull) }
            }
        }
    }

    @Test("A hub with TLS cannot send a device to one without")
    func insecure() throws {
        let secure = try HubAddress("https://a.example")
        let other = try HubAddress("https://b.example")
        let local = try HubAddress("http://127.0.0.1:80")
        #expect(!secure.permits(local) && secure.permits(other))
        #expect(local.permits(local) && local.permits(secure))
    }
}
