import FoundationEssentials
import Glibc
import Synchronization

extension SpaceIdentity {
    /// The name of the file in the store's folder.
    public static let fileName = "sync.json"
    private static let format = 1
    private static let fileCount = Atomic<Int>(0)

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
    public static func isThere(inStore folder: String) -> Bool { access("\(folder)/\(fileName)", F_OK) == 0 }

    /// Reads the identity of the store in a folder.
    ///
    /// - Throws: `notJoined` without the file, `invalidFile`, `file`.
    public static func read(inStore folder: String) throws(IdentityError) -> SpaceIdentity {
        let path = "\(folder)/\(fileName)"
        guard access(path, F_OK) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .notJoined : .file(code: errno)
        }
        guard let data = FileManager.default.contents(atPath: path) else { throw .file(code: errno) }
        guard let content = try? JSONDecoder().decode(Content.self, from: data), content.format == format,
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
        let (draft, file) = try Self.makeDraft(in: folder)
        do throws(IdentityError) {
            try Self.write(Array(data) + [UInt8(ascii: "\n")], to: file)
            guard rename(draft, "\(folder)/\(Self.fileName)") == 0 else { throw .file(code: errno) }
        } catch {
            _ = unlink(draft)
            throw error
        }
        try Self.flush(folder)
    }

    /// Removes the file: the store no longer takes part in sync.
    public static func remove(fromStore folder: String) throws(IdentityError) {
        guard unlink("\(folder)/\(fileName)") == 0 || errno == ENOENT else { throw .file(code: errno) }
        try flush(folder)
    }

    /// Creates an empty file. One that is there is left alone: a process with the same id, perhaps in another container, may
    /// be writing it.
    private static func makeDraft(in folder: String) throws(IdentityError) -> (path: String, file: Int32) {
        while true {
            let number = fileCount.add(1, ordering: .relaxed).newValue
            let path = "\(folder)/\(fileName).\(getpid())-\(number).tmp"
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file >= 0 { return (path, file) }
            guard errno == EEXIST else { throw .file(code: errno) }
        }
    }

    /// Writes and flushes a new file, and closes it.
    private static func write(_ bytes: [UInt8], to file: Int32) throws(IdentityError) {
        defer { _ = close(file) }
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(file, rest, rest.count)
            if count > 0 {
                rest.removeFirst(count)
            } else if errno != EINTR {
                throw .file(code: errno)
            }
        }
        guard fsync(file) == 0 else { throw .file(code: errno) }
    }

    private static func flush(_ folder: String) throws(IdentityError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(code: errno) }
        defer { _ = close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(code: errno) }
    }
}
