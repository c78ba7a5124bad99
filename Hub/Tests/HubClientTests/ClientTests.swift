import Daybook
import FoundationEssentials
import HubClient
import HubMessages
import HubServer
import HubTestSupport
import Sync
import Testing

/// A client and a hub in one process, over TCP.
@Suite(.timeLimit(.minutes(2))) struct ClientTests {
    private static let random = RunningServer.random

    private static func unit(_ text: String, at time: Int64, by identity: SpaceIdentity) throws -> SyncUnit {
        let keys = identity.sealing
        let stamp = Stamp(
            time: UInt64(TestHub.start.microsecondsSince1970 / 1000 + time) << 16, device: identity.device)
        var unit = SyncUnit(
            record: keys.name(ofRecord: [1], in: 1), unit: 3, key: MergeKey.latest(stamp).bytes, body: [])
        unit.body = try keys.seal(Array(text.utf8), as: unit)
        return unit
    }

    private static func stamp(_ time: Int64, _ identity: SpaceIdentity) -> Stamp {
        Stamp(time: UInt64(TestHub.start.microsecondsSince1970 / 1000 + time) << 16, device: identity.device)
    }

    /// A space with its first device, whose card and recovery unit are at the hub.
    private static func space(
        _ connection: HubConnection
    ) async throws -> (SpaceIdentity, RecoveryKey, HubSession) {
        let (identity, recovery) = try SpaceIdentity.create(
            hub: connection.address.description, pin: nil, name: "desktop", random: random)
        try await connection.createSpace(of: identity, recovery: recovery)
        let session = HubSession(connection, of: identity)
        _ = try await push(
            [
                identity.cardUnit(stamp: stamp(1, identity)),
                identity.recoveryUnit(stamp: stamp(1, identity), random: random),
            ], number: 1, over: session)
        return (identity, recovery, session)
    }

    private static func push(
        _ units: [SyncUnit], number: UInt64, after: Int64 = 0, over session: HubSession
    ) async throws -> SyncAnswer {
        try await session.sync(SyncRequest(epoch: nil, pushNumber: number, after: after, units: units))
    }

    private static func pull(_ session: HubSession) async throws -> [SyncUnit] {
        try await push([], number: 0, over: session).units.map(\.unit)
    }

    @Test("A device joins by an invite, and reads what the first one has pushed")
    func join() async throws {
        try await RunningServer.withHub { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (first, _, session) = try await Self.space(connection)
                _ = try await Self.push([Self.unit("text", at: 2, by: first)], number: 2, over: session)
                let invite = Invite(to: first, random: Self.random)
                #expect(try await session.open(invite, to: first) == HubLimits.inviteSeconds)

                let device = try NewDevice(name: "phone", random: Self.random)
                let read = try Invite(uri: invite.uri)
                let second = try await connection.join(device, with: read)
                // The answer was lost: the device asks again.
                #expect(try await connection.join(device, with: read) == second)
                let units = try await Self.pull(HubSession(connection, of: second))
                let texts = units.filter { !$0.isReserved }.map { try? second.sealing.open($0) }
                #expect(texts == [Array("text".utf8)])
                #expect(try await session.devices().devices.count == 3)

                let other = try NewDevice(name: "another", random: Self.random)
                await #expect(throws: HubClientError.invite) { try await connection.join(other, with: read) }
                let unknown = Invite(to: first, random: Self.random)
                await #expect(throws: HubClientError.invite) { try await connection.join(other, with: unknown) }
            }
        }
    }

    @Test("An invite is of no use after ten minutes")
    func expiry() async throws {
        try await RunningServer.withHub { address, clock in
            try await RunningServer.withConnection(address) { connection in
                let (first, _, session) = try await Self.space(connection)
                let invite = Invite(to: first, random: Self.random)
                _ = try await session.open(invite, to: first)
                clock.advance(byMicroseconds: 601_000_000)
                let device = try NewDevice(name: "phone", random: Self.random)
                await #expect(throws: HubClientError.invite) { try await connection.join(device, with: invite) }
            }
        }
    }

    @Test("A token that has expired is renewed, once for all requests that wait")
    func renewal() async throws {
        try await RunningServer.withHub { address, clock in
            try await RunningServer.withConnection(address) { connection in
                let (_, _, session) = try await Self.space(connection)
                for _ in 0..<2 {
                    clock.advance(byMicroseconds: 901_000_000)
                    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                        for _ in 0..<20 { group.addTask { try await Self.pull(session).count } }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                    #expect(counts == Array(repeating: 2, count: 20))
                }
                #expect(await session.problem == nil)
            }
        }
    }

    @Test("A device with another signing key gets no token")
    func foreignKeys() async throws {
        try await RunningServer.withHub { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (first, _, _) = try await Self.space(connection)
                let keys = try DeviceKeys(random: Self.random)
                let session = HubSession(connection, space: first.space, device: first.device, keys: keys)
                await #expect(throws: SyncRefusal.unauthorized) { try await Self.pull(session) }
                let nowhere = HubSession(connection, space: UUID(), device: first.device, keys: keys)
                await #expect(throws: SyncRefusal.self) { try await Self.pull(nowhere) }
            }
        }
    }

    @Test("A revoked device is refused, and the others get the key that it does not have")
    func revocation() async throws {
        try await RunningServer.withHub { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (first, _, session) = try await Self.space(connection)
                var identities = [first]
                for name in ["phone", "lost"] {
                    let invite = Invite(to: first, random: Self.random)
                    _ = try await session.open(invite, to: first)
                    let device = try NewDevice(name: name, random: Self.random)
                    let identity = try await connection.join(device, with: invite)
                    _ = try await Self.push(
                        [identity.cardUnit(stamp: Self.stamp(3, identity))], number: 1,
                        over: HubSession(connection, of: identity))
                    identities.append(identity)
                }
                let lost = HubSession(connection, of: identities[2])
                _ = try await Self.pull(lost)
                identities[0].receiveAll(try await Self.pull(session))

                try await session.revoke(identities[2].device)
                await #expect(throws: SyncRefusal.forbidden) { try await Self.pull(lost) }
                await #expect(throws: HubClientError.unknownDevice) { try await session.revoke(1) }
                let rotation = try identities[0].rotation(
                    removing: [identities[2].device], stamp: Self.stamp(4, first), random: Self.random)
                let answer = try await Self.push(rotation.units, number: 3, over: session)
                #expect(answer.results == [.accepted, .accepted])
                identities[0] = rotation.identity
                let secret = try Self.unit("secret", at: 5, by: identities[0])
                _ = try await Self.push([secret], number: 4, over: session)

                let units = try await Self.pull(HubSession(connection, of: identities[1]))
                identities[1].receiveAll(units)
                #expect(try identities[1].sealing.open(secret) == Array("secret".utf8))
                #expect(throws: SealingError.self) { try identities[2].sealing.open(secret) }
            }
        }
    }

    @Test("With the recovery key and the address, a new device gets everything back")
    func recovery() async throws {
        try await RunningServer.withHub { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (first, recovery, session) = try await Self.space(connection)
                _ = try await Self.push([Self.unit("text", at: 2, by: first)], number: 2, over: session)
                let key = try RecoveryKey(text: recovery.text)
                let device = try NewDevice(name: "new", random: Self.random)
                let identity = try await connection.recover(device, with: key, pin: nil)
                #expect(identity.space == first.space)
                let units = try await Self.pull(HubSession(connection, of: identity)).filter { !$0.isReserved }
                #expect(try units.map { try identity.sealing.open($0) } == [Array("text".utf8)])
                let other = RecoveryKey(random: Self.random)
                await #expect(throws: HubClientError.self) {
                    try await connection.recover(device, with: other, pin: nil)
                }
            }
        }
    }

    @Test("Waiting for changes ends when another device pushes")
    func watch() async throws {
        try await RunningServer.withHub { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (first, _, session) = try await Self.space(connection)
                let head = try await Self.push([], number: 0, over: session).head
                #expect(try await session.watch(after: head - 1) == head)
                let changed = Task { try await session.watch(after: head) }
                _ = try await Self.push([Self.unit("text", at: 2, by: first)], number: 2, over: session)
                #expect(try await changed.value == head + 1)
            }
        }
    }

    @Test("A hub that asks for a registration token gets it, or makes no space")
    func registration() async throws {
        var settings = HubSettings()
        settings.registrationToken = "let me in"
        try await RunningServer.withHub(settings) { address, _ in
            try await RunningServer.withConnection(address) { connection in
                let (identity, recovery) = try SpaceIdentity.create(
                    hub: address.description, pin: nil, name: "desktop", random: Self.random)
                for token in [nil, "open"] {
                    await #expect(throws: HubClientError.registration) {
                        try await connection.createSpace(of: identity, recovery: recovery, registrationToken: token)
                    }
                }
                for _ in 0..<2 {
                    try await connection.createSpace(
                        of: identity, recovery: recovery, registrationToken: "let me in")
                }
            }
        }
    }
}

extension SpaceIdentity {
    fileprivate mutating func receiveAll(_ units: [SyncUnit]) { _ = receive(units) }
}
