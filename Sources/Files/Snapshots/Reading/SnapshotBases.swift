import ByteStreams
import FileSystem
import SystemErrors

/// Finds the snapshots that others continue. A snapshot is recognized by its identity, not by its name, so that another
/// file of the same name is never taken for it.
package struct SnapshotBases {
    private let folder: String
    /// The name that another file is about to get, so that what has it now will not be there.
    private let replaced: String?
    private var files: [SnapshotID: (path: String, header: SnapshotHeader)]?

    /// Searches a folder.
    package init(in folder: String) {
        self.folder = folder
        replaced = nil
    }

    /// Searches the folder of a file that does not exist yet, without what has its name now.
    package init(of path: String) throws(FileError) {
        folder = FolderEntry.folder(of: path)
        replaced = try SnapshotFolder(folder).name(at: path)
    }

    /// Returns the path of a snapshot; nil when it is not in the folder.
    ///
    /// It may have been renamed to any name with the suffix of snapshots. Under the name that it had it needs no suffix.
    mutating func file(of base: SnapshotBase) throws(FileError) -> String? {
        let name = FolderEntry.name(of: base.fileName)
        let named = "\(folder)/\(name)"
        if name != replaced, try id(at: named) == base.id { return named }
        if files == nil { files = try SnapshotFolder(folder).files(without: replaced) }
        return files?[base.id]?.path
    }

    /// The identity of a file; nil when it is not a snapshot, or is not there.
    ///
    /// - Throws: the error of the system for a file that cannot be read: it may be the one that is searched for.
    private func id(at path: String) throws(FileError) -> SnapshotID? {
        do throws(SystemCondition) {
            // Opening a pipe would wait for its writer.
            guard try FileStatus(of: path).kind == .file else { return nil }
        } catch {
            if error.isMissing || error == .nameTooLong { return nil }
            throw FileError(code: error.code, path: path)
        }
        do throws(FileError) {
            return try SnapshotFile.header(of: path).id
        } catch .notASnapshot, .damagedSnapshot, .newerSnapshot, .snapshotNotFound {
            return nil
        } catch {
            throw error
        }
    }
}
