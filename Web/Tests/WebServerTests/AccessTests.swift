import Daybook
import Testing

@testable import WebServer

struct AccessTests {
    private let access = Access(port: 8025, random: SeededRandomSource(seed: 1))

    /// What the page itself sends.
    private func head(_ method: String = "GET", _ path: String = "/events") -> Access.Head {
        Access.Head(
            method: method, path: path, host: "127.0.0.1:8025",
            origin: method == "POST" ? "http://127.0.0.1:8025" : nil,
            cookies: "other=1; \(access.cookieName)=\(access.cookie)",
            pageToken: method == "POST" ? access.pageToken : nil)
    }

    @Test("The page may ask, and whoever has the printed address becomes the page [N-9]")
    func allowed() {
        #expect(access.verdict(on: head()) == .allowed)
        #expect(access.verdict(on: head("POST", "/do/create")) == .allowed)
        var entering = Access.Head(tokenInAddress: access.token, host: "localhost:8025", site: "cross-site")
        #expect(access.verdict(on: entering) == .enters)
        entering.host = "[::1]:8025"
        #expect(access.verdict(on: entering) == .enters)
    }

    /// Each of what the page sends, changed as somebody else would have it.
    static let changes: [(String, @Sendable (inout Access.Head) -> Void)] = [
        ("no host", { $0.host = nil }),
        ("another name for this address", { $0.host = "evil.example:8025" }),
        ("another port", { $0.host = "127.0.0.1:80" }),
        ("a host that begins the same", { $0.host = "127.0.0.1:8025.evil.example" }),
        ("another origin", { $0.origin = "http://evil.example" }),
        ("the origin of a file", { $0.origin = "null" }),
        ("another scheme", { $0.origin = "https://127.0.0.1:8025" }),
        ("another site, as the browser says", { $0.site = "cross-site" }),
        ("no cookie", { $0.cookies = nil }),
        ("an empty cookie", { $0.cookies = "daybook-8025=" }),
        ("the cookie of another port", { $0.cookies = $0.cookies?.replacing("daybook-8025", with: "daybook-8026") }),
        ("a shorter cookie", { $0.cookies?.removeLast() }),
        ("another method", { $0.method = "DELETE" }),
    ]

    @Test("A request that differs in one thing is refused [N-9]", arguments: changes.map(\.0))
    func refused(name: String) throws {
        let change = try #require(Self.changes.first { $0.0 == name }).1
        for method in ["GET", "POST"] {
            var head = head(method, "/do/create")
            change(&head)
            guard case .refused(let reason) = access.verdict(on: head) else {
                Issue.record("\(method) with \(name) is allowed")
                continue
            }
            #expect(!reason.contains(access.cookie) && !reason.contains(access.token))
        }
    }

    @Test("A POST needs the page's token, and the address its own: the other secrets do not help [N-9]")
    func tokens() {
        for wrong in [nil, "", access.token, access.cookie, String(access.pageToken.dropLast())] {
            var head = head("POST", "/do/create")
            head.pageToken = wrong
            #expect(access.verdict(on: head) != .allowed)
        }
        for wrong in ["", access.cookie, access.pageToken] {
            let head = Access.Head(tokenInAddress: wrong, host: "127.0.0.1:8025")
            #expect(access.verdict(on: head) == .refused(Access.outdated))
        }
        let others = Access(port: 8025, random: SeededRandomSource(seed: 2))
        #expect(Set([access.token, access.cookie, access.pageToken, others.token, others.cookie]).count == 5)
        #expect(access.token.utf8.count == 64)
    }
}
