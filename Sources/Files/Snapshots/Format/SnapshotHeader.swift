import ByteStreams
import CivilTime

/// The first 64 bytes of a snapshot, which are never encrypted.
public struct SnapshotHeader: Sendable, Equatable {
    /// The length of the header.
    public static let byteCount = 64
    /// The version of the format that this library writes, which is also the newest that it reads.
    public static let version = 2
    private static let magic: [UInt8] = [0x89, 0x44, 0x42, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The version of the format of this file.
    let formatVersion: Int
    /// Whether what follows is encrypted.
    public let isEncrypted: Bool
    /// When the snapshot was made.
    public let instant: Instant
    /// The identity of the snapshot.
    public let id: SnapshotID
    /// The snapshot that this one continues; nil for a full snapshot.
    public let base: SnapshotID?
    /// Identifies the store without reading the manifest: the beginning of SHA-256 of the store's id; 0 when it has
    /// none.
    public let storeMark: UInt64

    /// Whether the snapshot holds only the changes after another one.
    public var isIncremental: Bool { base != nil }

    /// Whether a file that begins with these bytes is a snapshot, of any version.
    package static func hasMagic(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: magic)
    }

    /// Creates the header of a snapshot with this manifest.
    init(_ manifest: SnapshotManifest, isEncrypted: Bool, formatVersion: Int = Self.version) {
        self.formatVersion = formatVersion
        self.isEncrypted = isEncrypted
        instant = manifest.instant
        id = manifest.id
        base = manifest.base?.id
        storeMark = manifest.storeMark
    }

    /// Reads the first bytes of the file at `path`.
    public init(_ bytes: [UInt8], path: String) throws(FileError) {
        guard Self.hasMagic(bytes) else { throw .notASnapshot(path: path) }
        do {
            var cursor = ByteCursor(bytes, at: Self.magic.count)
            let version = try cursor.integer(UInt16.self)
            guard version <= Self.version else {
                throw FileError.newerSnapshot(path: path, found: Int(version), supported: Self.version)
            }
            let flags = try cursor.integer(UInt16.self)
            let zero = try cursor.integer(UInt32.self)
            instant = Instant(microsecondsSince1970: try cursor.integer(Int64.self))
            id = SnapshotID(bytes: Array(bytes[try cursor.range(16)]))
            let base = SnapshotID(bytes: Array(bytes[try cursor.range(16)]))
            storeMark = try cursor.integer(UInt64.self)
            let isIncremental = flags & 1 != 0
            guard version > 0, flags < 4, zero == 0, cursor.isAtEnd, isIncremental == (base != .none) else {
                throw SnapshotDamage("its header is not valid")
            }
            formatVersion = Int(version)
            isEncrypted = flags & 2 != 0
            self.base = isIncremental ? base : nil
        } catch let error as FileError {
            throw error
        } catch let error as SnapshotDamage {
            throw .damagedSnapshot(path: path, reason: error.reason)
        } catch {
            throw .damagedSnapshot(path: path, reason: "its header is not valid")
        }
    }

    /// The encoded header.
    public var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: UInt16(formatVersion))
        bytes.append(littleEndian: UInt16((isIncremental ? 1 : 0) | (isEncrypted ? 2 : 0)))
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: instant.microsecondsSince1970)
        bytes.append(contentsOf: id.bytes)
        bytes.append(contentsOf: (base ?? .none).bytes)
        bytes.append(littleEndian: storeMark)
        return bytes
    }
}
