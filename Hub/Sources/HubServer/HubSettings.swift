import FoundationEssentials

/// How a hub serves.
public struct HubSettings: Sendable {
    /// The address that it listens on.
    public var host = "127.0.0.1"
    /// The port; 0 for any that is free.
    public var port = 8620
    /// The files with the certificate chain and its private key, in PEM.
    public var certificate: (chain: String, key: String)?
    /// Whoever creates a space must send this as bearer token; nil lets everyone.
    public var registrationToken: String?
    /// Which hub has which space, when several divide them.
    public var place: @Sendable (UUID) -> SpacePlace = { _ in .here }
    /// How many connections are open at a time.
    public var connectionLimit = 20_000
    /// How many requests use the storage at a time; more wait.
    public var storageLimit = 64
    /// How many requests wait for the storage before more are refused.
    public var queueLimit = 1024
    /// How many requests a device may send in a second, and how many more at once after a pause.
    public var deviceRate = RateLimit(perSecond: 30, burst: 120)
    /// That limit for requests without a session, by the address that they come from.
    public var addressRate = RateLimit(perSecond: 10, burst: 60)
    /// Seconds between two looks at the heads of watched spaces, where other hubs may push as well.
    public var pollSeconds = 0.5
    /// Seconds until a connection without a request is closed.
    public var idleSeconds: Int64 = 75
    /// Seconds that requests have to end when the hub stops.
    public var shutdownSeconds: Int64 = 10

    /// The defaults.
    public init() {}

    /// What is wrong; nil when a hub may listen so.
    public var problem: String? {
        guard certificate == nil, !Self.isLoopback(host) else { return nil }
        return """
            Without TLS a hub listens on loopback addresses only, and \(host) is none. Give --tls-certificate and \
            --tls-key, or listen on 127.0.0.1 behind a reverse proxy.
            """
    }

    /// Whether only programs of this machine reach an address.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// How often something may happen.
public struct RateLimit: Sendable, Hashable {
    /// How often in a second, in the long run.
    public var perSecond: Double
    /// How often at once after a pause.
    public var burst: Double

    /// A limit.
    public init(perSecond: Double, burst: Double) {
        self.perSecond = perSecond
        self.burst = burst
    }
}
