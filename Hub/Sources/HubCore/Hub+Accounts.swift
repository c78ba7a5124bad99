import Crypto
import FoundationEssentials
import HubMessages
import Sync

/// A refusal of what accounts do, which the messages of `DaybookSync` have no name for.
public enum AccountRefusal: String, Error, Sendable, Hashable {
    /// 409: the space or the device exists with other keys.
    case conflict
    /// 403: the invite is unknown, expired or used.
    case invite
    /// 404: the space does not have the device.
    case device
    /// 401: this hub asks for a registration token.
    case registration
    /// 413: too many devices or open invites.
    case limit

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .conflict: 409
        case .invite: 403
        case .device: 404
        case .registration: 401
        case .limit: 413
        }
    }
}

extension Hub {
    /// Creates a space with its first device. Creating it again with the same content changes nothing.
    ///
    /// - Throws: `AccountRefusal.conflict`, `SyncRefusal`.
    public func createSpace(_ request: SpaceRequest) async throws -> SpaceAnswer {
        try request.device.check()
        try request.recovery?.check()
        guard request.recovery?.device != request.device.device else { throw SyncRefusal.malformed }
        let epoch = newID()
        return try await storage.write { rows in
            let state = try rows.lock(request.space, device: request.device.device.value, records: [])
            if let space = state.space {
                guard let device = state.device, device.hasKeys(of: request.device), !device.isRevoked else {
                    throw AccountRefusal.conflict
                }
                return SpaceAnswer(space: space.space, epoch: space.epoch)
            }
            try rows.insert(SpaceRow(space: request.space, epoch: epoch))
            try rows.insert(DeviceRow(space: request.space, registration: request.device, role: .member))
            if let recovery = request.recovery {
                try rows.insert(DeviceRow(space: request.space, registration: recovery, role: .recovery))
            }
            return SpaceAnswer(space: request.space, epoch: epoch)
        }
    }

    /// Lets one device join within ten minutes.
    ///
    /// - Throws: `AccountRefusal.limit`, `SyncRefusal`.
    public func invite(_ request: InviteRequest, space: UUID, device: UInt64) async throws -> InviteAnswer {
        guard request.tokenHash.count == 32, request.sealedKeys.count <= HubLimits.sealedKeysLimit else {
            throw SyncRefusal.malformed
        }
        let time = now()
        let expires = time + Int64(HubLimits.inviteSeconds) * 1_000_000
        let invite = InviteRow(
            space: space, tokenHash: Array(request.tokenHash), sealedKeys: Array(request.sealedKeys), expires: expires)
        return try await storage.write { rows in
            _ = try rows.lock(space, device: device, records: []).checked()
            try rows.deleteInvites(of: space, expiredBy: time)
            let others = try rows.invites(of: space)
            if let same = others.first(where: { $0.tokenHash == invite.tokenHash }) {
                guard same.sealedKeys == invite.sealedKeys, same.usedBy == nil else { throw AccountRefusal.conflict }
                return InviteAnswer(expires: same.expires, time: time)
            }
            guard others.count < HubLimits.inviteLimit else { throw AccountRefusal.limit }
            try rows.insert(invite)
            return InviteAnswer(expires: expires, time: time)
        }
    }

    /// Registers a device, with the token of an invite or on behalf of another device of the space. The same device may ask
    /// again when the answer was lost.
    ///
    /// - Parameter sponsor: The device with a session that registers it; nil with a token.
    /// - Throws: `AccountRefusal`, `SyncRefusal`.
    public func join(_ request: JoinRequest, space: UUID, sponsor: UInt64?) async throws -> JoinAnswer {
        try request.device.check()
        let time = now()
        let tokenHash = request.token.map { Array(SHA256.hash(data: $0)) }
        let newcomer = request.device.device.value
        return try await storage.write { rows in
            let state = try rows.lock(space, device: newcomer, records: [])
            guard let row = state.space else { throw SyncRefusal.unknownSpace }
            var invite: InviteRow?
            if let tokenHash {
                invite = try rows.invites(of: space).first { $0.tokenHash == tokenHash && $0.expires > time }
                guard let invite, invite.usedBy == nil || invite.usedBy == newcomer else { throw AccountRefusal.invite }
            } else {
                guard let sponsor else { throw SyncRefusal.unauthorized }
                _ = try rows.account(space, sponsor).checked()
            }
            let answer = JoinAnswer(epoch: row.epoch, sealedKeys: Data(invite?.sealedKeys ?? []))
            if let device = state.device {
                guard device.hasKeys(of: request.device) else { throw AccountRefusal.conflict }
                guard !device.isRevoked else { throw SyncRefusal.forbidden }
                guard invite == nil || invite?.usedBy == newcomer else { throw AccountRefusal.conflict }
                return answer
            }
            // An invite that was used by a device which is gone is used.
            guard invite?.usedBy == nil else { throw AccountRefusal.invite }
            guard try rows.devices(of: space).count < HubLimits.deviceLimit else { throw AccountRefusal.limit }
            try rows.insert(DeviceRow(space: space, registration: request.device, role: .member))
            if var invite {
                invite.usedBy = newcomer
                try rows.update(invite)
            }
            return answer
        }
    }

    /// The devices of a space.
    ///
    /// - Throws: `SyncRefusal`.
    public func devices(of space: UUID, device: UInt64) async throws -> DeviceList {
        try await storage.read { rows in
            _ = try rows.account(space, device).checked()
            return DeviceList(
                devices: try rows.devices(of: space).map {
                    DeviceList.Device(registration: $0.registration, role: $0.role, isRevoked: $0.isRevoked)
                })
        }
    }

    /// Revokes a device of a space. Its sessions end with their next request, and open invites are dropped.
    ///
    /// - Throws: `AccountRefusal.device`, `SyncRefusal`.
    public func revoke(_ revoked: UInt64, in space: UUID, device: UInt64) async throws {
        try await storage.write { rows in
            let state = try rows.lock(space, device: revoked, records: [])
            _ = try rows.account(space, device).checked()
            guard var row = state.device else { throw AccountRefusal.device }
            guard !row.isRevoked else { return }
            row.isRevoked = true
            try rows.update(row)
            // An open invite holds keys from before the next one, and may be the revoked device's.
            try rows.deleteInvites(of: space, expiredBy: .max)
        }
    }

    /// A device that may open a session.
    ///
    /// - Throws: `SyncRefusal`.
    public func device(_ device: UInt64, of space: UUID) async throws -> DeviceRow {
        try await storage.read { try $0.account(space, device).checked().device }
    }

    /// The hub's secret, from which its tokens are signed: the same for all hubs on a storage. The first hub makes it.
    public func secret() async throws -> [UInt8] {
        if let secret = try await storage.read({ try $0.setting("secret") }) { return secret }
        let new = newBytes(32)
        return try await storage.write { rows in
            if let secret = try rows.setting("secret") { return secret }
            try rows.insert(setting: "secret", new)
            return new
        }
    }

    /// Gives every space a new epoch, after the storage was restored from a backup: devices then push and pull everything.
    ///
    /// - Returns: How many spaces there are.
    @discardableResult
    public func renewEpochs() async throws -> Int {
        var count = 0
        var last: UUID?
        while true {
            let spaces = try await storage.read { [last] in try $0.spaces(after: last, limit: 256) }
            guard let end = spaces.last else { return count }
            for space in spaces {
                let renewed = newID()
                try await storage.write { rows in
                    guard let old = try rows.lock(space, device: 0, records: []).space else { return }
                    var new = old
                    new.epoch = renewed
                    try rows.update(old, to: new)
                }
            }
            count += spaces.count
            last = end
        }
    }
}

extension DeviceRegistration {
    fileprivate func check() throws(SyncRefusal) {
        guard signingKey.count == 32, agreementKey.count == 32, label.count <= HubLimits.labelLimit else {
            throw .malformed
        }
    }
}
