import Daybook

/// Who may ask the server: whoever has opened the address that it printed, from a page of its own.
///
/// Other programs and other pages of the browser can reach the loopback interface as well. The token in the address is known to nobody
/// who has not seen the terminal; the cookie that it is exchanged for never leaves this address, and cannot be read by scripts. A page of
/// another site whose name leads here (DNS rebinding) has another `Host`; a form of another site has another `Origin`, and no token.
struct Access: Sendable {
    /// The token in the address that is printed.
    let token: String
    /// The value of the cookie.
    let cookie: String
    /// What a page sends with each `POST`.
    let pageToken: String
    /// The address and port of the server as a browser names them: `127.0.0.1:8025`.
    let hosts: Set<String>
    private let port: UInt16

    init(port: UInt16, random: any RandomSource = SystemRandomSource()) {
        self.port = port
        hosts = ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"]
        func secret() -> String {
            (0..<4).map { _ in
                let part = String(random.next(), radix: 16)
                return String(repeating: "0", count: 16 - part.count) + part
            }.joined()
        }
        (token, cookie, pageToken) = (secret(), secret(), secret())
    }

    /// A cookie belongs to all ports of an address, so each server has one of its own name.
    var cookieName: String { "daybook-\(port)" }

    /// The address to open.
    var address: String { "http://127.0.0.1:\(port)/?token=\(token)" }

    /// The header that sets the cookie.
    var cookieHeader: String { "\(cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict" }

    enum Verdict: Equatable {
        /// The page, or what it asks for.
        case allowed
        /// Somebody opens the printed address: set the cookie.
        case enters
        /// The reason, in a sentence for whoever sees it.
        case refused(String)
    }

    /// The head of a request, as far as it matters.
    struct Head {
        var method = "GET"
        var path = "/"
        var tokenInAddress: String?
        var host: String?
        var origin: String?
        /// The `Sec-Fetch-Site` of browsers that have it.
        var site: String?
        var cookies: String?
        var pageToken: String?
    }

    func verdict(on head: Head) -> Verdict {
        guard let host = head.host?.lowercased(), hosts.contains(host) else {
            return .refused("This name is not that of the page. Open the address that 'daybook serve' has printed.")
        }
        if let origin = head.origin, origin.lowercased() != "http://\(host)" {
            return .refused("Another site has asked for this.")
        }
        // A link on another site may lead to the page, but nothing else of it.
        if head.site == "cross-site", head.path != "/" { return .refused("Another site has asked for this.") }
        if head.method == "GET", head.path == "/", let given = head.tokenInAddress {
            return Self.equal(given, token) ? .enters : .refused(Self.outdated)
        }
        guard let given = cookieValue(in: head.cookies), Self.equal(given, cookie) else {
            return .refused(Self.outdated)
        }
        switch head.method {
        case "GET": return .allowed
        case "POST":
            guard let given = head.pageToken, Self.equal(given, pageToken) else { return .refused(Self.outdated) }
            return .allowed
        default: return .refused("Only GET and POST are understood.")
        }
    }

    static let outdated =
        "Open the page by the address that 'daybook serve' has printed in the terminal; an earlier one is not valid any more."

    private func cookieValue(in header: String?) -> String? {
        for pair in (header ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            let name = parts.first.map { $0.drop { $0 == " " } }
            if parts.count == 2, name.map(String.init) == cookieName { return String(parts[1]) }
        }
        return nil
    }

    /// Compares in a time that does not tell how much of it is right.
    private static func equal(_ given: String, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        guard given.count == secret.count else { return false }
        return zip(given, secret).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
