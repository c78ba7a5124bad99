import ByteStreams
import CivilTime
import FoundationEssentials
import Glibc

/// A folder in which snapshots are kept.
public struct SnapshotFolder: Sendable {
    /// The folder.
    public let path: String

    /// Names a folder; nothing is read yet.
    public init(_ path: String) {
        self.path = path
    }

    /// The snapshots, the oldest first, then files that are named like one and are none. Cost: the first bytes of each.
    public func listing() throws(FileError) -> [SnapshotListing] {
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

    /// The path of the snapshot with an id; nil when it is not here.
    func file(id: SnapshotID) throws(FileError) -> String? {
        for name in try names() where name.hasSuffix(SnapshotFile.suffix) {
            if try entry(name)?.header?.id == id { return "\(path)/\(name)" }
        }
        return nil
    }

    /// Every snapshot here, by its id.
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

    /// Nil for a folder or a device, and for a file that went in the meantime.
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
