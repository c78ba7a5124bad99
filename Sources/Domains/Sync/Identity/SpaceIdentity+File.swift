import FileSystem
import FoundationEssentials
import SystemErrors

extension SpaceIdentity {
    /// The name of the file in the store's folder.
    public static let fileName = "sync.json"
    private static let format = 1

    /// What is in the file; Format.md has the fields.
    private struct Content: Codable {
        var format: Int
        var space: UUID
        // Text, since many readers of JSON keep 53 bits of a number.
        var device: String
        var hub: String
        var pin: Data?
        var signingKey: Data
        var receivingKey: Data
        var ring: Data
        var revoking: [String]?
    }

    /// Whether the store in a folder belongs to a space. Cost: one system call.
    public static func isThere(inStore folder: String) -> Bool { FileTree.exists("\(folder)/\(fileName)") }

    /// Reads the identity of the store in a folder.
    ///
    /// - Throws: `notJoined` without the file, `invalidFile`, `file`.
    public static func read(inStore folder: String) throws(IdentityError) -> SpaceIdentity {
        let path = "\(folder)/\(fileName)"
        let bytes: [UInt8]
        do throws(SystemCondition) {
            bytes = try FileTree.read(path)
        } catch {
            throw error.isMissing ? .notJoined : .file(code: error.code)
        }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.format == format,
            let device = UInt64(content.device), device != 0, let ring = try? KeyRing(decoding: Array(content.ring)),
            let keys = try? DeviceKeys(
                signing: Secret(Array(content.signingKey)), receiving: Secret(Array(content.receivingKey)))
        else { throw .invalidFile }
        var pin: CertificatePin?
        if let bytes = content.pin {
            pin = CertificatePin(Array(bytes))
            // Without its pin, the connection would be trusted on other grounds.
            if pin == nil { throw .invalidFile }
        }
        var identity = SpaceIdentity(
            space: content.space, device: device, hub: content.hub, pin: pin, keys: keys, ring: ring)
        identity.revoking = Set((content.revoking ?? []).compactMap { UInt64($0) })
        return identity
    }

    /// Writes the file with mode 0600: it is replaced as a whole, and durable when the call returns.
    public func write(inStore folder: String) throws(IdentityError) {
        let content = Content(
            format: Self.format, space: space, device: "\(device)", hub: hub, pin: pin.map { Data($0.bytes) },
            signingKey: Data(keys.signingSecret.bytes), receivingKey: Data(keys.receivingSecret.bytes),
            ring: Data(ring.encoded),
            revoking: revoking.isEmpty ? nil : revoking.sorted().map { "\($0)" })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(content) else { throw .invalidFile }
        do throws(SystemCondition) {
            try FileTree.replace("\(folder)/\(Self.fileName)", with: Array(data) + [UInt8(ascii: "\n")])
        } catch {
            throw .file(code: error.code)
        }
    }

    /// Removes the file: the store no longer takes part in sync.
    public static func remove(fromStore folder: String) throws(IdentityError) {
        do throws(SystemCondition) {
            try FileTree.removeFileIfPresent("\(folder)/\(fileName)")
            try FileTree.flush(folder, openedFor: .folder)
        } catch {
            throw .file(code: error.code)
        }
    }
}
