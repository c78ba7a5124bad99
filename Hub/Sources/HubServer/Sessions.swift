import Crypto
import Daybook
import FoundationEssentials
import HubCore
import HubMessages
import Sync
import Synchronization

/// Who sends a request.
struct Session: Sendable, Hashable {
    let space: UUID
    let device: UInt64
    /// Seconds since 1970.
    let expires: Int64
}

/// Challenges and tokens. Both follow from the hub's secret, so that each hub on a storage accepts those of the others, and
/// nothing is stored for them.
final class Sessions: Sendable {
    private struct Memory {
        /// Tokens that were verified before.
        var tokens: [String: Session] = [:]
        /// Challenges that were answered, until they expire.
        var answered: [Data: Int64] = [:]
    }

    private let challengeKey: SymmetricKey
    private let tokens: SessionTokens
    private let clock: any TimeSource
    private let random: @Sendable () -> UInt64
    private let memory = Mutex(Memory())

    init(secret: [UInt8], clock: any TimeSource, random: @escaping @Sendable () -> UInt64) throws {
        let secret = SymmetricKey(data: secret)
        challengeKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("daybook challenge".utf8), outputByteCount: 32)
        let signing = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("daybook session".utf8), outputByteCount: 32)
        let seed = signing.withUnsafeBytes { Data($0) }
        tokens = SessionTokens(key: try Curve25519.Signing.PrivateKey(rawRepresentation: seed))
        self.clock = clock
        self.random = random
    }

    private var seconds: Int64 { clock.wall.microsecondsSince1970 / 1_000_000 }

    // MARK: Challenges

    /// What a device has to sign: when it expires, 16 random bytes, and a code that only hubs can make.
    func challenge(for request: ChallengeRequest) -> Data {
        var challenge = Data()
        for value in [UInt64(bitPattern: seconds + Int64(HubLimits.challengeSeconds)), random(), random()] {
            for shift in stride(from: 56, through: 0, by: -8) {
                challenge.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
            }
        }
        return challenge + code(of: challenge, request.space, request.device.value)
    }

    private func code(of challenge: Data, _ space: UUID, _ device: UInt64) -> Data {
        let message = SessionRequest.signedMessage(space: space, device: device, challenge: challenge)
        return Data(HMAC<SHA256>.authenticationCode(for: message, using: challengeKey))
    }

    /// Checks the signature of a challenge, which is good once.
    ///
    /// - Throws: `SyncRefusal.unauthorized`.
    func check(_ request: SessionRequest, signingKey: Data) throws(SyncRefusal) {
        let challenge = request.challenge
        guard challenge.count == 56 else { throw .unauthorized }
        let content = challenge.prefix(24)
        let message = SessionRequest.signedMessage(
            space: request.space, device: request.device.value, challenge: Data(content))
        let now = seconds
        let expires = Int64(bitPattern: content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                challenge.suffix(32), authenticating: message, using: challengeKey),
            expires > now, expires <= now + Int64(HubLimits.challengeSeconds),
            let key = try? Curve25519.Signing.PublicKey(rawRepresentation: signingKey),
            key.isValidSignature(
                request.signature,
                for: SessionRequest.signedMessage(
                    space: request.space, device: request.device.value, challenge: challenge))
        else { throw .unauthorized }
        let isFirst = memory.withLock { memory in
            if memory.answered.count > 65_536 { memory.answered = memory.answered.filter { $0.value > now } }
            return memory.answered.updateValue(expires, forKey: challenge) == nil
        }
        guard isFirst else { throw .unauthorized }
    }

    // MARK: Tokens

    /// A token for a device.
    func token(space: UUID, device: UInt64) throws -> String {
        let now = seconds
        let session = Session(space: space, device: device, expires: now + Int64(HubLimits.sessionSeconds))
        return try tokens.token(of: session, issued: now)
    }

    /// The session of a token.
    ///
    /// - Throws: `SyncRefusal.unauthorized` for a token that has expired, or that no hub on this storage has signed.
    func session(of token: String) throws(SyncRefusal) -> Session {
        guard token.utf8.count <= 2048 else { throw .unauthorized }
        let known = memory.withLock { $0.tokens[token] }
        let session: Session
        if let known {
            session = known
        } else {
            guard let signed = tokens.session(of: token) else { throw .unauthorized }
            session = signed
        }
        let now = seconds
        // A token from the future was signed by a hub whose clock is wrong, and would live for too long.
        guard session.expires > now, session.expires <= now + Int64(HubLimits.sessionSeconds) + 60 else {
            throw .unauthorized
        }
        if known == nil {
            memory.withLock { memory in
                if memory.tokens.count > 32_768 { memory.tokens = memory.tokens.filter { $0.value.expires > now } }
                if memory.tokens.count <= 65_536 { memory.tokens[token] = session }
            }
        }
        return session
    }
}
