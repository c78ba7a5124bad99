import CivilTime
import FoundationEssentials
import KeyValue

/// `store.json`: what a person, or an older program, sees of a store without opening it.
struct StoreManifest: Codable, Equatable {
    static let fileName = "store.json"
    static let formatName = "daybook"
    /// The newest format of the store's files that this version reads and writes.
    static let formatVersion = 1

    var format: String
    var version: Int
    var createdAt: String
    var library: String

    init(createdAt: Instant) {
        format = Self.formatName
        version = Self.formatVersion
        self.createdAt = createdAt.description
        library = LibraryVersion.current
    }

    var encoded: [UInt8] {
        let fields = [
            "\"format\": \"\(format)\"", "\"version\": \(version)", "\"createdAt\": \"\(createdAt)\"",
            "\"library\": \"\(library)\"",
        ]
        return Array("{\n  \(fields.joined(separator: ",\n  "))\n}\n".utf8)
    }

    /// Refuses a folder that holds something else, or a store of a newer format, before anything of it is opened.
    /// Returns nil when there is no store yet.
    static func check(at path: String) throws(RecordsError) -> StoreManifest? {
        let file = "\(path)/\(fileName)"
        guard FileManager.default.fileExists(atPath: file) else {
            if FileManager.default.fileExists(atPath: "\(path)/data.mdb") { throw .notAStore(path: path) }
            return nil
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw .engine(.permissionDenied(path: file))
        }
        guard let manifest = try? JSONDecoder().decode(StoreManifest.self, from: data), manifest.format == formatName
        else { throw .notAStore(path: path) }
        guard manifest.version <= formatVersion else {
            throw .newerFormat(path: path, found: manifest.version, known: formatVersion)
        }
        return manifest
    }
}

/// The version of this library.
public enum LibraryVersion {
    /// For example "1.0.0".
    public static let current = "1.0.0"
}
