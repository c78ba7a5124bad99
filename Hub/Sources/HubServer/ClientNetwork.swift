import NIOCore

/// Where a request without a session comes from, as far as limits count it.
enum ClientNetwork: Hashable, Sendable {
    /// One address of IPv4, also one that is written as IPv6 (`::ffff:192.0.2.1`).
    case ipv4(UInt32)
    /// The first 64 bits of an address of IPv6: a customer gets at least so many to choose from.
    case ipv6(UInt64)
    /// Tests, and sockets of the file system.
    case local

    /// The network of an address.
    init(_ address: SocketAddress?) {
        switch address {
        case .v4(let address):
            self = .ipv4(withUnsafeBytes(of: address.address.sin_addr) { Self.number($0) })
        case .v6(let address):
            self = withUnsafeBytes(of: address.address.sin6_addr) { bytes in
                let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
                return isMapped ? .ipv4(Self.number(bytes[12...])) : .ipv6(Self.number(bytes[..<8]))
            }
        default: self = .local
        }
    }

    private static func number<Number: FixedWidthInteger>(_ bytes: some Sequence<UInt8>) -> Number {
        bytes.reduce(0) { $0 << 8 | Number($1) }
    }
}
