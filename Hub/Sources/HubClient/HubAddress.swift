import FoundationEssentials

/// The address of a hub: `https://HOST[:PORT][/PATH]`, or `http://` for a loopback address.
public struct HubAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address without a slash at its end.
    public let description: String

    /// Reads an address.
    ///
    /// - Throws: `invalidAddress`, `insecureAddress`.
    public init(_ text: String) throws(HubClientError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else { throw .invalidAddress }
        switch scheme {
        case "https": break
        case "http": guard Self.isLoopback(host) else { throw .insecureAddress }
        default: throw .invalidAddress
        }
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        description = text
    }

    /// Whether a hub at this address may name another one for a space: never one without TLS, unless it has none itself.
    func permits(_ other: HubAddress) -> Bool { other.isSecure || !isSecure }

    private var isSecure: Bool { description.lowercased().hasPrefix("https:") }

    /// Whether only programs of this machine answer at an address.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
