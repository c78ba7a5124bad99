import ByteStreams
import CivilTime
import FoundationEssentials
import Glibc

/// A folder of snapshots.
package struct SnapshotFolder: Sendable {
    /// The folder.
    package let path: String

    /// Creates a value for a folder without reading it.
    package init(_ path: String) {
        self.path = path
    }

    /// Returns the snapshots, the oldest first, then files that have the suffix and are not snapshots. Cost: reads the
    /// first bytes of each.
    package func listing() throws(FileError) -> [SnapshotListing] {
        var listing: [SnapshotListing] = []
        for name in try names() where name.hasSuffix(SnapshotFile.suffix) {
            if let entry = try entry(name) { listing.append(entry) }
        }
        for index in listing.indices {
            guard let base = listing[index].header?.base else { continue }
            listing[index].base = listing.first { $0.header?.id == base }?.name
        }
        return listing.sorted { left, right in
            guard let leftHeader = left.header, let rightHeader = right.header else {
                return left.header == nil && right.header == nil ? left.name < right.name : left.header != nil
            }
            return (leftHeader.instant, left.name) < (rightHeader.instant, right.name)
        }
    }

    /// Returns the path of the snapshot with an id; nil when it is not in the folder.
    func file(id: SnapshotID) throws(FileError) -> String? {
        for name in try names() where name.hasSuffix(SnapshotFile.suffix) {
            if try entry(name)?.header?.id == id { return "\(path)/\(name)" }
        }
        return nil
    }

    /// Returns every snapshot of the folder by its id.
    func files() throws(FileError) -> [SnapshotID: (path: String, header: SnapshotHeader)] {
        var files: [SnapshotID: (path: String, header: SnapshotHeader)] = [:]
        for name in try names() where name.hasSuffix(SnapshotFile.suffix) {
            guard let header = try entry(name)?.header, files[header.id] == nil else { continue }
            files[header.id] = ("\(path)/\(name)", header)
        }
        return files
    }

    private func names() throws(FileError) -> [String] {
        guard let directory = opendir(path) else { throw FileError(code: errno, path: path) }
        closedir(directory)
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .permissionDenied(path: path)
        }
    }

    /// Nil for a folder or a device, and for a file that was removed in the meantime.
    private func entry(_ name: String) throws(FileError) -> SnapshotListing? {
        let file = "\(path)/\(name)"
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        do throws(FileError) {
            return SnapshotListing(
                name: name, bytes: Int(status.st_size), state: .readable(try SnapshotFile.header(of: file)))
        } catch {
            return SnapshotListing(
                name: name, bytes: Int(status.st_size), state: .unreadable(reason: error.shortReason))
        }
    }
}

/// A file in a folder of snapshots.
public struct SnapshotListing: Sendable, Equatable {
    /// The result of reading its beginning.
    public enum State: Sendable, Equatable {
        /// Its header.
        case readable(SnapshotHeader)
        /// Why it cannot be read.
        case unreadable(reason: String)
    }

    /// The file's name.
    public let name: String
    /// Its size.
    public let bytes: Int
    /// Whether it is a snapshot.
    public let state: State
    /// The name of the file that it continues; nil for a full snapshot, and when that file is not in the folder.
    public internal(set) var base: String?

    /// Its header, if it has one.
    public var header: SnapshotHeader? {
        guard case .readable(let header) = state else { return nil }
        return header
    }
}

/// A snapshot that was read completely and is valid.
public struct SnapshotSummary: Sendable, Equatable {
    /// The file.
    public let path: String
    /// Its size.
    public let bytes: Int
    /// The total length of the keys and values in it.
    public let uncompressedBytes: Int
    /// Whether it is encrypted.
    public let isEncrypted: Bool
    /// Whether the snapshot that it continues is in the same folder; true for a full snapshot.
    public let isBasePresent: Bool
    /// Its manifest.
    public let manifest: SnapshotManifest
}
