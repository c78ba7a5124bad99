import Crypto
import Foundation
import HubCore
import HubMessages
import HubTestSupport
import Sync
import Testing

@Suite("Spaces, devices and invites")
struct AccountTests {
    private let token = Data(repeating: 3, count: 16)
    private var tokenHash: Data { Data(SHA256.hash(data: token)) }

    @Test(
        "Creating a space again with the same keys is answered alike; with others it conflicts",
        arguments: TestStorage.all)
    func createAgain(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let request = SpaceRequest(space: hub.space, device: TestHub.registration(1))
            let again = try await hub.hub.createSpace(request)
            #expect(try await hub.pull().epoch == again.epoch)
            await #expect(throws: AccountRefusal.conflict) {
                try await hub.hub.createSpace(SpaceRequest(space: hub.space, device: TestHub.registration(2)))
            }
            await #expect(throws: SyncRefusal.malformed) {
                var device = TestHub.registration(2)
                device.signingKey = Data([1])
                _ = try await hub.hub.createSpace(SpaceRequest(space: TestHub.uuid(3), device: device))
            }
        }
    }

    @Test("An invite lets one device join, which may ask again", arguments: TestStorage.all)
    func inviteOnce(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let invite = InviteRequest(tokenHash: tokenHash, sealedKeys: Data([5, 6]))
            let answer = try await hub.hub.invite(invite, space: hub.space, device: 1)
            #expect(answer.expires - answer.time == 600_000_000)
            let join = JoinRequest(token: token, device: TestHub.registration(2))
            let joined = try await hub.hub.join(join, space: hub.space, sponsor: nil)
            #expect(joined.sealedKeys == Data([5, 6]))
            #expect(try await hub.hub.join(join, space: hub.space, sponsor: nil) == joined)
            await #expect(throws: AccountRefusal.invite) {
                try await hub.hub.join(
                    JoinRequest(token: token, device: TestHub.registration(3)), space: hub.space, sponsor: nil)
            }
            #expect(try await hub.push([hub.unit(1, by: 2)], number: 1, by: 2).results == [.accepted])
            let devices = try await hub.hub.devices(of: hub.space, device: 2).devices
            #expect(devices.map(\.registration) == [TestHub.registration(1), TestHub.registration(2)])
            #expect(devices.allSatisfy { $0.role == .member && !$0.isRevoked })
        }
    }

    @Test("An invite expires after ten minutes, and a wrong token is refused", arguments: TestStorage.all)
    func expiredInvite(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            let invite = InviteRequest(tokenHash: tokenHash, sealedKeys: Data([5, 6]))
            _ = try await hub.hub.invite(invite, space: hub.space, device: 1)
            let join = JoinRequest(token: token, device: TestHub.registration(2))
            await #expect(throws: AccountRefusal.invite) {
                try await hub.hub.join(
                    JoinRequest(token: Data(repeating: 4, count: 16), device: TestHub.registration(2)),
                    space: hub.space, sponsor: nil)
            }
            hub.clock.advance(byMicroseconds: 600_000_000)
            await #expect(throws: AccountRefusal.invite) {
                try await hub.hub.join(join, space: hub.space, sponsor: nil)
            }
            await #expect(throws: SyncRefusal.unauthorized) {
                try await hub.hub.join(
                    JoinRequest(token: nil, device: TestHub.registration(2)), space: hub.space, sponsor: nil)
            }
            // The next invite removes it.
            _ = try await hub.hub.invite(
                InviteRequest(tokenHash: Data(repeating: 1, count: 32), sealedKeys: Data()), space: hub.space, device: 1
            )
            let left = try await storage.write { [space = hub.space] in try $0.invites(of: space).count }
            #expect(left == 1)
        }
    }

    @Test("A space has at most 16 open invites", arguments: TestStorage.all)
    func inviteLimit(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace()
            for number: UInt8 in 0..<16 {
                let invite = InviteRequest(tokenHash: Data(repeating: number, count: 32), sealedKeys: Data())
                _ = try await hub.hub.invite(invite, space: hub.space, device: 1)
            }
            await #expect(throws: AccountRefusal.limit) {
                try await hub.hub.invite(
                    InviteRequest(tokenHash: Data(repeating: 99, count: 32), sealedKeys: Data()), space: hub.space,
                    device: 1)
            }
        }
    }

    @Test("A revoked device can neither push, pull, invite, revoke nor join again", arguments: TestStorage.all)
    func revoked(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            try await hub.push([hub.unit(1, by: 2)], number: 1, by: 2)
            try await hub.hub.revoke(2, in: hub.space, device: 1)
            try await hub.hub.revoke(2, in: hub.space, device: 1)
            await #expect(throws: SyncRefusal.forbidden) { try await hub.pull(by: 2) }
            await #expect(throws: SyncRefusal.forbidden) {
                try await hub.push([hub.unit(2, by: 2)], number: 2, by: 2)
            }
            await #expect(throws: SyncRefusal.forbidden) {
                try await hub.hub.invite(
                    InviteRequest(tokenHash: tokenHash, sealedKeys: Data()), space: hub.space, device: 2)
            }
            await #expect(throws: SyncRefusal.forbidden) {
                try await hub.hub.revoke(1, in: hub.space, device: 2)
            }
            await #expect(throws: SyncRefusal.forbidden) {
                try await hub.hub.join(
                    JoinRequest(token: nil, device: TestHub.registration(2)), space: hub.space, sponsor: 1)
            }
            await #expect(throws: SyncRefusal.forbidden) {
                try await hub.hub.records(RecordsRequest(records: []), space: hub.space, device: 2)
            }
            await #expect(throws: SyncRefusal.forbidden) { try await hub.hub.device(2, of: hub.space) }
            await #expect(throws: AccountRefusal.device) {
                try await hub.hub.revoke(7, in: hub.space, device: 1)
            }
            #expect(try await hub.pull().units.count == 1)
            #expect(try await hub.hub.devices(of: hub.space, device: 1).devices.map(\.isRevoked) == [false, true])
        }
    }

    @Test("Revoking a device drops the invites of the space", arguments: TestStorage.all)
    func revokingDropsInvites(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            try await hub.createSpace(devices: 1...2)
            let invite = InviteRequest(tokenHash: tokenHash, sealedKeys: Data([5]))
            _ = try await hub.hub.invite(invite, space: hub.space, device: 2)
            try await hub.hub.revoke(2, in: hub.space, device: 1)
            await #expect(throws: AccountRefusal.invite) {
                try await hub.hub.join(
                    JoinRequest(token: token, device: TestHub.registration(3)), space: hub.space, sponsor: nil)
            }
        }
    }

    @Test("A recovery key registers a new device", arguments: TestStorage.all)
    func recovery(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            let request = SpaceRequest(
                space: hub.space, device: TestHub.registration(1), recovery: TestHub.registration(100))
            _ = try await hub.hub.createSpace(request)
            _ = try await hub.hub.join(
                JoinRequest(token: nil, device: TestHub.registration(2)), space: hub.space, sponsor: 100)
            let roles = try await hub.hub.devices(of: hub.space, device: 2).devices.map(\.role)
            #expect(roles == [.member, .member, .recovery])
        }
    }

    @Test("An unknown space and a foreign device are refused", arguments: TestStorage.all)
    func unknown(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let hub = TestHub(storage)
            await #expect(throws: SyncRefusal.unknownSpace) { try await hub.pull() }
            await #expect(throws: SyncRefusal.unknownSpace) { try await hub.push([hub.unit(1)], number: 1) }
            try await hub.createSpace()
            await #expect(throws: SyncRefusal.forbidden) { try await hub.pull(by: 9) }
            await #expect(throws: SyncRefusal.forbidden) { try await hub.push([hub.unit(1)], number: 1, by: 9) }
            await #expect(throws: SyncRefusal.unknownSpace) {
                try await hub.hub.join(
                    JoinRequest(token: token, device: TestHub.registration(2)), space: TestHub.uuid(5), sponsor: nil)
            }
        }
    }

    @Test("All hubs on a storage have the same secret", arguments: TestStorage.all)
    func secret(_ kind: TestStorage) async throws {
        try await kind.with { storage in
            let first = try await TestHub(storage, seed: 1).hub.secret()
            let second = try await TestHub(storage, seed: 2).hub.secret()
            #expect(first == second && first.count == 32)
        }
    }
}
