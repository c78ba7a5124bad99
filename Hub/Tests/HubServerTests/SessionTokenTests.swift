import Crypto
import Foundation
import Testing

@testable import HubServer

@Suite("Tokens of sessions")
struct SessionTokenTests {
    private static func tokens() throws -> SessionTokens {
        SessionTokens(key: try Curve25519.Signing.PrivateKey(rawRepresentation: Data(repeating: 7, count: 32)))
    }

    /// Made by PyJWT with the same key.
    private static let foreign = """
        eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.\
        eyJzdWIiOiIxODQ0Njc0NDA3MzcwOTU1MTYxNSIsInNwYyI6IjBGMUUyRDNDLTRCNUEtNDk3OC04Nzk2LUE1QjRDM0QyRTFGMCIs\
        ImlhdCI6MTc3MjM2NjQwMCwiZXhwIjoxNzcyMzY3MzAwfQ.\
        Fu9U5JT0bR0aK6cAZByXgo6ymZnDxkCr_al0GPNt9zb8WA75VrS5ctTN8iiLKbrV1rDnTOtBAJi0oz-w0wqYBg
        """

    private static var session: Session {
        get throws {
            Session(
                space: try #require(UUID(uuidString: "0F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0")), device: .max,
                expires: 1_772_367_300)
        }
    }

    @Test("A token that another library has made with the key is read, and what a hub makes is read again")
    func both() throws {
        let (tokens, session) = (try Self.tokens(), try Self.session)
        #expect(tokens.session(of: Self.foreign) == session)
        #expect(tokens.session(of: try tokens.token(of: session, issued: 1)) == session)
    }

    @Test("No character of a token can be changed, left out or added")
    func forged() throws {
        let tokens = try Self.tokens()
        let characters = Array(Self.foreign)
        for index in characters.indices.dropLast() {
            for replacement in ["", "A", "b", "=", ".", "+", "\(characters[index])A"] {
                var forged = characters.map { "\($0)" }
                guard forged[index] != replacement else { continue }
                forged[index] = replacement
                #expect(tokens.session(of: forged.joined()) == nil, "character \(index), \(replacement)")
            }
        }
    }

    @Test("A token without a signature, or one that names another way to sign, is none")
    func algorithms() throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Data(repeating: 7, count: 32))
        let payload = Self.foreign.split(separator: ".")[1]
        for header in [#"{"alg":"none"}"#, #"{"alg":"HS256","typ":"JWT"}"#, "{}", "", "null"] {
            let text = Data(header.utf8).base64EncodedString().replacing("=", with: "")
            let signature = try key.signature(for: Data("\(text).\(payload)".utf8)).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(try Self.tokens().session(of: "\(text).\(payload).\(signature)") == nil, "\(header)")
            #expect(try Self.tokens().session(of: "\(text).\(payload).") == nil)
        }
    }
}
