import ByteStreams
import CivilTime
import FileSystem
import FoundationEssentials

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
        let positions = Self.positions(in: listing)
        for index in listing.indices {
            guard let base = listing[index].header?.base else { continue }
            listing[index].base = positions[base].map { listing[$0].name }
            var next = positions[base]
            // A cycle, which only a forged header can have, ends as well.
            for _ in listing.indices {
                guard let header = next.flatMap({ listing[$0].header }), let base = header.base else { break }
                next = positions[base]
            }
            listing[index].isComplete = next.map { listing[$0].header?.isIncremental == false } ?? false
        }
        return listing.sorted { left, right in
            guard let leftHeader = left.header, let rightHeader = right.header else {
                return left.header == nil && right.header == nil ? left.name < right.name : left.header != nil
            }
            return (leftHeader.instant, left.name) < (rightHeader.instant, right.name)
        }
    }

    /// Returns every snapshot of the folder by its id.
    ///
    /// - Parameter name: an entry that is left out.
    func files(
        without name: String? = nil
    ) throws(FileError) -> [SnapshotID: (path: String, header: SnapshotHeader)] {
        var files: [SnapshotID: (path: String, header: SnapshotHeader)] = [:]
        for entry in try names() where entry.hasSuffix(SnapshotFile.suffix) && entry != name {
            guard let header = try self.entry(entry)?.header, files[header.id] == nil else { continue }
            files[header.id] = ("\(path)/\(entry)", header)
        }
        return files
    }

    /// Returns the name of the entry at a path of this folder; nil when there is none. Differs from the end of the path
    /// where the file system takes several spellings for one name.
    func name(at path: String) throws(FileError) -> String? {
        let last = FolderEntry.name(of: path)
        guard let identity = try? FileStatus(of: path, followsLinks: false).identity else { return nil }
        let names = try names()
        if names.contains(last) { return last }
        return names.first { (try? FileStatus(of: "\(self.path)/\($0)", followsLinks: false).identity) == identity }
    }

    /// Refuses to replace a file that another snapshot of the folder continues, unless the folder has a copy of it.
    ///
    /// - Throws: `neededByAnother`.
    func checkNotNeeded(_ path: String) throws(FileError) {
        guard let name = try name(at: path), let id = try entry(name)?.header?.id else { return }
        let others = try names().filter { $0 != name && $0.hasSuffix(SnapshotFile.suffix) }
        var dependent: String?
        for other in others {
            guard let header = try entry(other)?.header else { continue }
            if header.id == id { return }
            if header.base == id, dependent == nil { dependent = other }
        }
        if let dependent { throw .neededByAnother(path: path, other: dependent) }
    }

    /// The position of each snapshot; of several copies the first that is not a symbolic link, which would be of no use
    /// without the file that it names.
    static func positions(in listing: [SnapshotListing]) -> [SnapshotID: Int] {
        var positions: [SnapshotID: Int] = [:]
        for (position, entry) in listing.enumerated() {
            guard let id = entry.header?.id else { continue }
            if let other = positions[id], entry.isLink || !listing[other].isLink { continue }
            positions[id] = position
        }
        return positions
    }

    private func names() throws(FileError) -> [String] {
        try FileError.naming(path, FileTree.names(in: path)).sorted()
    }

    /// Nil for a folder or a device, and for a file that was removed in the meantime.
    private func entry(_ name: String) throws(FileError) -> SnapshotListing? {
        let file = "\(path)/\(name)"
        guard let status = try? FileStatus(of: file), status.kind == .file else { return nil }
        let bytes = status.size
        let isLink = FileStatus.kind(of: file, followsLinks: false) == .link
        do throws(FileError) {
            let header = try SnapshotFile.header(of: file)
            return SnapshotListing(
                name: name, bytes: bytes, state: .readable(header), isComplete: !header.isIncremental, isLink: isLink)
        } catch {
            return SnapshotListing(
                name: name, bytes: bytes, state: .unreadable(reason: error.shortReason), isComplete: false,
                isLink: isLink)
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
    /// Whether everything that it needs for a restore is in the folder, according to the beginnings of the files. Only
    /// ``StoreFiles/verify(_:passphrase:progress:)`` reads all of them.
    public internal(set) var isComplete: Bool
    /// Whether it is a symbolic link to a file.
    let isLink: Bool

    /// Its header, if it has one.
    public var header: SnapshotHeader? {
        guard case .readable(let header) = state else { return nil }
        return header
    }
}

/// A snapshot that was read completely, with all that it continues, and can be restored.
public struct SnapshotSummary: Sendable, Equatable {
    /// The file.
    public let path: String
    /// Its size.
    public let bytes: Int
    /// The total length of the keys and values in it.
    public let uncompressedBytes: Int
    /// Whether it is encrypted.
    public let isEncrypted: Bool
    /// The number of files that a restore reads: this one, and those that it continues.
    public let chainLength: Int
    /// Its manifest.
    public let manifest: SnapshotManifest
}
