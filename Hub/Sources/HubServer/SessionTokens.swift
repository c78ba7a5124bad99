import Crypto
import FoundationEssentials

/// Makes and reads the tokens of sessions: JSON Web Tokens with an Ed25519 signature (RFC 7519, RFC 8037). Only hubs read them.
struct SessionTokens: Sendable {
    private struct Header: Codable {
        var alg = "EdDSA"
        var typ: String? = "JWT"
    }

    private struct Claims: Codable {
        let sub: String
        let spc: UUID
        let iat: Int64
        let exp: Int64
    }

    private let key: Curve25519.Signing.PrivateKey

    init(key: Curve25519.Signing.PrivateKey) { self.key = key }

    /// A token of a session.
    ///
    /// - Parameter issued: seconds since 1970.
    func token(of session: Session, issued: Int64) throws -> String {
        let claims = Claims(sub: "\(session.device)", spc: session.space, iat: issued, exp: session.expires)
        let content = "\(Self.text(try JSONEncoder().encode(Header()))).\(Self.text(try JSONEncoder().encode(claims)))"
        return "\(content).\(Self.text(try key.signature(for: Data(content.utf8))))"
    }

    /// The session of a token that this key has signed, whether or not it has expired; nil for any other.
    func session(of token: String) -> Session? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Self.data(parts[2]),
            key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)),
            let header = Self.data(parts[0]).flatMap({ try? JSONDecoder().decode(Header.self, from: $0) }),
            header.alg == Header().alg,
            let claims = Self.data(parts[1]).flatMap({ try? JSONDecoder().decode(Claims.self, from: $0) }),
            let device = UInt64(claims.sub)
        else { return nil }
        return Session(space: claims.spc, device: device, expires: claims.exp)
    }

    // MARK: Base64 for URLs (RFC 4648, section 5), without padding

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: Substring) -> Data? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
