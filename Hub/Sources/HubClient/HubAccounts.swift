import CivilTime
import FoundationEssentials
import HubMessages
import NIOHTTP1
import Sync

/// The methods of the hub's interface.
enum HubMethod: Sendable {
    case get
    case post
    case delete

    var http: HTTPMethod {
        switch self {
        case .get: .GET
        case .post: .POST
        case .delete: .DELETE
        }
    }
}

extension DeviceRegistration {
    fileprivate init(_ device: UInt64, _ keys: DeviceKeys) {
        self.init(device: device, signingKey: Data(keys.signingKey), agreementKey: Data(keys.receivingKey))
    }
}

// MARK: Without a session

extension HubConnection {
    /// Creates the space of a new identity. It can be repeated when the answer was lost.
    ///
    /// - Parameter registrationToken: what the hub's operator asks for, if anything.
    /// - Throws: `registration`, `conflict`, or why the hub did not answer.
    public func createSpace(
        of identity: SpaceIdentity, recovery: RecoveryKey, registrationToken: String? = nil
    ) async throws(HubClientError) {
        guard let recoveryKeys = try? recovery.keys else { throw .refused(.malformed) }
        let request = SpaceRequest(
            space: identity.space, device: DeviceRegistration(identity.device, identity.keys),
            recovery: DeviceRegistration(recovery.device, recoveryKeys))
        _ = try await send(.POST, "/v1/spaces", HubRequest(json: request, token: registrationToken))
    }

    /// Joins the space of an invite. The same device can repeat it when the answer was lost.
    ///
    /// - Returns: the identity of the device, to be kept before anything else is done.
    /// - Throws: `HubClientError`; `IdentityError.wrongSecret` when the hub's keys are not those of the invite.
    public func join(_ device: NewDevice, with invite: Invite) async throws -> SpaceIdentity {
        let request = JoinRequest(
            token: Data(invite.tokenBytes), device: DeviceRegistration(device.device, device.keys))
        let body = try await send(
            .POST, "/v1/spaces/\(invite.space.uuidString.lowercased())/devices", HubRequest(json: request))
        let answer = try HubRequest.read(JoinAnswer.self, body)
        return try invite.join(device, sealedKeys: Array(answer.sealedKeys))
    }

    /// Gets a space back with its recovery key, as a new device.
    ///
    /// - Parameter pin: of the hub's certificate, for the new identity.
    /// - Throws: `HubClientError`; `IdentityError.wrongSecret` when the hub's key ring is not for this key.
    public func recover(
        _ device: NewDevice, with key: RecoveryKey, pin: CertificatePin?
    ) async throws -> SpaceIdentity {
        let session = HubSession(self, space: key.space, device: key.device, keys: try key.keys)
        let body = try await session.send(
            .post, "\(session.path)/records",
            HubRequest(message: RecordsRequest(records: [RecoveryKey.record]).encoded, token: nil))
        guard let answer = try? RecordsAnswer(decoding: body) else { throw HubClientError.notAHub(status: 200) }
        let units = answer.units.map(\.unit)
        let identity = try key.recover(device, from: units, hub: address.description, pin: pin)
        try await session.register(device)
        return identity
    }
}

// MARK: With a session

extension HubSession {
    /// Leaves the sealed keys of the space at the hub, for the device that gets the invite.
    ///
    /// - Returns: for how many seconds the invite is valid.
    public func open(_ invite: Invite, to identity: SpaceIdentity) async throws(HubClientError) -> Int {
        guard let sealed = try? invite.seal(identity.ring) else { throw .refused(.malformed) }
        let request = InviteRequest(tokenHash: Data(invite.tokenHash), sealedKeys: Data(sealed))
        let body = try await send(.post, "\(path)/invites", HubRequest(json: request))
        let answer = try HubRequest.read(InviteAnswer.self, body)
        return Int((answer.expires - answer.time) / 1_000_000)
    }

    /// Registers another device: one that was recovered, or a copy of this one that becomes a separate device.
    public func register(_ device: NewDevice) async throws(HubClientError) {
        let request = JoinRequest(token: nil, device: DeviceRegistration(device.device, device.keys))
        _ = try await send(.post, "\(path)/devices", HubRequest(json: request))
    }

    /// The devices as the hub lists them: numbers, and which are revoked. Their names are in `KeyRing.members`.
    public func devices() async throws(HubClientError) -> DeviceList {
        try HubRequest.read(DeviceList.self, try await send(.get, "\(path)/devices", HubRequest()))
    }

    /// Revokes a device: it can neither push nor pull any more. What it has, it keeps; a new key is then to be
    /// announced, see `SpaceIdentity.rotation`.
    public func revoke(_ device: UInt64) async throws(HubClientError) {
        _ = try await send(.delete, "\(path)/devices/\(device)", HubRequest())
    }
}
