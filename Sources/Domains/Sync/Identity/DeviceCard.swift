import FoundationEssentials

/// A device as the others of its space know it. They learn its keys from here, not from the hub, which could list
/// another device.
public struct DeviceCard: Sendable, Hashable {
    /// The device.
    public let device: UInt64
    /// What a person calls it.
    public let name: String
    /// Its Ed25519 public key.
    public let signingKey: [UInt8]
    /// Its X25519 public key.
    public let receivingKey: [UInt8]

    /// How many bytes of a name are kept.
    private static let nameLimit = 128

    /// A card. A long name is cut.
    public init(device: UInt64, name: String, keys: DeviceKeys) {
        self.device = device
        var name = name
        while name.utf8.count > Self.nameLimit { name.removeLast() }
        self.name = name
        signingKey = keys.signingKey
        receivingKey = keys.receivingKey
    }

    var encoded: [UInt8] {
        var writer = WireWriter()
        write(to: &writer)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = WireReader(bytes)
        try self.init(from: &reader)
        // A later version may append fields.
    }

    func write(to writer: inout WireWriter) {
        writer.putFixed(device)
        writer.put(signingKey)
        writer.put(receivingKey)
        writer.put(name)
    }

    init(from reader: inout WireReader) throws(MalformedMessage) {
        device = try reader.fixed()
        signingKey = try reader.data()
        receivingKey = try reader.data()
        name = try reader.text()
        guard signingKey.count == 32, receivingKey.count == 32 else { throw MalformedMessage() }
    }
}
