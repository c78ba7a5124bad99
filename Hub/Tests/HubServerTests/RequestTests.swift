import Crypto
import Daybook
import Foundation
import HTTPTypes
import HubCore
import HubMessages
import HubTestSupport
import Hummingbird
import HummingbirdTesting
import Sync
import Testing

@testable import HubServer

@Suite("Requests")
struct RequestTests {
    @Test("A device creates a space, invites another, and both sync [L-FR33]")
    func wholeWay() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let invitation = Data(repeating: 9, count: 16)
            let invite = InviteRequest(
                tokenHash: Data(SHA256.hash(data: invitation)), sealedKeys: Data([1, 2, 3]))
            let invited = try await fixture.post("/v1/spaces/\(fixture.space)/invites", invite, token: token)
            #expect(invited.status == 201)
            let join = JoinRequest(token: invitation, device: ServerFixture.registration(2))
            let joined = try await fixture.post("/v1/spaces/\(fixture.space)/devices", join)
            #expect(joined.status == 201)
            #expect(try joined.json(JoinAnswer.self).sealedKeys == Data([1, 2, 3]))

            _ = try await fixture.push(1, number: 1, token: token)
            let second = try await fixture.openSession(2)
            let answer = try await fixture.sync(
                SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: []), token: second)
            #expect(answer.headers[.contentType] == "application/octet-stream")
            let pulled = try SyncAnswer(decoding: answer.body)
            #expect(pulled.units.map(\.unit) == [fixture.unit(1)] && pulled.head == 1)

            let records = try await fixture.request(
                .post, "/v1/spaces/\(fixture.space)/records", token: second,
                body: RecordsRequest(records: [TestHub.uuid(1)]).encoded)
            #expect(try RecordsAnswer(decoding: records.body).units.map(\.unit) == [fixture.unit(1)])

            let list = try await fixture.request(.get, "/v1/spaces/\(fixture.space)/devices", token: token)
            #expect(try list.json(DeviceList.self).devices.map(\.registration.device.value) == [1, 2])

            let revoked = try await fixture.request(.delete, "/v1/spaces/\(fixture.space)/devices/2", token: token)
            #expect(revoked.status == 204)
            let refused = try await fixture.sync(
                SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: []), token: second)
            #expect(refused.refusal == .forbidden)
            await #expect(throws: SyncRefusal.forbidden) { try await fixture.openSession(2) }
        }
    }

    @Test("Missing, expired, forged and foreign tokens are refused")
    func tokens() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let pull = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])
            #expect(try await fixture.sync(pull, token: token).status == 200)
            let path = "/v1/spaces/\(fixture.space)/sync"
            #expect(try await fixture.request(.post, path, body: pull.encoded).status == 401)
            #expect(try await fixture.sync(pull, token: "").status == 401)
            #expect(try await fixture.sync(pull, token: String(repeating: "a", count: 4000)).status == 401)

            // A changed payload, a cut signature, no signature at all.
            let parts = token.split(separator: ".").map(String.init)
            for index in parts.indices {
                for offset in stride(from: 0, to: parts[index].count, by: 7) {
                    var changed = Array(parts[index])
                    changed[offset] = changed[offset] == "A" ? "B" : "A"
                    var forged = parts
                    forged[index] = String(changed)
                    guard forged != parts else { continue }
                    let status = try await fixture.sync(pull, token: forged.joined(separator: ".")).status
                    // The last character of base64 has bits that count for nothing.
                    #expect(status == 401 || offset == parts[index].count - 1, "part \(index), character \(offset)")
                }
            }
            #expect(try await fixture.sync(pull, token: parts[0] + "." + parts[1] + ".").status == 401)

            // Signed by the key of another hub.
            let others = SessionTokens(key: Curve25519.Signing.PrivateKey())
            let claims = Session(space: fixture.space, device: 1, expires: 4_000_000_000)
            #expect(try await fixture.sync(pull, token: try others.token(of: claims, issued: 0)).status == 401)

            // A space that the token is not for.
            let foreign = try await fixture.request(
                .post, "/v1/spaces/\(TestHub.uuid(3))/sync", token: token, body: pull.encoded)
            #expect(foreign.status == 403)

            fixture.clock.advance(byMicroseconds: 899_000_000)
            #expect(try await fixture.sync(pull, token: token).status == 200)
            fixture.clock.advance(byMicroseconds: 1_000_000)
            #expect(try await fixture.sync(pull, token: token).refusal == .unauthorized)
            #expect(try await fixture.sync(pull, token: try await fixture.openSession()).status == 200)
        }
    }

    @Test("A challenge is good once, for a minute, for one device, with its key")
    func challenges() async throws {
        try await ServerFixture.run { fixture in
            _ = try await fixture.createSpace()
            let challenge = try await fixture.challenge()
            let request = try fixture.sessionRequest(1, challenge)
            #expect(try await fixture.post("/v1/sessions", request).status == 200)
            #expect(try await fixture.post("/v1/sessions", request).status == 401)

            let wrongKey = try fixture.sessionRequest(1, try await fixture.challenge(), key: 2)
            #expect(try await fixture.post("/v1/sessions", wrongKey).status == 401)
            let foreign = try fixture.sessionRequest(1, try await fixture.challenge(2))
            #expect(try await fixture.post("/v1/sessions", foreign).status == 401)
            let invented = try fixture.sessionRequest(1, Data(repeating: 7, count: 56))
            #expect(try await fixture.post("/v1/sessions", invented).status == 401)
            let short = try fixture.sessionRequest(1, Data())
            #expect(try await fixture.post("/v1/sessions", short).status == 401)

            let late = try fixture.sessionRequest(1, try await fixture.challenge())
            fixture.clock.advance(byMicroseconds: 60_000_000)
            #expect(try await fixture.post("/v1/sessions", late).status == 401)

            // Whether a device exists shows only to whoever signs.
            #expect(try await fixture.challenge(77).count == challenge.count)
            let unknown = try fixture.sessionRequest(77, try await fixture.challenge(77))
            #expect(try await fixture.post("/v1/sessions", unknown).status == 403)
        }
    }

    @Test("Malformed and oversized requests are refused, and the hub keeps serving")
    func malformed() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let sync = "/v1/spaces/\(fixture.space)/sync"
            let valid = SyncRequest(epoch: nil, pushNumber: 1, after: 0, units: [fixture.unit(1)]).encoded
            for cut in 0..<valid.count {
                let answer = try await fixture.request(.post, sync, token: token, body: Array(valid.prefix(cut)))
                // The limit of requests counts these as well.
                #expect([400, 429].contains(answer.status))
                fixture.clock.advance(byMicroseconds: 100_000)
            }
            #expect(try await fixture.request(.post, sync, token: token, body: valid + [0]).status == 400)
            let large = [UInt8](repeating: 0, count: SyncProtocol.messageLimit + 1)
            #expect(try await fixture.request(.post, sync, token: token, body: large).refusal == .tooLarge)
            let json = [UInt8](repeating: 0x20, count: HubLimits.accountMessageLimit + 1)
            #expect(try await fixture.request(.post, "/v1/spaces", body: json).status == 413)
            for body in ["", "{", "[]", "{\"space\":1}", "null", "\u{0}"] {
                for path in ["/v1/spaces", "/v1/sessions", "/v1/sessions/challenge"] {
                    #expect(try await fixture.request(.post, path, body: Array(body.utf8)).status == 400)
                }
            }
            #expect(try await fixture.request(.post, "/v1/spaces/none/sync", token: token).status == 400)
            #expect(try await fixture.request(.get, "/v1/unknown").status == 404)
            #expect(try await fixture.request(.get, "/v1/spaces/\(fixture.space)/watch", token: token).status == 400)
            let wait = "/v1/spaces/\(fixture.space)/watch?after=0&wait=61"
            #expect(try await fixture.request(.get, wait, token: token).status == 400)
            let device = "/v1/spaces/\(fixture.space)/devices/x"
            #expect(try await fixture.request(.delete, device, token: token).status == 400)
            let unknown = try await fixture.request(.delete, "/v1/spaces/\(fixture.space)/devices/9", token: token)
            #expect(unknown.status == 404)
            if let name = HTTPField.Name("Daybook-Reason") { #expect(unknown.headers[name] == "device") }

            #expect(try await fixture.push(1, number: 1, token: token).results == [.accepted])
            #expect(try await fixture.request(.get, "/health").json(Health.self).status == "ok")
        }
    }

    @Test("Refusals of a push have their statuses and values")
    func refusals() async throws {
        try await ServerFixture.run { fixture in
            let token = try await fixture.createSpace()
            let epoch = try await fixture.push(1, number: 3, token: token).epoch
            let forked = SyncRequest(epoch: epoch, pushNumber: 3, after: 0, units: [fixture.unit(2)])
            #expect(try await fixture.sync(forked, token: token).refusal == .forked)
            let other = SyncRequest(epoch: TestHub.uuid(1), pushNumber: 0, after: 0, units: [])
            #expect(try await fixture.sync(other, token: token).refusal == .epochChanged(epoch))
            let now = fixture.clock.wall.microsecondsSince1970
            let stamp = Stamp(time: UInt64(now / 1000 + 61_000) << 16, device: 1)
            let ahead = SyncUnit(record: TestHub.uuid(1), unit: 2, key: MergeKey.latest(stamp).bytes, body: [])
            let early = SyncRequest(epoch: epoch, pushNumber: 4, after: 0, units: [ahead])
            #expect(try await fixture.sync(early, token: token).refusal == .clockAhead(time: now))
            var newer = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])
            newer.version = 9
            #expect(try await fixture.sync(newer, token: token).refusal == .upgradeRequired)
        }
    }

    @Test("A device that asks too often is told when to come back, and others are not affected")
    func rateLimit() async throws {
        var settings = HubSettings()
        settings.deviceRate = RateLimit(perSecond: 2, burst: 5)
        try await ServerFixture.run(settings: settings) { fixture in
            let token = try await fixture.createSpace()
            let join = JoinRequest(token: nil, device: ServerFixture.registration(2))
            #expect(try await fixture.post("/v1/spaces/\(fixture.space)/devices", join, token: token).status == 201)
            let second = try await fixture.openSession(2)
            let pull = SyncRequest(epoch: nil, pushNumber: 0, after: 0, units: [])
            for _ in 0..<4 { #expect(try await fixture.sync(pull, token: token).status == 200) }
            let refused = try await fixture.sync(pull, token: token)
            #expect(refused.refusal == .busy(retryAfter: 1) && refused.headers[.retryAfter] == "1")
            #expect(try await fixture.sync(pull, token: second).status == 200)
            fixture.clock.advance(byMicroseconds: 500_000)
            #expect(try await fixture.sync(pull, token: token).status == 200)
            #expect(try await fixture.sync(pull, token: token).status == 429)
        }
    }

    @Test("A hub with a registration token creates spaces for those who have it")
    func registrationToken() async throws {
        var settings = HubSettings()
        settings.registrationToken = "let me in"
        try await ServerFixture.run(settings: settings) { fixture in
            let request = SpaceRequest(space: fixture.space, device: ServerFixture.registration(1))
            let refused = try await fixture.post("/v1/spaces", request)
            #expect(refused.status == 401)
            #expect(try await fixture.post("/v1/spaces", request, token: "let me on").status == 401)
            #expect(try await fixture.post("/v1/spaces", request, token: "let me in").status == 201)
            #expect(try await fixture.openSession().isEmpty == false)
        }
    }

    @Test("Plain HTTP is served on loopback addresses only")
    func loopback() {
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "::1"] {
            var settings = HubSettings()
            settings.host = host
            #expect(settings.problem == nil, "\(host)")
        }
        for host in ["0.0.0.0", "10.0.0.1", "192.168.1.2", "example.com", "::", "127.0.0.1.example.com", "127.0.0"] {
            var settings = HubSettings()
            settings.host = host
            #expect(settings.problem != nil, "\(host)")
            settings.certificate = ("chain.pem", "key.pem")
            #expect(settings.problem == nil, "\(host)")
        }
    }
}
